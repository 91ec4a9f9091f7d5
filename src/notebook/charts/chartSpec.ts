import { ValidationError } from "../../errors/index.js";
import { invalid, oneOf } from "../../errors/validators.js";

/** A Vega-Lite specification without its data: mark, encoding, transforms, title and so on. The frame is its data. */
export interface ChartSpec {
  readonly [member: string]: unknown;
}

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

/**
 * The specification with its times in UTC, as they are in frames: the same chart in every time zone. Vega-Lite would take the
 * zone of the machine, and put a speech of the evening into another month. A scale or a unit that is given explicitly stays.
 */
export function withUtcTimes(spec: unknown): unknown {
  return mapSpec(spec, (part) => {
    const { timeUnit, type, scale } = part;
    if (typeof timeUnit === "string")
      return { ...part, timeUnit: timeUnit.startsWith("utc") ? timeUnit : `utc${timeUnit}` };
    if (typeof timeUnit === "object" && timeUnit !== null) return { ...part, timeUnit: { utc: true, ...timeUnit } };
    const isTemporal = type === "temporal" && "field" in part && scale !== null;
    return isTemporal ? { ...part, scale: { type: "utc", ...(scale as object | undefined) } } : part;
  });
}

/** Members of a specification that hold data, whose members mean nothing. */
const DATA = new Set(["values", "datasets"]);

/** An object inside a specification, with the member that it is the value of. */
export interface SpecPart {
  readonly member: string;
  readonly part: Readonly<Record<string, unknown>>;
}

/** Every object in a specification, outermost first, data left out. */
export function* specParts(spec: unknown, member = ""): Generator<SpecPart, void, undefined> {
  if (typeof spec !== "object" || spec === null || DATA.has(member)) return;
  if (Array.isArray(spec)) {
    for (const item of spec) yield* specParts(item, member);
    return;
  }
  const part = spec as Readonly<Record<string, unknown>>;
  yield { member, part };
  for (const [name, value] of Object.entries(part)) yield* specParts(value, name);
}

/** A copy of a specification with every object in it changed, innermost first; data stay as they are. */
export function mapSpec(spec: unknown, change: (part: Record<string, unknown>) => Record<string, unknown>): unknown {
  if (typeof spec !== "object" || spec === null) return spec;
  if (Array.isArray(spec)) return spec.map((item) => mapSpec(item, change));
  const members = Object.entries(spec).map(([name, value]) => [name, DATA.has(name) ? value : mapSpec(value, change)]);
  return change(Object.fromEntries(members) as Record<string, unknown>);
}
