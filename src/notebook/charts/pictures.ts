import { ArchiveError } from "../../errors/index.js";
import { invalid } from "../../errors/validators.js";

/** The part of @resvg/resvg-js that is used here. */
type ResvgClass = new (
  svg: string,
  options: object,
) => {
  readonly width: number;
  readonly height: number;
  /** Undefined if nothing is drawn. */
  getBBox(): object | undefined;
  render(): { asPng(): Uint8Array };
};

/** Draws SVG as PNG; `scale` is the number of pixels per SVG unit. */
export type DrawPng = (svg: string, scale: number) => Uint8Array;

const LIBRARY_MISSING = "PNG pictures need @resvg/resvg-js, which cannot be loaded.";
const INSTALL_LIBRARY = "Run: npm install @resvg/resvg-js@2";
const FONT_MISSING = "PNG pictures need a font, and this machine has none.";
const INSTALL_FONT = "Install one, for example the package fonts-dejavu-core of your system, or save as .svg.";

/** Classes that found a font: the library reads all fonts of the system for every picture, and so for the probe. */
const withFont = new WeakSet<ResvgClass>();
const PROBE = '<svg xmlns="http://www.w3.org/2000/svg" width="20" height="20"><text y="15">X</text></svg>';

/** The library takes Arial for sans-serif and, where that is missing, any font, often one with serifs. */
const SANS_SERIF = "Arial, Helvetica, Liberation Sans, DejaVu Sans, Noto Sans, sans-serif";

/** Four bytes of memory each. */
const MAX_PIXELS = 32_000_000;

/**
 * Loads the PNG renderer. It draws text with the fonts of the system, and without any would leave it out and report nothing.
 *
 * @throws ArchiveError `CHARTS_MISSING` if the library cannot be loaded, or if the machine has no font
 */
export async function pngLibrary(loadModule = () => import("@resvg/resvg-js" as string)): Promise<DrawPng> {
  let Renderer: ResvgClass;
  try {
    const module = await loadModule();
    Renderer = module.Resvg ?? module.default.Resvg;
  } catch (cause) {
    throw missing(LIBRARY_MISSING, INSTALL_LIBRARY, cause);
  }
  if (!withFont.has(Renderer)) {
    if (new Renderer(PROBE, {}).getBBox() === undefined) throw missing(FONT_MISSING, INSTALL_FONT);
    withFont.add(Renderer);
  }
  return (svg, scale) => {
    // The library would read pictures from local files.
    if (/<(?:\w+:)?image\b/i.test(svg)) throw invalid("path", "PNG", "Charts with images can only be saved as .svg.");
    const text = svg.replace(/(<text\b[^>]*?font-family=)"sans-serif"/g, `$1"${SANS_SERIF}"`);
    const picture = new Renderer(text, { fitTo: { mode: "zoom", value: scale } });
    const pixels = picture.width * picture.height * scale ** 2;
    if (pixels <= MAX_PIXELS) return picture.render().asPng();
    throw invalid("path", "PNG", `${Math.round(pixels)} pixels are too many. Draw a smaller chart, or save as .svg.`);
  };
}

function missing(what: string, hint: string, cause?: unknown): ArchiveError {
  return new ArchiveError(what, { code: "CHARTS_MISSING", hint, cause });
}
