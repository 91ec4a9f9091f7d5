import type { ValidationError } from "../../errors/index.js";
import { faulty, invalid, oneOf } from "../../errors/validators.js";
import { isObject } from "../../util/isObject.js";

/** A Vega-Lite specification without data: mark, encoding, transforms, title and so on. */
export type ChartSpec = Readonly<Record<string, unknown>>;

/**
 * Checks that a specification needs nothing but its frame: no other data, no images, no unknown fields.
 *
 * @param written writes its shorthand out
 * @throws ValidationError if it does
 */
export function checkSpec(
  spec: unknown,
  columns: readonly string[],
  written: (spec: ChartSpec) => ChartSpec = (whole) => whole,
): ChartSpec {
  if (typeof spec !== "object" || spec === null || Array.isArray(spec)) {
    throw invalid("spec", spec, 'Give a Vega-Lite specification, for example { mark: "bar", encoding: { … } }.');
  }
  if ("data" in spec) throw refused("it has data", "Leave data out. The frame is the data.");
  if ("usermeta" in spec) throw refused("it has usermeta", "Leave usermeta out: notebooks read options from it.");
  const whole = written(spec as ChartSpec);
  const parts: SpecPart[] = [];
  mapSpec(whole, (part, member) => {
    parts.push({ member, part });
    return part;
  });
  for (const { member, part } of parts) {
    if (member === "data" && "url" in part) {
      throw refused("it has data from a URL", "Read it into a frame first. Charts load nothing.");
    }
    if (part.mark === "image" || (member === "mark" && part.type === "image")) {
      throw refused("it has images", "Use another mark. Charts load nothing.");
    }
  }
  const undrawable = parts.map(({ part }) => part.field).find((field) => isUndrawable(field, columns));
  if (undrawable !== undefined)
    throw invalid("field", undrawable, "vega draws no column of that name: rename the column first.");
  if (!VIEWS.some((view) => view in whole)) throw refused("it has no mark", 'Give one, for example mark: "bar".');
  // Nested data and repeated views have fields of their own.
  if (parts.some(({ part }) => "data" in part || "repeat" in part)) return whole;
  const known = [...columns, ...parts.flatMap(({ part }) => fieldsMade(part))];
  // Paths into a value (`by.name`, `tags[0]`) are not checked.
  for (const { part } of parts)
    if (typeof part.field === "string" && !/[.[\]\\]/.test(part.field)) oneOf("field", part.field, known);
  return whole;
}

/**
 * Whether vega mistakes a name: one that JavaScript objects have (`__proto__` would break all later charts), or one with characters
 * that it does not escape.
 */
function isUndrawable(field: unknown, columns: readonly string[]): boolean {
  if (typeof field !== "string") return false;
  return field in {} || (/[\\\p{Cc}]/u.test(field) && columns.includes(field));
}

/** What a specification draws: a mark, or several views. */
const VIEWS = ["mark", "layer", "hconcat", "vconcat", "concat", "spec"];

/** The fields that a transform creates. */
function fieldsMade(part: SpecPart["part"]): string[] {
  const named = [part.as, part.groupby].flat().filter((name) => typeof name === "string");
  const folded = "fold" in part || "density" in part ? ["key", "value", "density"] : [];
  const made = [part.pivot, part.flatten, part.lookup, part.impute].some((each) => each !== undefined)
    ? [part.key]
    : [];
  return [...named, ...folded, ...made.filter((name) => typeof name === "string")];
}

function refused(what: string, hint: string): ValidationError {
  return faulty("spec", what, hint);
}

/**
 * The specification with times in UTC, as in frames, so that the chart is the same in every time zone. Vega-Lite defaults to local
 * time, which can move an evening speech into another month. Explicit scales and units stay.
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

/** The view of a specification once for each value of a column. */
export function faceted({ title, ...view }: ChartSpec, column: string | undefined, width: number): ChartSpec {
  if (column === undefined) return { title, ...view };
  const facet = { field: column, type: "nominal", title: null };
  return { title, facet, columns: 2, spec: { ...view, width } };
}

/** Members that contain data, not specification. */
const DATA_MEMBERS = new Set(["values", "datasets"]);

/** An object inside a specification, with the name of its member. */
interface SpecPart {
  readonly member: string;
  readonly part: Readonly<Record<string, unknown>>;
}

/** A copy of a specification with a function applied to every object except data, innermost first, with the name of its member. */
export function mapSpec(
  spec: unknown,
  change: (part: Record<string, unknown>, member: string) => Record<string, unknown>,
  member = "",
): unknown {
  if (typeof spec !== "object" || spec === null || DATA_MEMBERS.has(member)) return spec;
  if (Array.isArray(spec)) return spec.map((item) => mapSpec(item, change, member));
  const members = Object.entries(spec).map(([name, value]) => [name, mapSpec(value, change, name)]);
  return change(Object.fromEntries(members) as Record<string, unknown>, member);
}

/** How a column is measured, in Vega-Lite's words. */
export type MeasureType = "temporal" | "quantitative" | "nominal" | "ordinal";

type Definition = Readonly<Record<string, unknown>>;

/** The channels that may stand beside the mark. */
const CHANNELS = new Set(
  "x y x2 y2 xOffset yOffset xError yError color fill stroke opacity size shape strokeDash angle theta radius detail order text tooltip href row column facet".split(
    " ",
  ),
);

const TYPES: Readonly<Record<string, MeasureType>> = {
  T: "temporal",
  Q: "quantitative",
  N: "nominal",
  O: "ordinal",
};

const TIME_UNIT = /^(?:utc)?(?:year|quarter|month|week|day|date|hours|minutes|seconds)+$/;
const NO_FIELD = new Set(["count"]);

/**
 * A specification with Altair's shorthand written out: channels may stand beside the mark, and a text is a field, a function of
 * one, and a type. Without a type it is that of the column.
 *
 * @param typeOf the type of a column; undefined for the field of a transform
 * @throws ValidationError for a text that is neither
 * @example
 * withoutShorthand({ mark: "bar", x: "yearmonth(begintime):T", y: "count()" }, () => undefined);
 * //=> { mark: "bar", encoding: { x: { field: "begintime", timeUnit: "yearmonth", type: "temporal" }, y: { aggregate: "count", type: "quantitative" } } }
 */
export function withoutShorthand(spec: ChartSpec, typeOf: (field: string) => MeasureType | undefined): ChartSpec {
  const definition = (channel: string, value: unknown): unknown => {
    if (Array.isArray(value)) return value.map((each) => definition(channel, each));
    if (typeof value === "string") return parsed(channel, value, typeOf);
    return value;
  };
  const encodingOf = (encoding: Definition) =>
    Object.fromEntries(Object.entries(encoding).map(([channel, value]) => [channel, definition(channel, value)]));
  // `facet` and so on beside `spec` are operators of Vega-Lite, not channels.
  const own = Object.entries(spec).filter(([name]) => CHANNELS.has(name) && !(name === "facet" && "spec" in spec));
  const rest = Object.entries(spec).filter((entry) => !own.some(([name]) => name === entry[0]));
  const encoding = { ...(isObject(spec.encoding) ? spec.encoding : {}), ...Object.fromEntries(own) };
  const layer = Array.isArray(spec.layer) && {
    layer: spec.layer.map((each) => (isObject(each) ? withoutShorthand(each, typeOf) : each)),
  };
  const hasEncoding = Object.keys(encoding).length > 0;
  return { ...Object.fromEntries(rest), ...layer, ...(hasEncoding && { encoding: encodingOf(encoding) }) };
}

function parsed(channel: string, text: string, typeOf: (field: string) => MeasureType | undefined): Definition {
  const [, called, inside, plain, letter] = /^(?:(\w+)\((.*)\)|(.*?))(?::([A-Z]))?$/s.exec(text.trim()) ?? [];
  const field = (called === undefined ? plain : inside)?.trim() ?? "";
  const type = letter === undefined ? undefined : TYPES[letter];
  if ((letter !== undefined && type === undefined) || (field === "" && !NO_FIELD.has(called ?? ""))) {
    throw invalid(
      channel,
      text,
      'Give a column, a function and a type, for example "person", "month:T" or "mean(length):Q".',
    );
  }
  const named = field === "" ? {} : { field };
  if (called === undefined) return withType(named, type ?? typeOf(field));
  if (TIME_UNIT.test(called)) return withType({ ...named, timeUnit: called }, type ?? "temporal");
  return withType({ ...named, aggregate: called }, type ?? "quantitative");
}

function withType(definition: Definition, type: MeasureType | undefined): Definition {
  return type === undefined ? definition : { ...definition, type };
}
