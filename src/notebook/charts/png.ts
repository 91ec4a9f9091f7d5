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

/** Pixels per SVG unit, for sharp screens. */
const SCALE = 2;

/** Four bytes of memory each. */
const MAX_PIXELS = 32_000_000;

const PROBE = '<svg xmlns="http://www.w3.org/2000/svg" width="20" height="20"><text y="15">X</text></svg>';

/** The library takes Arial for sans-serif and, where that is missing, any font, often one with serifs. */
const SANS_SERIF = "Arial, Helvetica, Liberation Sans, DejaVu Sans, Noto Sans, sans-serif";

/**
 * Draws SVG as PNG, with the fonts of the system.
 *
 * @throws ArchiveError `CHARTS_MISSING` if the library cannot be loaded, or if the machine has no font: text would be left out
 * @throws ValidationError for a picture of more than 32 million pixels
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
  const text = svg.replace(/(<text\b[^>]*?font-family=)"sans-serif"/g, `$1"${SANS_SERIF}"`);
  const picture = new Renderer(text, { fitTo: { mode: "zoom", value: SCALE } });
  const pixels = picture.width * picture.height * SCALE ** 2;
  if (pixels <= MAX_PIXELS) return picture.render().asPng();
  throw invalid("path", "PNG", `${Math.round(pixels)} pixels are too many. Draw a smaller chart, or save as .svg.`);
}

function missing(what: string, hint: string, cause?: unknown): ArchiveError {
  return new ArchiveError(what, { code: "CHARTS_MISSING", hint, cause });
}
