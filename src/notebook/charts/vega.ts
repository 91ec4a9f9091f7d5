import { ValidationError } from "../../errors/index.js";
import { faulty } from "../../errors/validators.js";
import { parsedUrl } from "../../service/http/url.js";
import { escaped, quoted } from "../../util/quoted.js";
import { type ChartSpec, mapSpec } from "./chartSpec.js";
import { missing, optional } from "./optionalLibrary.js";

/** The part of vega that is used here. */
interface Vega {
  readonly version?: string;
  parse(spec: object): object;
  View: new (runtime: object, options: object) => VegaView;
}

/** A rendered chart. */
export interface VegaView {
  toSVG(): Promise<string>;
  toCanvas(scale: number, options: { readonly externalContext: object }): Promise<unknown>;
  finalize(): unknown;
}

/** The part of vega-lite that is used here. */
interface VegaLite {
  compile(spec: object, options: object): { readonly spec: object };
}

type LoadModule = (name: "vega" | "vega-lite") => Promise<unknown>;

const VEGA = "vega@6 vega-lite@6";

/** Literal names, because bundlers cannot follow `import(name)`. */
const load: LoadModule = (name) => (name === "vega" ? import("vega") : import("vega-lite"));

/** @throws ArchiveError `CHARTS_MISSING` if vega or vega-lite cannot be loaded or is vulnerable */
export async function vegaLibrary(loadModule: LoadModule = load): Promise<{ vega: Vega; vegaLite: VegaLite }> {
  const [vega, vegaLite] = await optional<[Vega, VegaLite]>("charts", VEGA, () =>
    Promise.all([loadModule("vega"), loadModule("vega-lite")]),
  );
  if (!isVulnerable(vega.version)) return { vega, vegaLite };
  const what = `vega ${vega.version} may let expressions in a specification run arbitrary code (CVE-2025-59840).`;
  throw missing(what, `Run: npm install ${VEGA}`);
}

/**
 * Whether a version of vega lets expressions in a specification run arbitrary code (CVE-2025-59840). Version 5 depends on a vulnerable
 * package, so only 6.2 and later are safe.
 */
export function isVulnerable(version: unknown): boolean {
  const [, major, minor] = /^(\d{1,9})\.(\d{1,9})/.exec(String(version)) ?? [];
  return Number(major) < 6 || (Number(major) === 6 && Number(minor) < 2);
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

/** Renders a specification with its data. */
export async function rendered<T>(spec: ChartSpec, render: (view: VegaView) => Promise<T>): Promise<T> {
  const { vega, vegaLite } = await vegaLibrary();
  const errors: unknown[] = [];
  const logger = chartLogger((spec.data as { readonly values: readonly unknown[] }).values.length, errors);
  let view: VegaView | undefined;
  try {
    // Vega modifies its input.
    const { spec: compiled } = vegaLite.compile(structuredClone(spec), { logger });
    const runtime = vega.parse(withUtcLabels(compiled) as object);
    view = new vega.View(runtime, { renderer: "none", loader: safeLoader, logger });
    const picture = await render(view);
    if (errors.length > 0) throw errors[0];
    return picture;
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
    // A mark may have no data, such as the outliers of a boxplot.
    if (rows > 0 && !text.startsWith("Infinite extent")) console.warn("chart:", escaped(text, 1000));
    return logger;
  };
  const same = () => logger;
  const logger = { level: same, error: add, warn, info: same, debug: same };
  return logger;
}
