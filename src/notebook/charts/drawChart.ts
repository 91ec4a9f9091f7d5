import { inspect } from "node:util";
import { invalid } from "../../errors/validators.js";
import { derived } from "../../frames/lineage/derived.js";
import { provenanceOf, setProvenance } from "../../frames/provenanceOf.js";
import { userPath } from "../../fs/userPath.js";
import { outputFile, writeFileAtomic } from "../../fs/writeFileAtomic.js";
import type { Provenance } from "../../service/paging/provenanceRecorder.js";
import { pluralize } from "../../util/counts.js";
import { isObject } from "../../util/isObject.js";
import { clip } from "../../util/quoted.js";
import { alignedLines } from "../../util/tableLines.js";
import { type Note, noteOf } from "../display/caption.js";
import { escapeHtml, printable, printableLines } from "../display/displayText.js";
import { CHART_SVG, JUPYTER_DISPLAY, type MimeBundle } from "../display/mimeBundle.js";
import type { ChartRow } from "./chartData.js";
import { CHART_THEME } from "./chartSeries.js";
import type { ChartSpec } from "./chartSpec.js";
import { type DrawPng, pngLibrary } from "./pictures.js";
import { renderSvg } from "./vega.js";

/** A chart. Viewers show its SVG, or its data as text; JupyterLab renders its specification interactively. */
export class Chart {
  constructor(
    /** The picture as self-contained SVG. */
    readonly svg: string,
    /** The Vega-Lite specification with its data. */
    readonly spec: ChartSpec,
    /** A one-line description. */
    readonly description: string,
    /** The data as a text table, for viewers without pictures; empty if there is none. */
    private readonly table: string = "",
    /** Undefined if the optional PNG library is missing. */
    private readonly drawPng?: DrawPng,
  ) {}

  /** @internal */
  [JUPYTER_DISPLAY](): MimeBundle {
    const text = this.table === "" ? this.toString() : `${this.toString()}\n${this.table}`;
    const spec = { "application/vnd.vegalite.v5+json": this.spec };
    try {
      const png = this.drawPng?.(this.svg, SCALE);
      // All viewers show the PNG; reports read the SVG.
      if (png !== undefined) {
        const picture = Buffer.from(png).toString("base64");
        return { "text/plain": text, [CHART_SVG]: this.svg, "image/png": picture, ...spec };
      }
    } catch {
      // It is too large.
    }
    return { "text/plain": text, "image/svg+xml": this.svg, ...spec };
  }

  /**
   * Writes the picture to an SVG or PNG file, or to an HTML page without scripts. An existing file is replaced. PNG has two pixels per
   * SVG unit, uses the fonts of the system and requires an optional library, which the error names. For PDF, convert the SVG, or give
   * `spec` to a tool such as vl-convert.
   *
   * @param path a path that ends with .svg, .png or .html
   * @returns the path
   * @throws ValidationError for any other extension, and for PNG of more than 32 million pixels
   * @throws ArchiveError if it cannot be written
   * @throws ArchiveError `CHARTS_MISSING` for PNG if the library cannot be loaded or the machine has no font
   * @example
   * await (await mentionsOverTime(frame)).save("climate.png");
   */
  async save(path: string): Promise<string> {
    const target = userPath("path", path, "climate.png");
    const extension = /\.(svg|png|html)$/i.exec(target)?.[1]?.toLowerCase() as keyof typeof writers | undefined;
    const title = escapeHtml(this.description);
    const writers = {
      svg: () => this.svg,
      html: () =>
        `<!doctype html>\n<html lang="en"><meta charset="utf-8"><title>${title}</title>\n${this.svg}\n</html>\n`,
      png: async () => (await pngLibrary())(this.svg, SCALE),
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

/** Pixels per SVG unit, for sharp screens. */
const SCALE = 2;

const SCHEMA = "https://vega.github.io/schema/vega-lite/v5.json";

/** The member of `usermeta`, which Vega-Lite ignores, that says where the data comes from. */
const USERMETA = "archive-frames";

/** Where the data of a stored chart comes from; undefined if it does not say. The notebook may be hostile. */
export function chartNote(spec: unknown): Note | undefined {
  const usermeta = isObject(spec) ? spec.usermeta : undefined;
  const note = isObject(usermeta) ? usermeta[USERMETA] : undefined;
  if (!isObject(note) || typeof note.text !== "string" || !Array.isArray(note.lines)) return undefined;
  return { text: note.text, lines: note.lines.map(String) };
}

/**
 * Draws a checked specification. The same rows and specification give the same bytes.
 *
 * @param source the provenance of the chart, also in the `usermeta` of its specification
 * @param columns the columns of the rows that the text table of the chart shows
 */
export async function drawChart(
  spec: ChartSpec,
  values: readonly ChartRow[],
  source: Provenance | undefined,
  columns: readonly string[] = [],
): Promise<Chart> {
  const usermeta = source && { usermeta: { [USERMETA]: noteOf(source) } };
  const themed = withTheme({ ...(values.length === 0 ? emptyChart(spec, source) : spec), ...usermeta }, values);
  const svg = await renderSvg(themed);
  const drawn = new Chart(
    // Fits into narrow windows; without this, viewers clip it. Values may contain characters that are illegal in XML.
    printableLines(svg.replace("<svg ", '<svg style="max-width:100%;height:auto" ')),
    themed,
    description(spec, values.length),
    columns.length === 0 ? "" : chartTable(values, columns),
    await pngLibrary().catch(() => undefined),
  );
  return setProvenance(drawn, source);
}

/** The provenance of a chart: that of its frames, with a step for the function that drew it; undefined if that of none is known. */
export function chartSource(frames: readonly unknown[], verb: string, text = "charted"): Provenance | undefined {
  const [first, ...others] = frames.map(provenanceOf).filter((provenance) => provenance !== undefined);
  return first && derived(first, { verb, text }, others);
}

/** Axes of nothing would look like a defect. Says where the rows should have come from. */
function emptyChart({ title }: ChartSpec, source: Provenance | undefined): ChartSpec {
  const why = source === undefined ? "The frame has none." : noteOf(source, 0).text;
  const text = (text: string, y: number, fontSize: number) => ({
    data: { values: [{}] },
    mark: { type: "text", text, y, fontSize, color: "#555", limit: CHART_THEME.config.view.continuousWidth },
  });
  return {
    ...(title !== undefined && { title }),
    width: CHART_THEME.config.view.continuousWidth,
    height: 60,
    layer: [text("no rows", 20, 14), text(printable(why), 42, 11)],
  };
}

function withTheme(spec: ChartSpec, values: readonly ChartRow[]): ChartSpec {
  const given = (spec.config ?? {}) as Readonly<Record<string, unknown>>;
  const config: Record<string, unknown> = { ...CHART_THEME.config };
  for (const [name, value] of Object.entries(given)) {
    const own = config[name];
    config[name] = isObject(own) && isObject(value) ? { ...own, ...value } : value;
  }
  return { $schema: SCHEMA, ...CHART_THEME, ...spec, config, data: { values } };
}

function description({ title, mark, description: given }: ChartSpec, rows: number): string {
  const { text = title, subtitle } = (isObject(title) ? title : {}) as { text?: unknown; subtitle?: unknown };
  const { type = mark } = (isObject(mark) ? mark : {}) as { type?: unknown };
  const linesOf = (part: unknown) => [part].flat().filter((line) => typeof line === "string");
  const own = [linesOf(text).join(" "), ...linesOf(subtitle), type === "rect" ? "bar" : type, pluralize(rows, "row")];
  return (given === undefined ? own : [linesOf(given).join(" ")])
    .filter((part) => typeof part === "string")
    .map(printable)
    .filter((part) => part !== "")
    .join(" · ");
}

/** Maximum number of rows, and of characters per cell. */
const MAX_ROWS = 40;
const MAX_WIDTH = 40;

/**
 * The data of a chart as plain text, for viewers that do not show its picture: untrusted notebooks and consoles.
 *
 * @param columns what to show of each row; a column without any text is left out
 */
function chartTable(values: readonly ChartRow[], columns: readonly string[]): string {
  if (values.length === 0) return "";
  const rows = values.slice(0, MAX_ROWS);
  const table = columns.map((name) => {
    const numeric = rows.every(({ [name]: value }) => typeof value === "number" || value === null);
    const texts = rows.map(({ [name]: value }) => (numeric || value !== null ? textOf(value) : "unknown"));
    return { lines: [name, ...texts].map((text) => printable(clip(text, MAX_WIDTH))), numeric };
  });
  const shown = table.filter(({ lines }) => lines.slice(1).some((line) => line !== ""));
  const more = values.length - rows.length;
  return [...alignedLines(shown), ...(more > 0 ? [`… ${pluralize(more, "more row", "more rows")}`] : [])].join("\n");
}

function textOf(value: unknown): string {
  const isFraction = typeof value === "number" && !Number.isInteger(value);
  return String((isFraction ? Number(value.toPrecision(4)) : value) ?? "");
}
