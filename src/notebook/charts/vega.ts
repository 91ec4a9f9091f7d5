import { faulty } from "../../errors/validators.js";
import { parsedUrl } from "../../service/http/url.js";
import { escaped, quoted } from "../../util/quoted.js";
import { type ChartSpec, mapSpec } from "./chartSpec.js";
import { CONFIG } from "./theme.js";

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
