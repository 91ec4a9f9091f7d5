import { inspect } from "node:util";
import { ArchiveError } from "../../errors/index.js";
import { invalid } from "../../errors/validators.js";
import type { PolarsFrame } from "../../frames/polars.js";
import { setProvenance } from "../../frames/provenanceOf.js";
import { userPath } from "../../fs/paths.js";
import { outputFile, writeFileAtomic } from "../../fs/writeFileAtomic.js";
import type { Provenance } from "../../service/paging/provenanceRecorder.js";
import { isObject } from "../../util/objects.js";
import { pluralize } from "../../util/text.js";
import { noteOf } from "../display/caption.js";
import { displaySettings } from "../display/displayOptions.js";
import { escapeHtml, printable, printableLines } from "../display/displayText.js";
import { pictureHtml } from "../display/gridHtml.js";
import { gridText } from "../display/gridText.js";
import { JUPYTER_DISPLAY, type MimeBundle } from "../display/mimeBundle.js";
import type { ChartRow } from "./chartRows.js";
import type { ChartSpec } from "./chartSpec.js";
import { CONFIG, LOOK, renderSvg } from "./vega.js";

/** A chart. Notebooks show its picture, consoles its data as text. */
export class Chart {
  readonly #bundle: MimeBundle;

  /** @internal */
  constructor(
    /** The picture as self-contained SVG. */
    readonly svg: string,
    /** The Vega-Lite specification with its data, for other tools that draw it. */
    readonly spec: ChartSpec,
    /** A one-line description. */
    readonly description: string,
    bundle: MimeBundle,
  ) {
    this.#bundle = bundle;
  }

  /** @internal */
  [JUPYTER_DISPLAY](): MimeBundle {
    return this.#bundle;
  }

  /**
   * Writes the picture to an SVG or PNG file, or to an HTML page without scripts. PNG has two pixels per SVG unit and requires an optional
   * library, which the error names. For PDF, see the recipes.
   *
   * @param path a file ending in `.svg`, `.png` or `.html`
   * @returns the path
   * @throws ValidationError for another extension; ArchiveError if the library is missing or the file cannot be written
   * @example
   * await (await chart(frame, { mark: "bar", x: "party", y: "count()" })).save("parties.png");
   */
  async save(path: string): Promise<string> {
    const target = userPath("path", path, "climate.png");
    const extension = /\.(svg|png|html)$/i.exec(target)?.[1]?.toLowerCase() as keyof typeof writers | undefined;
    const title = escapeHtml(this.description);
    const writers = {
      svg: () => this.svg,
      html: () =>
        `<!doctype html>\n<html lang="en"><meta charset="utf-8"><title>${title}</title>\n${this.svg}\n</html>\n`,
      png: () => pngOf(this.svg),
    };
    if (extension === undefined) throw invalid("path", path, "Give a path that ends with .svg, .png or .html.");
    writeFileAtomic(outputFile(target), await writers[extension]());
    return target;
  }

  /** The chart in words, for a console. */
  toString(): string {
    return `Chart: ${this.description}`;
  }

  [inspect.custom](): string {
    return this.toString();
  }
}

const SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json";

/**
 * Draws a specification whose encodings are written out. The same rows and specification give the same bytes.
 *
 * @param source the provenance of the chart
 */
export async function drawChart(
  spec: ChartSpec,
  frame: PolarsFrame,
  rows: readonly ChartRow[],
  source: Provenance | undefined,
): Promise<Chart> {
  const note = source && noteOf(source, rows.length);
  const views = rows.length === 0 ? emptyChart(spec, note?.text ?? "The frame has none.") : spec;
  const config = { ...CONFIG, ...(isObject(spec.config) ? spec.config : {}) };
  const drawn = { $schema: SCHEMA, ...LOOK, ...views, config, data: { values: rows.length === 0 ? [{}] : rows } };
  const svg = await renderSvg(drawn);
  // Fits into narrow windows; without this, viewers clip it. Values may contain characters that are illegal in XML.
  const picture = printableLines(svg.replace("<svg ", '<svg style="max-width:100%;height:auto" '));
  const words = descriptionOf(spec, rows.length);
  const columns = Object.keys(rows[0] ?? {});
  const table = columns.length === 0 ? "" : `\n${gridText(frame, displaySettings({ columns }), false, note?.text)}`;
  const bundle = { "text/plain": `Chart: ${words}${table}`, "text/html": pictureHtml(picture, words, note) };
  return setProvenance(new Chart(picture, drawn, words, bundle), source);
}

/** Axes of nothing would look like a defect. Says where the rows should have come from. */
function emptyChart({ title }: ChartSpec, source: string): ChartSpec {
  const mark = { type: "text", text: ["no rows", printable(source)], color: "#555", limit: 600 };
  return { ...(title !== undefined && { title }), width: 600, height: 60, mark };
}

/** `Mentions by month · bar · 120 rows` */
function descriptionOf({ title, mark }: ChartSpec, rows: number): string {
  const { text = title, subtitle } = isObject(title) ? title : {};
  const type = isObject(mark) ? mark.type : mark;
  const parts = [text, subtitle, type].flat().filter((part) => part !== undefined);
  return [...parts, pluralize(rows, "row")].map((part) => printable(String(part))).join(" · ");
}

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
