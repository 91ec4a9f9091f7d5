import { ValidationError } from "../../errors/index.js";
import { invalid, oneOf } from "../../errors/validators.js";
import type { ChartSpec } from "./chartSpec.js";
import { specParts } from "./specParts.js";

/**
 * A specification that needs nothing but its frame: neither data nor images from elsewhere, and no field that is not a column.
 *
 * @throws ValidationError for any other
 */
export function checkSpec(spec: unknown, columns: readonly string[]): ChartSpec {
  if (typeof spec !== "object" || spec === null || Array.isArray(spec)) {
    throw invalid("spec", spec, 'Give a Vega-Lite specification, for example { mark: "bar", encoding: { … } }.');
  }
  if ("data" in spec) throw refused("it has data", "Leave data out: the rows of the frame are the data.");
  if ("usermeta" in spec)
    throw refused("it has usermeta", "Leave usermeta out: a notebook would take options from it.");
  const parts = [...specParts(spec)];
  for (const { member, part } of parts) {
    if (member === "data" && "url" in part) {
      throw refused("it has data from a URL", "Read them into a frame first: a chart loads nothing.");
    }
    if (part.mark === "image" || (member === "mark" && part.type === "image")) {
      throw refused("it has images", "Take another mark: a chart loads nothing.");
    }
  }
  // Transforms make fields, and other data have fields of their own.
  const hasOthers = parts.some(({ part }) => "transform" in part || "data" in part || "repeat" in part);
  for (const { part } of hasOthers ? [] : parts) checkField(part.field, columns);
  return spec as ChartSpec;
}

/** A path into a value (`by.name`, `tags[0]`) is taken as it is. */
function checkField(field: unknown, columns: readonly string[]): void {
  if (typeof field === "string" && !/[.[\]\\]/.test(field)) oneOf("field", field, columns);
}

function refused(what: string, hint: string): ValidationError {
  return new ValidationError(`invalid spec: ${what}.`, { hint, parameter: "spec" });
}
