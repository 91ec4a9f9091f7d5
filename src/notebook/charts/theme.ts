import { isObject } from "../../util/isObject.js";
import { type ChartRow, UNKNOWN } from "./chartRows.js";
import { type ChartSpec, mapSpec, type SpecPart } from "./chartSpec.js";

/** The Okabe-Ito palette: distinguishable on white with any color vision. */
const COLORS = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#6f4e9c", "#9a9a9a"] as const;

/** The white background keeps charts legible on dark pages. */
export const LOOK = { background: "white", padding: 12 } as const;

/** The default look of marks, axes and legends. */
export const CONFIG = {
  view: { stroke: null, continuousWidth: 600, continuousHeight: 300, discreteWidth: { step: 24 } },
  mark: { color: COLORS[0] },
  range: { category: COLORS },
  title: { anchor: "start", fontSize: 15, subtitleColor: "#555", subtitleFontSize: 12, offset: 12 },
  axis: { titleFontWeight: "normal", gridColor: "#e4e4e4", labelLimit: 240 },
  legend: { titleFontWeight: "normal", labelLimit: 200 },
} as const;

/** The colors that readers of American politics expect, and grey for rows without a party. */
const PARTIES: ReadonlyMap<unknown, string> = new Map([
  ["Democrat", COLORS[0]],
  ["Democratic", COLORS[0]],
  ["Republican", "#c4302b"],
  ["Independent", COLORS[1]],
  [UNKNOWN, COLORS[7]],
]);

/** The specification with the usual colors where it colors by party without a scale of its own. */
export function withPartyColors(spec: ChartSpec, rows: readonly ChartRow[]): ChartSpec {
  return mapSpec(spec, (part) => {
    const changed = ["color", "fill", "stroke"].flatMap((channel) => {
      const value = part[channel];
      return isObject(value) && !("scale" in value) ? [[channel, withScale(value, rows)]] : [];
    });
    return { ...part, ...Object.fromEntries(changed) };
  }) as ChartSpec;
}

function withScale(channel: SpecPart, rows: readonly ChartRow[]): SpecPart {
  const { field, type } = channel;
  if (typeof field !== "string" || type !== "nominal") return channel;
  const names = [...new Set(rows.map((row) => row[field]))];
  if (!names.some((name) => name !== UNKNOWN && PARTIES.has(name))) return channel;
  const free = COLORS.filter((color) => !names.some((name) => PARTIES.get(name) === color));
  const range = names.map((name, at) => PARTIES.get(name) ?? free[at % free.length]);
  return { ...channel, scale: { domain: names, range } };
}
