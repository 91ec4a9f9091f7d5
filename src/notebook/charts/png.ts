import { ArchiveError } from "../../errors/index.js";

/** The part of @resvg/resvg-js that is used here. */
type ResvgClass = new (
  svg: string,
  options: object,
) => {
  /** Undefined if nothing is drawn. */
  getBBox(): object | undefined;
  render(): { asPng(): Uint8Array };
};

/** Pixels per SVG unit, for sharp screens. */
const SCALE = 2;

const PROBE = '<svg xmlns="http://www.w3.org/2000/svg" width="20" height="20"><text y="15">X</text></svg>';

/**
 * Draws SVG as PNG, with the fonts of the system.
 *
 * @throws ArchiveError `CHARTS_MISSING` if the library cannot be loaded, or if the machine has no font: text would be left out
 */
export async function pngOf(svg: string, loadModule = () => import("@resvg/resvg-js" as string)): Promise<Uint8Array> {
  let Renderer: ResvgClass;
  try {
    const module = await loadModule();
    Renderer = module.Resvg ?? module.default.Resvg;
  } catch (cause) {
    const hint = "Run: npm install @resvg/resvg-js@2";
    throw missing("PNG pictures need @resvg/resvg-js, which cannot be loaded.", hint, cause);
  }
  if (new Renderer(PROBE, {}).getBBox() === undefined) {
    const hint = "Install one, for example the package fonts-dejavu-core of your system, or save as .svg.";
    throw missing("PNG pictures need a font, and this machine has none.", hint);
  }
  return new Renderer(svg, { fitTo: { mode: "zoom", value: SCALE } }).render().asPng();
}

function missing(what: string, hint: string, cause?: unknown): ArchiveError {
  return new ArchiveError(what, { code: "CHARTS_MISSING", hint, cause });
}
