import { inspect } from "node:util";
import { invalid } from "../../errors/validators.js";
import type { PolarsFrame } from "../../frames/polars.js";
import { setProvenance } from "../../frames/provenanceOf.js";
import { userPath } from "../../fs/userPath.js";
import { outputFile, writeFileAtomic } from "../../fs/writeFileAtomic.js";
import type { Provenance } from "../../service/paging/provenanceRecorder.js";
import { pluralize } from "../../util/counts.js";
import { isObject } from "../../util/isObject.js";
import { noteOf } from "../display/caption.js";
import { displaySettings } from "../display/displayOptions.js";
import { escapeHtml, printable, printableLines } from "../display/displayText.js";
import { pictureHtml } from "../display/gridHtml.js";
import { gridText } from "../display/gridText.js";
import { JUPYTER_DISPLAY, type MimeBundle } from "../display/mimeBundle.js";
import type { ChartRow } from "./chartRows.js";
import type { ChartSpec } from "./chartSpec.js";
import { pngOf } from "./png.js";
import { CONFIG, LOOK } from "./theme.js";
import { renderSvg } from "./vega.js";

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
