import { ArchiveError } from "../../errors/index.js";
import { invalid } from "../../errors/validators.js";

/** The part of @resvg/resvg-js that is used here. */
export interface Resvg {
  readonly width: number;
  readonly height: number;
  /** Undefined if nothing is drawn. */
  getBBox(): object | undefined;
  render(): { asPng(): Uint8Array };
}

type ResvgClass = new (svg: string, options: object) => Resvg;

/** Draws SVG as PNG; `scale` is the number of pixels per SVG unit. */
export type DrawPng = (svg: string, scale: number) => Uint8Array;

const HINT = "Run: npm install @resvg/resvg-js@2";

/** The optional library. Not typed by it, so that the package compiles without it. */
const load = (): Promise<unknown> => import("@resvg/resvg-js" as string);

/**
 * Loads the optional PNG renderer. It draws text with the fonts of the system.
 *
 * @throws ArchiveError `CHARTS_MISSING` if the library cannot be loaded, or if the machine has no font
 */
export async function pngLibrary(loadModule: () => Promise<unknown> = load): Promise<DrawPng> {
  let Renderer: ResvgClass;
  try {
    const module = (await loadModule()) as { Resvg?: ResvgClass; default?: { Resvg?: ResvgClass } };
    Renderer = (module.Resvg ?? module.default?.Resvg) as ResvgClass;
    if (Renderer === undefined) throw new TypeError("the module has no export Resvg");
  } catch (cause) {
    const what = "PNG pictures need @resvg/resvg-js, which cannot be loaded.";
    throw new ArchiveError(what, { code: "CHARTS_MISSING", hint: HINT, cause });
  }
  if (!drawsText(Renderer)) {
    const hint = "Install one, for example the package fonts-dejavu-core of your system, or save as .svg.";
    throw new ArchiveError("PNG pictures need a font, and this machine has none.", { code: "CHARTS_MISSING", hint });
  }
  return (svg, scale) => drawPng(Renderer, svg, scale);
}

/** Classes that found a font: the library reads all fonts of the system for every picture, and so for the probe. */
const withFont = new WeakSet<ResvgClass>();

/** Whether the library finds a font. Without one it leaves text out and reports nothing. */
function drawsText(Renderer: ResvgClass): boolean {
  if (withFont.has(Renderer)) return true;
  if (new Renderer(PROBE, {}).getBBox() === undefined) return false;
  withFont.add(Renderer);
  return true;
}

const PROBE = '<svg xmlns="http://www.w3.org/2000/svg" width="20" height="20"><text y="15">X</text></svg>';

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
