import { invalid } from "../../errors/validators.js";
import { missing, optional } from "./optionalLibrary.js";
import type { VegaView } from "./vega.js";

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

const NO_FONT = "pictures need a font, and this machine has none.";
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
  const Renderer = await optional<ResvgClass>("PNG pictures", "@resvg/resvg-js@2", async () => {
    const module = await loadModule();
    return module.Resvg ?? module.default.Resvg;
  });
  if (!withFont.has(Renderer)) {
    if (new Renderer(PROBE, {}).getBBox() === undefined) throw missing(`PNG ${NO_FONT}`, INSTALL_FONT);
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
  const library = await optional<CanvasLibrary>("PDF pictures", "@napi-rs/canvas@1", loadModule);
  if (library.GlobalFonts.families.length === 0) throw missing(`PDF ${NO_FONT}`, INSTALL_FONT);
  return async (view, svg, title) => {
    const [width = 0, height = 0] = /width="(\d+)" height="(\d+)"/.exec(svg)?.slice(1).map(Number) ?? [];
    const pdf = new library.PDFDocument({ title, creator: "archive-frames" });
    await view.toCanvas(1, { externalContext: pdf.beginPage(width, height) });
    pdf.endPage();
    return pdf.close();
  };
}
