import { faulty, invalid, oneOf } from "../../errors/validators.js";
import { isObject } from "../../util/objects.js";

/** A Vega-Lite specification without data. */
export type ChartSpec = Readonly<Record<string, unknown>>;

/** An object inside a specification. */
export type SpecPart = Readonly<Record<string, unknown>>;

/** Vega-Lite's units of periods, which give bars their width. Its weeks begin on Sunday, so `week` has none. */
export const PERIOD_UNITS = {
  day: "utcyearmonthdate",
  month: "utcyearmonth",
  quarter: "utcyearquarter",
  year: "utcyear",
} as const;

/** Members that contain data, not specification. */
const DATA_MEMBERS = new Set(["values", "datasets"]);

/** A copy of a specification with a function applied to every object except data, innermost first. */
export function mapSpec(spec: unknown, change: (part: SpecPart) => SpecPart): unknown {
  if (Array.isArray(spec)) return spec.map((item) => mapSpec(item, change));
  if (!isObject(spec)) return spec;
  const members = Object.entries(spec).map(([name, value]) => [
    name,
    DATA_MEMBERS.has(name) ? value : mapSpec(value, change),
  ]);
  return change(Object.fromEntries(members) as SpecPart);
}

/** All objects inside a specification except data. */
export function partsOf(spec: unknown): readonly SpecPart[] {
  const parts: SpecPart[] = [];
  mapSpec(spec, (part) => {
    parts.push(part);
    return part;
  });
  return parts;
}

const VIEWS = ["mark", "layer", "hconcat", "vconcat", "concat", "spec"];

/** @throws ValidationError for anything but a specification that has something to draw and leaves the data to the frame */
export function checkSpec(spec: unknown): asserts spec is ChartSpec {
  if (!isObject(spec)) {
    throw invalid("spec", spec, 'Give a Vega-Lite specification, for example { mark: "bar", x: "person" }.');
  }
  if ("data" in spec) throw faulty("spec", "it has data", "Leave data out. The frame is the data.");
  if (!VIEWS.some((view) => view in spec)) {
    throw faulty("spec", "it has no mark", 'Give one, for example mark: "bar".');
  }
}

/** Parts whose output has columns with names of their own. */
const MAKES_FIELDS = ["data", "repeat", "fold", "pivot", "density", "lookup", "flatten"];

/**
 * Checks a specification whose encodings are written out: it draws no images, and its fields are columns.
 *
 * @throws ValidationError for an image, an unknown field, and a column whose name Vega reads as something else
 */
export function checkParts(spec: ChartSpec, columns: readonly string[]): void {
  const parts = partsOf(spec);
  const isImage = ({ mark, type, url }: SpecPart) => mark === "image" || (type === "image" && url !== undefined);
  if (parts.some((part) => isImage(part) || (isObject(part.mark) && part.mark.type === "image"))) {
    throw faulty("spec", "it has images", "Use another mark. Charts load nothing.");
  }
  const fields = parts.map(({ field }) => field).filter((field) => typeof field === "string");
  // Vega reads `a.b` and `a[0]` as paths, and `__proto__` would break all later charts.
  const misread = fields.find((field) => field in {} || (/[.[\]\\'"\p{Cc}]/u.test(field) && columns.includes(field)));
  if (misread !== undefined) {
    throw invalid("field", misread, "vega draws no column of that name: rename the column first.");
  }
  if (parts.some((part) => MAKES_FIELDS.some((name) => name in part))) return;
  const computed = parts.flatMap(({ as }) => as ?? []).filter((name) => typeof name === "string");
  // Paths into a value, such as `tags[0]`, are not checked.
  for (const field of fields) if (!/[.[]/.test(field)) oneOf("field", field, [...columns, ...computed]);
}

/**
 * The specification with times in UTC, as in frames, so that the chart is the same in every time zone. Vega-Lite defaults to local
 * time, which can move an evening speech into another month. Explicit scales and units stay.
 */
export function withUtcTimes(spec: ChartSpec): ChartSpec {
  return mapSpec(spec, (part) => {
    const { timeUnit, type, scale } = part;
    if (typeof timeUnit === "string") return { ...part, timeUnit: timeUnit.replace(/^(?!utc)/, "utc") };
    if (isObject(timeUnit)) return { ...part, timeUnit: { utc: true, ...timeUnit } };
    const isTime = type === "temporal" && "field" in part && scale !== null;
    return isTime ? { ...part, scale: { type: "utc", ...(scale as object | undefined) } } : part;
  }) as ChartSpec;
}
