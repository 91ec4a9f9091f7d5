import { checkedOptions, invalid, nonEmptyString } from "../../errors/validators.js";
import { isObject } from "../../util/isObject.js";
import type { ChartSpec } from "./chartSpec.js";
import { COLORS, GREY, UNKNOWN } from "./chartTheme.js";

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

  get hasEvents(): boolean {
    return this.#events.length > 0;
  }

  /** Whether one of these groups has a color of its own. */
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
    if (!this.hasEvents) return spec;
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
