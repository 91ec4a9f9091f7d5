import { invalid } from "../../errors/validators.js";
import { isObject } from "../../util/isObject.js";
import type { ChartSpec } from "./chartSpec.js";

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
