import { ArchiveError } from "../../errors/index.js";

/** The part of vega that is used here. */
export interface Vega {
  readonly version?: string;
  parse(spec: object): object;
  View: new (runtime: object, options: object) => VegaView;
}

/** A rendered chart. */
export interface VegaView {
  toSVG(): Promise<string>;
  finalize(): unknown;
}

/** The part of vega-lite that is used here. */
interface VegaLite {
  compile(spec: object, options: object): { readonly spec: object };
}

/** Both libraries. */
export interface ChartLibraries {
  readonly vega: Vega;
  readonly vegaLite: VegaLite;
}

/** Imports a module. */
type LoadModule = (name: "vega" | "vega-lite") => Promise<unknown>;

const HINT = "Run: npm install vega@6 vega-lite@6";

/** Literal names, because bundlers cannot follow `import(name)`. */
const load: LoadModule = (name) => (name === "vega" ? import("vega") : import("vega-lite"));

/**
 * Loads the chart libraries on first use: they are optional, and loading takes a third of a second.
 *
 * @throws ArchiveError `CHARTS_MISSING` if they cannot be loaded or are vulnerable
 */
export async function vegaLibrary(loadModule: LoadModule = load): Promise<ChartLibraries> {
  let libraries: ChartLibraries;
  try {
    const [vega, vegaLite] = await Promise.all([loadModule("vega"), loadModule("vega-lite")]);
    libraries = { vega: exportsOf(vega, "parse") as Vega, vegaLite: exportsOf(vegaLite, "compile") as VegaLite };
  } catch (cause) {
    const what = "charts need vega and vega-lite, which cannot be loaded.";
    throw new ArchiveError(what, { code: "CHARTS_MISSING", hint: HINT, cause });
  }
  const { version } = libraries.vega;
  if (!isVulnerable(version)) return libraries;
  const what = `vega ${version} lets expressions in a specification run arbitrary code (CVE-2025-59840).`;
  throw new ArchiveError(what, { code: "CHARTS_MISSING", hint: HINT });
}

/** The exports of a module. CommonJS modules (vega 5) may have them all in `default`. */
function exportsOf(module: unknown, member: string): unknown {
  const found = module as { readonly default?: unknown; readonly [name: string]: unknown };
  return member in found ? found : found.default;
}

/** The first fixed version of each major version (CVE-2025-59840). */
const FIXED: Readonly<Record<string, readonly [minor: number, patch: number]>> = { 5: [33, 1], 6: [2, 0] };

/**
 * Whether a version of vega lets expressions in a specification run arbitrary code.
 *
 * @example
 * isVulnerable("5.33.0"); //=> true
 */
export function isVulnerable(version: unknown): boolean {
  const [, major = "", minor, patch] = /^(\d{1,9})\.(\d{1,9})\.(\d{1,9})/.exec(String(version)) ?? [];
  const fixed = FIXED[major];
  if (fixed === undefined) return major !== "" && Number(major) < 5;
  return Number(minor) < fixed[0] || (Number(minor) === fixed[0] && Number(patch) < fixed[1]);
}

/** A vega loader that loads nothing. Links may only use http, https and mailto. */
export const safeLoader = {
  load: (): Promise<never> => refuse(),
  http: (): Promise<never> => refuse(),
  file: (): Promise<never> => refuse(),
  /** Returns no `href` for other links. A rejection would be unhandled inside vega. */
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
  return Promise.reject(new Error("charts load nothing"));
}
