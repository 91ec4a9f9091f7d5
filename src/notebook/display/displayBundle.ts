import { inspect } from "node:util";
import { notebookHost } from "../../call/notebookHost.js";
import { ValidationError } from "../../errors/index.js";
import { invalid } from "../../errors/validators.js";
import { pl } from "../../frames/polars.js";
import { pluralize } from "../../util/counts.js";
import { isPromise } from "../../util/isObject.js";
import { type Note, noteOfFrame } from "./caption.js";
import { type DisplayOptions, type DisplaySettings, displaySettings, isWithinDefaults } from "./displayOptions.js";
import { printableLines } from "./displayText.js";
import { tableOf } from "./frameGrid.js";
import { type Grid, gridOf, gridText, type Table } from "./grid.js";
import { gridHtml, ROOT_CLASS } from "./gridHtml.js";
import { interactiveHtml } from "./interactiveHtml.js";
import { customBundle, isSvgElement, type MimeBundle, type SvgElement, svgBundle } from "./mimeBundle.js";

/**
 * Shows a value under the running cell, immediately: for use in loops, or for several values in one cell. Outside
 * of this package's kernel it prints text to the console.
 *
 * Frames are shown as tables, scans and lazy frames as their plan, anything else as text.
 *
 * @param value any value, but not a promise
 * @param options rows, columns, width, wrap, links and interactive of a frame; defaults as set by {@link displayDefaults}
 * @throws ValidationError for an unknown option, and for a promise
 * @example
 * const frame = await archive.mentions("climate", { maxItems: 200 });
 * show(frame);
 * show(frame, { rows: 50, width: 120 });
 * show(frame, { columns: ["begintime", "person", "text"], wrap: true });
 * show(frame, { interactive: true }); // sort, search and page
 */
export function show(value: unknown, options: DisplayOptions = {}): void {
  if (isPromise(value)) throw invalid("value", value, "");
  showBundle(displayBundle(value, options) ?? { "text/plain": typeof value === "string" ? value : inspect(value) });
}

/** {@link show}, under the name that Python notebooks use, and functions for text in other formats. */
export interface Display {
  (value: unknown, options?: DisplayOptions): void;
  /** Shows HTML as it is. Scripts and styles in it run, so escape text that you do not trust. */
  html(html: string): void;
  /** Shows Markdown. */
  markdown(markdown: string): void;
  /** Shows an SVG element, or its text, as a picture. */
  svg(svg: string | { readonly outerHTML: string }): void;
}

/**
 * {@link show}, under the name that Python notebooks use. `display.html`, `display.markdown` and `display.svg` show text of these formats.
 *
 * @throws ValidationError for an unknown option, and for anything that is not text
 * @example
 * display(await archive.mentions("climate"), { columns: ["person", "text"], wrap: true });
 * display.markdown("**500** passages");
 */
export const display: Display = Object.assign((value: unknown, options: DisplayOptions = {}) => show(value, options), {
  html: (html: string) => showBundle({ "text/plain": textOf("html", html), "text/html": html }),
  markdown: (markdown: string) => showBundle({ "text/plain": textOf("markdown", markdown), "text/markdown": markdown }),
  svg: (svg: string | SvgElement) => showBundle(svgBundle(isSvgElement(svg) ? svg.outerHTML : svg)),
});

function showBundle(bundle: MimeBundle): void {
  const { display } = notebookHost();
  if (display === undefined) console.log(String(bundle["text/plain"]));
  else display(bundle);
}

function textOf(name: string, text: unknown): string {
  if (typeof text !== "string") throw invalid(name, text, "Give a text.");
  return text;
}

/**
 * The MIME bundle that a notebook shows for a value: a table for polars and danfo frames and series, the plan for lazy frames and
 * scans (nothing runs), and a value's own bundle if it defines one, as charts do. A list
 * of frames is a list of tables, and an SVG element, for example of Observable Plot, a picture.
 *
 * @param value any value
 * @param options how much of a frame to show; defaults as set by {@link displayDefaults}
 * @returns undefined for any other value; show it as text
 * @throws ValidationError for an unknown option
 * @example
 * displayBundle(frame)?.["text/plain"]; //=> "2 rows × 3 columns\nid  …"
 */
export function displayBundle(value: unknown, options: DisplayOptions = {}): MimeBundle | undefined {
  const settings = displaySettings(options);
  try {
    const table = tableBundle(value, settings);
    if (table !== undefined) return table;
    if (Array.isArray(value)) return frameList(value, settings);
    if (pl.LazyDataFrame.isLazyDataFrame(value) || isScan(value)) return { "text/plain": planText(value) };
    if (isSvgElement(value)) return svgBundle(value.outerHTML);
    return customBundle(value);
  } catch (error) {
    // A chosen column that the frame does not have.
    if (error instanceof ValidationError) throw error;
    // The value only resembles a frame, or its own bundle method throws. Text is better than a failing cell.
    return undefined;
  }
}

function tableBundle(value: unknown, settings: DisplaySettings): MimeBundle | undefined {
  const table = tableOf(value);
  return table && frameBundle(table, noteOfFrame(value, table.height), settings);
}

/** Maximum bytes of HTML; the larger one if the options ask for more than the defaults. */
const MAX_BYTES = 100_000;
const MAX_BYTES_ON_DEMAND = 1_000_000;
/** Maximum bytes below an interactive table. */
const MAX_BYTES_INTERACTIVE = 50_000;
/** Lengths of hover titles, tried in order until the HTML is small enough. */
const TITLE_LENGTHS = [2000, 200, 0];
/** Text tables are narrower, because long lines wrap. */
const TEXT_BOUNDS = { columns: 8, width: 32 };

/**
 * A frame as a table in HTML and in plain text.
 *
 * @param note a caption, shown below the table
 */
function frameBundle(table: Table, note: Note | undefined, settings: DisplaySettings): MimeBundle {
  const isDefault = isWithinDefaults(settings);
  const width = isDefault ? Math.min(settings.width, TEXT_BOUNDS.width) : settings.width;
  const chosen = typeof settings.columns === "number" ? settings.columns : settings.columns.length;
  const maxBytes = settings.interactive ? MAX_BYTES_INTERACTIVE : isDefault ? MAX_BYTES : MAX_BYTES_ON_DEMAND;
  /** Shows less and less of the frame until its HTML fits. */
  const htmlOf = (grid: Grid, shown: DisplaySettings): string => {
    for (const title of TITLE_LENGTHS) {
      const html = gridHtml(grid, note, { ...shown, title });
      if (Buffer.byteLength(html) > maxBytes) continue;
      if (!shown.interactive) return html;
      return interactiveHtml(html, (rows) => gridOf(table, { ...shown, rows }, true), shown);
    }
    const half = Math.ceil(grid.columns.length / 2);
    const columns = typeof shown.columns === "number" ? half : shown.columns.slice(0, half);
    const less = { ...shown, rows: Math.ceil(grid.rows / 2), columns, width: Math.ceil(shown.width / 2) };
    return htmlOf(gridOf(table, less), less);
  };
  const grid = gridOf(table, settings);
  const text = gridText(grid, note?.text, { columns: isDefault ? TEXT_BOUNDS.columns : chosen, width });
  return { "text/plain": text, "text/html": htmlOf(grid, settings) };
}

const MAX_FRAMES = 10;

/**
 * A list of frames as one table below the other, as `Promise.all` returns them. Undefined if the list is empty or contains anything else.
 */
function frameList(values: readonly unknown[], settings: DisplaySettings): MimeBundle | undefined {
  const bundles = values.slice(0, MAX_FRAMES).map((value) => tableBundle(value, settings));
  if (bundles.length === 0 || bundles.includes(undefined)) return undefined;
  const omitted = values.length - bundles.length;
  const more = omitted === 0 ? [] : [`… and ${pluralize(omitted, "more frame", "more frames")}`];
  const texts = bundles.map((bundle) => String(bundle?.["text/plain"]));
  // One style sheet is enough.
  const [first = "", ...others] = bundles.map((bundle) => String(bundle?.["text/html"]));
  const html = [first, ...others.map((each) => each.replace(/<style>[^<]*<\/style>/, ""))].join("");
  const note = more.map((text) => `<div class="af-note">${text}</div>`).join("");
  return {
    "text/plain": [...texts, ...more].join("\n\n"),
    "text/html": `<div class="${ROOT_CLASS}">${html}${note}</div>`,
  };
}

/** A scan, identified by shape: this module does not import `scan`. */
interface ScanLike {
  explain(): string;
  collect(): Promise<unknown>;
}

function isScan(value: unknown): value is ScanLike {
  if (typeof value !== "object" || value === null) return false;
  const { explain, collect, sink } = value as Readonly<Record<string, unknown>>;
  return [explain, collect, sink].every((member) => typeof member === "function");
}

/** The plan of a lazy frame or scan. Nothing is executed. */
function planText(lazy: pl.LazyDataFrame | ScanLike): string {
  if (isScan(lazy)) return printableLines(lazy.explain());
  return `lazy frame, not run yet: await lazy.collect() returns its frame\n${printableLines(lazyPlan(lazy))}`;
}

function lazyPlan(lazy: pl.LazyDataFrame): string {
  try {
    return lazy.describeOptimizedPlan();
  } catch (error) {
    // Planning fails for example if a scanned file or a column is missing.
    return `its plan is invalid: ${error instanceof Error ? error.message : String(error)}`;
  }
}
