import { checkedOptions, invalid, nonEmptyString } from "../../errors/validators.js";
import { provenanceOf } from "../../frames/provenanceOf.js";
import { isObject } from "../../util/isObject.js";
import { clip } from "../../util/quoted.js";
import type { ChartSpec } from "./chartSpec.js";

/** The Okabe-Ito palette: distinguishable on white with any color vision. */
export const COLORS = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#6f4e9c"] as const;

/** The color of the "others" group. */
const GREY = "#9a9a9a";

/** The color of rows without a value. */
const GREY_VALUE = { value: GREY } as const;

/** The default look of charts. The white background keeps them legible on dark pages. */
export const CHART_THEME = {
  background: "white",
  padding: 12,
  config: {
    view: {
      stroke: null,
      continuousWidth: 600,
      continuousHeight: 300,
      discreteWidth: { step: 24 },
      discreteHeight: { step: 22 },
    },
    mark: { color: COLORS[0] },
    range: { category: [...COLORS, GREY] },
    title: { anchor: "start", fontSize: 15, fontWeight: 600, subtitleColor: "#555", subtitleFontSize: 12, offset: 12 },
    axis: {
      labelColor: "#333",
      titleColor: "#333",
      titleFontWeight: "normal",
      gridColor: "#e4e4e4",
      domainColor: "#888",
      tickColor: "#888",
      labelLimit: 240,
    },
    scale: { invalid: { color: GREY_VALUE, fill: GREY_VALUE, stroke: GREY_VALUE } },
    legend: { labelColor: "#333", titleColor: "#333", titleFontWeight: "normal", labelLimit: 200 },
  },
} as const;

/** The values of a column, reduced to a few groups. */
export interface Ranking {
  /** The group of each row. */
  readonly names: readonly string[];
  /** The distinct groups, most frequent first and `others` last. */
  readonly order: readonly string[];
}

const OTHERS = "others";
export const UNKNOWN = "unknown";

/** Keeps the most frequent values, one per color, and groups the rest as `others`. */
export function rankValues(values: readonly unknown[]): Ranking {
  const all = values.map((value) => (value === null || value === "" ? UNKNOWN : clip(String(value), 60)));
  const byCount = byFrequency(all);
  if (byCount.length <= COLORS.length) return { names: all, order: byCount };
  const top = byCount.slice(0, COLORS.length);
  const names = all.map((name) => (top.includes(name) ? name : OTHERS));
  return { names, order: top.includes(OTHERS) ? top : [...top, OTHERS] };
}

/** The distinct values, most frequent first. */
export function byFrequency<T>(values: readonly T[]): readonly T[] {
  const counts = new Map<T, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts]
    .sort(([a, more], [b, less]) => less - more || (String(a) < String(b) ? -1 : 1))
    .map(([value]) => value);
}

/** The axis of a column of years: Vega would put months between a few of them. */
export const YEAR_AXIS = { format: "%Y", tickCount: "year" };

/** What the rates of a frame are per, from the step that counted them. */
export function unitOfRates(frame: unknown): string | undefined {
  const step = provenanceOf(frame)?.steps?.findLast(({ verb }) => verb === "rates" || verb === "compare");
  const unit = /\brates per (hour|mention|[\d,.]+ words) of /.exec(step?.text ?? "")?.[1];
  return unit === "mention" ? "share of mentions" : unit && `per ${unit === "hour" ? "hour of speech" : unit}`;
}

/** A name that says that its values are parts of a whole. */
const SHARE = /share|proportion|percent/i;

/** Whether a name and its values, from -1 to 1, say that they are shares: axes show those as percent. */
export function isShare(name: string, values: readonly unknown[]): boolean {
  return (
    SHARE.test(name) && values.every((value) => value === null || (typeof value === "number" && Math.abs(value) <= 1))
  );
}

/** A text as lines that are no longer than a chart is wide. */
export function linesOf(text: string): string[] {
  return text.match(/\S.{0,74}(?=\s|$)|\S{75}/g) ?? [text];
}

/** The axis of counts up to `max`: ticks at whole numbers only. Vega's `tickMinStep` does not see to that in small charts. */
export function countAxis(max: number): { readonly tickCount: number; readonly format: string } {
  return { tickCount: Math.max(1, Math.min(max, 8)), format: ",d" };
}

/** Something that happened, marked on a chart over time. */
export interface ChartEvent {
  /** When: a day such as `"2022-08-16"`, a timestamp, or a Date. */
  readonly date: string | Date;
  /** What: a few words, written along the line. */
  readonly label: string;
}

/** What all charts of this package take. */
export interface SeriesOptions {
  /** Other names of groups, for example `{ "climate*": "climate" }`. */
  labels?: Readonly<Record<string, string>> | undefined;
  /** CSS colors of groups. Default: a palette for any color vision; parties have the usual colors. */
  colors?: Readonly<Record<string, string>> | undefined;
  /** Events to mark on a chart over time: `[{ date: "2022-08-16", label: "Inflation Reduction Act" }]`. Default: none. */
  events?: readonly ChartEvent[] | undefined;
}

/** The colors that readers of American politics expect. */
const PARTIES: Readonly<Record<string, string>> = {
  Democrat: COLORS[0],
  Democratic: COLORS[0],
  Republican: "#c4302b",
  Independent: "#e69f00",
};

/** The checked options. */
export class Series {
  readonly #labels: Readonly<Record<string, string>>;
  readonly #colors: ReadonlyMap<string, string>;
  readonly #events: readonly ChartEvent[];

  /** @throws ValidationError for anything but texts by name, and for an event without a date or a label */
  constructor({ labels, colors, events = [] }: SeriesOptions) {
    this.#labels = texts("labels", labels, { "climate*": "climate" });
    const given = Object.entries({ ...PARTIES, ...texts("colors", colors, { Democrat: "navy" }) });
    this.#colors = new Map(
      given.flatMap(([name, color]) => [[name, color] as const, [this.label(name), color] as const]),
    );
    if (!Array.isArray(events)) throw invalid("events", events, EVENT);
    this.#events = events.map(checkedEvent);
  }

  /** The name that a chart shows for a group. */
  label(name: string): string {
    return Object.hasOwn(this.#labels, name) ? (this.#labels[name] as string) : name;
  }

  hasColor(names: readonly string[]): boolean {
    return names.some((name) => this.#colors.has(name));
  }

  /** The color scale of groups: those of their own, then the palette, then grey. */
  scale(order: readonly string[]): { readonly domain: readonly string[]; readonly range: readonly string[] } {
    const named = order.map((name) => this.#colors.get(name));
    const rest = named.some((color) => color !== undefined) ? GREY : undefined;
    const own = named.map((color, at) => color ?? (order[at] === UNKNOWN ? rest : undefined));
    const free = COLORS.filter((color) => !own.includes(color));
    return { domain: order, range: own.map((color) => color ?? free.shift() ?? GREY) };
  }

  /**
   * The specification with a labelled rule for each event.
   *
   * @param time whether its x axis shows time
   * @throws ValidationError for events on a chart without time
   */
  withEvents(spec: ChartSpec, time = true): ChartSpec {
    if (this.#events.length === 0) return spec;
    if (!time) throw invalid("events", this.#events, 'They need time on the x axis, for example x: "month:T".');
    const { mark, encoding, layer, ...rest } = spec;
    const view = layer === undefined ? { mark, encoding } : { layer, encoding };
    const x = { field: "date", type: "temporal", title: null, scale: { type: "utc" } };
    // Along the rule and right of it: left of it, it would cross the axis of an early event.
    const text = { type: "text", angle: 270, align: "right", baseline: "top", dx: -4, dy: 3 };
    const label = { x, y: { value: 0 }, text: { field: "label", type: "nominal" } };
    const marks = [
      { mark: { type: "rule", strokeDash: [4, 3], color: "#555" }, encoding: { x } },
      // A rim, for labels over bars.
      { mark: { ...text, color: "white", stroke: "white", strokeWidth: 3, opacity: 0.8 }, encoding: label },
      { mark: { ...text, color: "#333" }, encoding: label },
    ];
    const values = this.#events.map(({ date, label }) => ({ date: new Date(date).toISOString(), label }));
    return { ...rest, layer: [view, { data: { values }, layer: marks }] };
  }
}

const EVENT = 'Give dates and labels, for example [{ date: "2022-08-16", label: "Inflation Reduction Act" }].';

function checkedEvent(event: ChartEvent): ChartEvent {
  if (!isObject(event)) throw invalid("events", event, EVENT);
  const { date = "", label } = checkedOptions<Partial<ChartEvent>>(event, ["date", "label"], "member of an event");
  if (Number.isNaN(new Date(date).getTime())) throw invalid("date", date, 'Give a day, for example "2022-08-16".');
  return { date, label: nonEmptyString("label", label) };
}

function texts(name: string, given: unknown, example: object): Readonly<Record<string, string>> {
  const isValid = isObject(given) && Object.values(given).every((text) => typeof text === "string");
  if (given === undefined || isValid) return (given ?? {}) as Readonly<Record<string, string>>;
  throw invalid(name, given, `Give a text for each name, for example ${JSON.stringify(example)}.`);
}
