import { ArchiveError } from "../../errors/index.js";
import type { VegaView } from "./vegaLibrary.js";

/** The part of @napi-rs/canvas that is used here. */
interface CanvasLibrary {
  readonly GlobalFonts: { readonly families: readonly unknown[] };
  readonly PDFDocument: new (
    metadata: object,
  ) => { beginPage(width: number, height: number): object; endPage(): void; close(): Uint8Array };
}

/** The optional library. Not typed by it, so that the package compiles without it. */
const load = (): Promise<unknown> => import("@napi-rs/canvas" as string);

/**
 * Loads the optional PDF writer, which embeds fonts of the system.
 *
 * @returns draws a chart of the size of its SVG on a page of its own
 * @throws ArchiveError `CHARTS_MISSING` if the library cannot be loaded, or if the machine has no font
 */
export async function pdfLibrary(
  loadModule = load,
): Promise<(view: VegaView, svg: string, title: string) => Promise<Uint8Array>> {
  let library: CanvasLibrary;
  try {
    library = (await loadModule()) as CanvasLibrary;
  } catch (cause) {
    const what = "PDF pictures need @napi-rs/canvas, which cannot be loaded.";
    throw new ArchiveError(what, { code: "CHARTS_MISSING", hint: "Run: npm install @napi-rs/canvas@1", cause });
  }
  if (library.GlobalFonts.families.length === 0) {
    const hint = "Install one, for example the package fonts-dejavu-core of your system, or save as .svg.";
    throw new ArchiveError("PDF pictures need a font, and this machine has none.", { code: "CHARTS_MISSING", hint });
  }
  return async (view, svg, title) => {
    const [width = 0, height = 0] = /width="(\d+)" height="(\d+)"/.exec(svg)?.slice(1).map(Number) ?? [];
    const pdf = new library.PDFDocument({ title, creator: "archive-frames" });
    await view.toCanvas(1, { externalContext: pdf.beginPage(width, height) });
    pdf.endPage();
    return pdf.close();
  };
}
