import { ArchiveError } from "../../errors/index.js";

/** What is used of vega. */
export interface Vega {
  readonly version?: string;
  parse(spec: object): object;
  View: new (runtime: object, options: object) => VegaView;
}

/** A drawing. */
export interface VegaView {
  toSVG(): Promise<string>;
  finalize(): unknown;
}

/** What is used of vega-lite. */
export interface VegaLite {
  compile(spec: object, options: object): { readonly spec: object };
}

/** Both libraries. */
export interface ChartLibraries {
  readonly vega: Vega;
  readonly vegaLite: VegaLite;
}

/** Loads a module. Tests bring their own. */
export type LoadModule = (name: "vega" | "vega-lite") => Promise<unknown>;

const HINT = "Charts are drawn by vega and vega-lite. Type: npm install vega@5 vega-lite@5";

/** Not `import(name)`, which bundlers could not follow. */
const load: LoadModule = (name) => (name === "vega" ? import("vega") : import("vega-lite"));

/**
 * The chart libraries, which are loaded when the first chart is drawn: they are optional, and take a third of a second.
 *
 * @throws ArchiveError `CHARTS_MISSING` that says what to type; also for a version with a known weakness
 */
export async function vegaLibrary(loadModule: LoadModule = load): Promise<ChartLibraries> {
  let libraries: ChartLibraries;
  try {
    const [vega, vegaLite] = await Promise.all([loadModule("vega"), loadModule("vega-lite")]);
    libraries = { vega: named(vega, "parse") as Vega, vegaLite: named(vegaLite, "compile") as VegaLite };
  } catch (cause) {
    const what = "vega and vega-lite cannot be loaded, and chart() needs them.";
    throw new ArchiveError(what, { code: "CHARTS_MISSING", hint: HINT, cause });
  }
  const { version } = libraries.vega;
  if (!isVulnerable(version)) return libraries;
  const what = `vega ${version} lets the expressions of a specification run any code (CVE-2025-59840).`;
  throw new ArchiveError(what, { code: "CHARTS_MISSING", hint: HINT });
}

/** The exports of a module: those of a CommonJS one (version 5) may all be in its default. */
function named(module: unknown, member: string): unknown {
  const found = module as { readonly default?: unknown; readonly [name: string]: unknown };
  return member in found ? found : found.default;
}

/** The first versions of each line in which an expression cannot run other code (CVE-2025-59840). */
const FIXED: Readonly<Record<string, readonly [minor: number, patch: number]>> = { 5: [33, 1], 6: [2, 0] };

/**
 * Whether a version of vega is known to let expressions of a specification run any code.
 *
 * @example
 * isInjectable("5.33.0"); //=> true
 */
export function isVulnerable(version: unknown): boolean {
  const [, major = "", minor, patch] = /^(\d{1,9})\.(\d{1,9})\.(\d{1,9})/.exec(String(version)) ?? [];
  const fixed = FIXED[major];
  if (fixed === undefined) return major !== "" && Number(major) < 5;
  return Number(minor) < fixed[0] || (Number(minor) === fixed[0] && Number(patch) < fixed[1]);
}

/** What vega loads with: nothing. Links lead to the web or to a mailbox, and nowhere else. */
export const safeLoader = {
  load: (): Promise<never> => refuse(),
  http: (): Promise<never> => refuse(),
  file: (): Promise<never> => refuse(),
  /** Without `href` the link is none; a rejection would fail vega outside of any promise that could be awaited. */
  sanitize: (uri: unknown, { context }: { context?: string } = {}): Promise<{ href?: string }> =>
    Promise.resolve(context === "href" && typeof uri === "string" && isLink(uri) ? { href: uri } : {}),
};

function isLink(uri: string): boolean {
  try {
    return ["http:", "https:", "mailto:"].includes(new URL(uri).protocol);
  } catch {
    return false;
  }
}

function refuse(): Promise<never> {
  return Promise.reject(new Error("a chart loads nothing"));
}
