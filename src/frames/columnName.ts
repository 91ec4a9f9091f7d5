import { wellFormed } from "./exactJson.js";
import { pl } from "./polars.js";

const bare = pl.DataFrame([]) as unknown as Readonly<Record<string, unknown>>;

/**
 * What the column of a member is called: as the member, unless polars has a use for that name. A column called `height`
 * would hide the height of its frame, so it becomes `height_`.
 *
 * @example
 * columnName("title");  //=> "title"
 * columnName("height"); //=> "height_"
 */
export function columnName(member: string): string {
  const name = wellFormed(member);
  // A number would be taken for that of a row; what every object has hides nothing.
  const isOfFrames = Number.isNaN(Number(name)) && !(name in Object.prototype) && bare[name] !== undefined;
  return isOfFrames ? `${name}_` : name;
}
