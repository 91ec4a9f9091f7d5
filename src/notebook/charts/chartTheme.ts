import { stepsOf } from "../../frames/lineage/derived.js";
import { provenanceOf } from "../../frames/provenanceOf.js";
import { formatCount } from "../../util/counts.js";
import { clip } from "../../util/quoted.js";

/** The Okabe-Ito palette: distinguishable on white with any color vision. */
export const COLORS = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#6f4e9c"] as const;

/** The color of the "others" group. */
export const GREY = "#9a9a9a";

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
  const provenance = provenanceOf(frame);
  const step = provenance && stepsOf(provenance).findLast(({ verb }) => verb === "rates" || verb === "compare");
  if (step === undefined) return undefined;
  const { per = 10_000 } = step.arguments ?? {};
  if (per === "mention") return "share of mentions";
  return per === "hour" ? "per hour of speech" : `per ${formatCount(Number(per))} words`;
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
