import { ArchiveError } from "../../errors/index.js";
import { invalid } from "../../errors/validators.js";
import { parsedUrl } from "../../service/http/url.js";

// The libraries are optional and loaded on first use. They are typed here, so that the package compiles without them.

function missing(what: string, hint: string, cause?: unknown): ArchiveError {
  return new ArchiveError(what, { code: "CHARTS_MISSING", hint, cause });
}

async function loaded<T>(what: string, packages: string, load: () => Promise<unknown>): Promise<T> {
  try {
    return (await load()) as T;
  } catch (cause) {
    const names = packages.replaceAll(/(?<=\w)@\d+/g, "").replace(" ", " and ");
    throw missing(`${what} need ${names}, which cannot be loaded.`, `Run: npm install ${packages}`, cause);
  }
}

function withoutFont(what: string): ArchiveError {
  const hint = "Install one, for example the package fonts-dejavu-core of your system, or save as .svg.";
  return missing(`${what} need a font, and this machine has none.`, hint);
}

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

type LoadModule = (name: "vega" | "vega-lite") => Promise<unknown>;

const VEGA = "vega@6 vega-lite@6";

/** Literal names, because bundlers cannot follow `import(name)`. */
const load: LoadModule = (name) => (name === "vega" ? import("vega") : import("vega-lite"));

/** @throws ArchiveError `CHARTS_MISSING` if vega or vega-lite cannot be loaded or is vulnerable */
export async function vegaLibrary(loadModule: LoadModule = load): Promise<{ vega: Vega; vegaLite: VegaLite }> {
  const [vega, vegaLite] = await loaded<[Vega, VegaLite]>("charts", VEGA, () =>
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

/** The part of @resvg/resvg-js that is used here. */
interface Resvg {
  readonly width: number;
  readonly height: number;
  /** Undefined if nothing is drawn. */
  getBBox(): object | undefined;
  render(): { asPng(): Uint8Array };
}

type ResvgClass = new (svg: string, options: object) => Resvg;

/** Draws SVG as PNG; `scale` is the number of pixels per SVG unit. */
export type DrawPng = (svg: string, scale: number) => Uint8Array;

/** Classes that found a font: the library reads all fonts of the system for every picture, and so for the probe. */
const withFont = new WeakSet<ResvgClass>();
const PROBE = '<svg xmlns="http://www.w3.org/2000/svg" width="20" height="20"><text y="15">X</text></svg>';

/**
 * Loads the PNG renderer. It draws text with the fonts of the system, and without any would leave it out and report nothing.
 *
 * @throws ArchiveError `CHARTS_MISSING` if the library cannot be loaded, or if the machine has no font
 */
export async function pngLibrary(loadModule = () => import("@resvg/resvg-js" as string)): Promise<DrawPng> {
  const Renderer = await loaded<ResvgClass>("PNG pictures", "@resvg/resvg-js@2", async () => {
    const module = await loadModule();
    return module.Resvg ?? module.default.Resvg;
  });
  if (!withFont.has(Renderer)) {
    if (new Renderer(PROBE, {}).getBBox() === undefined) throw withoutFont("PNG pictures");
    withFont.add(Renderer);
  }
  return (svg, scale) => drawPng(Renderer, svg, scale);
}

/** Four bytes of memory each. */
const MAX_PIXELS = 32_000_000;

function drawPng(Renderer: ResvgClass, svg: string, scale: number): Uint8Array {
  // The library would read pictures from local files.
  if (/<(?:\w+:)?image\b/i.test(svg)) throw invalid("path", "PNG", "Charts with images can only be saved as .svg.");
  const picture = new Renderer(withSansSerif(svg), { fitTo: { mode: "zoom", value: scale } });
  const pixels = picture.width * picture.height * scale ** 2;
  if (!(pixels <= MAX_PIXELS)) {
    throw invalid("path", "PNG", `${Math.round(pixels)} pixels are too many. Draw a smaller chart, or save as .svg.`);
  }
  return picture.render().asPng();
}

/** The library takes Arial for sans-serif and, where that is missing, any font, often one with serifs. */
function withSansSerif(svg: string): string {
  const families = "Arial, Helvetica, Liberation Sans, DejaVu Sans, Noto Sans, sans-serif";
  return svg.replace(/(<text\b[^>]*?font-family=)"sans-serif"/g, `$1"${families}"`);
}

/** The part of @napi-rs/canvas that is used here. */
interface CanvasLibrary {
  readonly GlobalFonts: { readonly families: readonly unknown[] };
  readonly PDFDocument: new (
    metadata: object,
  ) => { beginPage(width: number, height: number): object; endPage(): void; close(): Uint8Array };
}

/**
 * Loads the PDF writer, which embeds fonts of the system.
 *
 * @returns draws a chart of the size of its SVG on a page of its own
 * @throws ArchiveError `CHARTS_MISSING` if the library cannot be loaded, or if the machine has no font
 */
export async function pdfLibrary(
  loadModule: () => Promise<unknown> = () => import("@napi-rs/canvas" as string),
): Promise<(view: VegaView, svg: string, title: string) => Promise<Uint8Array>> {
  const library = await loaded<CanvasLibrary>("PDF pictures", "@napi-rs/canvas@1", loadModule);
  if (library.GlobalFonts.families.length === 0) throw withoutFont("PDF pictures");
  return async (view, svg, title) => {
    const [width = 0, height = 0] = /width="(\d+)" height="(\d+)"/.exec(svg)?.slice(1).map(Number) ?? [];
    const pdf = new library.PDFDocument({ title, creator: "archive-frames" });
    await view.toCanvas(1, { externalContext: pdf.beginPage(width, height) });
    pdf.endPage();
    return pdf.close();
  };
}
