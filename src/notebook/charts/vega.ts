import { ValidationError } from "../../errors/index.js";
import { faulty } from "../../errors/validators.js";
import { parsedUrl } from "../../service/http/url.js";
import { escaped, quoted } from "../../util/quoted.js";
import { type ChartSpec, mapSpec } from "./chartSpec.js";

/** The part of vega that is used here. Its own types need those of the browser. */
interface Vega {
  parse(spec: object): object;
  View: new (runtime: object, options: object) => VegaView;
}

/** A rendered chart. */
interface VegaView {
  toSVG(): Promise<string>;
  finalize(): unknown;
}

/** The part of vega-lite that is used here. */
interface VegaLite {
  compile(spec: object, options: object): { readonly spec: object };
}

const LINKS = new Set<string | undefined>(["http:", "https:", "mailto:"]);
const refuse = (): Promise<never> => Promise.reject(new Error("charts load nothing"));

/** A vega loader that loads nothing. Links may only use http, https and mailto. */
export const safeLoader = {
  load: refuse,
  http: refuse,
  file: refuse,
  /** Returns no `href` for other links. A rejection would be unhandled inside vega. */
  sanitize: (uri: unknown, { context }: { context?: string } = {}): Promise<{ href?: string }> =>
    Promise.resolve(
      context === "href" && typeof uri === "string" && LINKS.has(parsedUrl(uri)?.protocol) ? { href: uri } : {},
    ),
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
  const logger = chartLogger((spec.data as { readonly values: readonly unknown[] }).values.length, errors);
  let view: VegaView | undefined;
  try {
    // Vega modifies its input.
    const { spec: compiled } = vegaLite.compile(structuredClone(spec), { logger });
    const runtime = vega.parse(withUtcLabels(compiled) as object);
    view = new vega.View(runtime, { renderer: "none", loader: safeLoader, logger });
    const svg = await view.toSVG();
    if (errors.length > 0) throw errors[0];
    if (svg.length <= MAX_SVG) return svg;
    throw faulty(
      "spec",
      "its picture has more than 5 MB",
      "Draw fewer marks: group and count first, or draw a sample.",
    );
  } catch (error) {
    if (error instanceof ValidationError) throw error;
    const message = error instanceof Error ? error.message : String(error);
    throw faulty("spec", `vega reports ${quoted(message, 300)}`, "See the Vega-Lite documentation.", error);
  } finally {
    view?.finalize();
  }
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
 * and draws half a chart. Warnings go to the console to help the author of the specification, except for an empty chart, where they
 * only report missing data.
 */
function chartLogger(rows: number, errors: unknown[]): object {
  const add = (...message: readonly unknown[]) => {
    errors.push(message.find((part) => part instanceof Error) ?? message.join(" "));
    return logger;
  };
  const warn = (...message: readonly unknown[]) => {
    const text = message.join(" ");
    if (text.startsWith("Loading failed")) return add(text);
    // A mark may have no data, such as the outliers of a boxplot.
    if (rows > 0 && !text.startsWith("Infinite extent")) console.warn("chart:", escaped(text, 1000));
    return logger;
  };
  const same = () => logger;
  const logger = { level: same, error: add, warn, info: same, debug: same };
  return logger;
}
