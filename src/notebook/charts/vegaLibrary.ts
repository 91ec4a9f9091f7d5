import { ArchiveError } from "../../errors/index.js";
import { parsedUrl } from "../../service/http/url.js";

/** The part of vega that is used here. */
export interface Vega {
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

interface ChartLibraries {
  readonly vega: Vega;
  readonly vegaLite: VegaLite;
}

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
    libraries = { vega: vega as Vega, vegaLite: vegaLite as VegaLite };
  } catch (cause) {
    const what = "charts need vega and vega-lite, which cannot be loaded.";
    throw new ArchiveError(what, { code: "CHARTS_MISSING", hint: HINT, cause });
  }
  const { version } = libraries.vega;
  if (!isVulnerable(version)) return libraries;
  const what = `vega ${version} may let expressions in a specification run arbitrary code (CVE-2025-59840).`;
  throw new ArchiveError(what, { code: "CHARTS_MISSING", hint: HINT });
}

/**
 * Whether a version of vega lets expressions in a specification run arbitrary code (CVE-2025-59840). Version 5 nests a package in the range
 * of the vulnerable ones, so only 6.2 and later will do.
 */
export function isVulnerable(version: unknown): boolean {
  const [, major, minor] = /^(\d{1,9})\.(\d{1,9})/.exec(String(version)) ?? [];
  return Number(major) < 6 || (Number(major) === 6 && Number(minor) < 2);
}

const LINKS = new Set<string | undefined>(["http:", "https:", "mailto:"]);

/** A vega loader that loads nothing. Links may only use http, https and mailto. */
export const safeLoader = {
  load: (): Promise<never> => refuse(),
  http: (): Promise<never> => refuse(),
  file: (): Promise<never> => refuse(),
  /** Returns no `href` for other links. A rejection would be unhandled inside vega. */
  sanitize: (uri: unknown, { context }: { context?: string } = {}): Promise<{ href?: string }> =>
    Promise.resolve(
      context === "href" && typeof uri === "string" && LINKS.has(parsedUrl(uri)?.protocol) ? { href: uri } : {},
    ),
};

function refuse(): Promise<never> {
  return Promise.reject(new Error("charts load nothing"));
}
