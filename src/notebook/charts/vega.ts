import { faulty } from "../../errors/validators.js";
import { parsedUrl } from "../../service/http/url.js";
import { isObject } from "../../util/objects.js";
import { escaped, quoted } from "../../util/text.js";
import { type ChartRow, UNKNOWN } from "./chartRows.js";
import { type ChartSpec, mapSpec, type SpecPart } from "./chartSpec.js";

/** The parts of vega and vega-lite that are used here. Their own types need those of the browser. */
interface Vega {
  parse(spec: object): object;
  View: new (runtime: object, options: object) => { toSVG(): Promise<string>; finalize(): unknown };
}
interface VegaLite {
  compile(spec: object, options: object): { readonly spec: object };
}

const LINK = /^(?:https?|mailto):$/;

/** A vega loader that loads nothing. Links may only use http, https and mailto. A rejection of others would be unhandled inside vega. */
export const safeLoader = {
  load: () => Promise.reject(new Error("charts load nothing")),
  sanitize: async (uri: unknown, { context }: { context?: string } = {}) =>
    context === "href" && LINK.test(parsedUrl(String(uri))?.protocol ?? "") ? { href: String(uri) } : {},
};

/** A larger picture has more marks than anybody can see, and bloats its notebook. */
const MAX_SVG = 5_000_000;

/**
 * Draws a specification with its data as SVG.
 *
 * @throws ValidationError for what Vega-Lite or Vega report as an error, and for a picture that is too large
 */
export async function renderSvg(spec: ChartSpec): Promise<string> {
  // Loaded with the first chart.
  const vega = (await import("vega")) as unknown as Vega;
  const vegaLite = (await import("vega-lite")) as unknown as VegaLite;
  const errors: unknown[] = [];
  const logger = chartLogger(errors);
  try {
    // Vega modifies its input.
    const { spec: compiled } = vegaLite.compile(structuredClone(spec), { config: CONFIG, logger });
    const runtime = vega.parse(withUtcLabels(compiled) as object);
    const view = new vega.View(runtime, { renderer: "none", loader: safeLoader, logger });
    const svg = await view.toSVG().finally(() => view.finalize());
    if (errors.length > 0) throw errors[0];
    if (svg.length <= MAX_SVG) return svg;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw faulty("spec", `vega reports ${quoted(message, 300)}`, "See the Vega-Lite documentation.", error);
  }
  throw faulty("spec", "its picture has more than 5 MB", "Draw fewer marks: group and count first, or draw a sample.");
}

/** Vega-Lite formats UTC times in labels and descriptions as local times. */
function withUtcLabels(compiled: object): unknown {
  return mapSpec(compiled, (part) =>
    Object.fromEntries(
      Object.entries(part).map(([name, value]) => [
        name,
        typeof value === "string" ? value.replaceAll("timeFormat(", "utcFormat(") : value,
      ]),
    ),
  );
}

/**
 * The logger of one chart, whose members vega and vega-lite call unbound. Errors are collected, because vega only logs some of them
 * and draws half a chart. Warnings go to the console to help the author of the specification.
 */
function chartLogger(errors: unknown[]): object {
  const add = (...message: readonly unknown[]) => {
    errors.push(message.find((part) => part instanceof Error) ?? message.join(" "));
    return logger;
  };
  const warn = (...message: readonly unknown[]) => {
    const text = message.join(" ");
    if (text.startsWith("Loading failed")) return add(text);
    // A mark may have no data, such as the outliers of a boxplot.
    if (!text.startsWith("Infinite extent")) console.warn("chart:", escaped(text, 1000));
    return logger;
  };
  const same = () => logger;
  const logger = { level: same, error: add, warn, info: same, debug: same };
  return logger;
}

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
