import { checkColumns } from "../errors/validators.js";
import { checkPolarsFrame } from "../frames/engine.js";
import { type PolarsFrame, pl } from "../frames/polars.js";
import { speakerLabel } from "./captions.js";

/**
 * Adds the column `label`: who speaks as the caption itself says, in capitals before a colon at its beginning, such as `PRES. TRUMP`
 * or `REPORTER`. Null where a caption has none. Labels are no spoken words: no function of this module counts them.
 *
 * @param frame a polars frame with the column `text`
 * @throws ValidationError for a frame without it
 * @example
 * const frame = pl.DataFrame({ text: ["PRES. TRUMP: We will see.", "We will see."] });
 * speakerLabels(frame).getColumn("label").toArray(); //=> ["PRES. TRUMP", null]
 */
export function speakerLabels(frame: PolarsFrame): PolarsFrame {
  checkPolarsFrame(frame, "frame", "a polars frame of mentions");
  checkColumns(frame.columns, ["text"], "archive.mentions(…)");
  const texts = frame.getColumn("text").toArray() as Array<string | null>;
  const labels = texts.map((text) => (text === null ? null : speakerLabel(text)));
  return frame.withColumn(pl.Series("label", labels, pl.Utf8)) as PolarsFrame;
}
