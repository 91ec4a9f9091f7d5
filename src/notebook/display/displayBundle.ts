import { inspect } from "node:util";
import { notebookHost } from "../../call/progress.js";
import { ValidationError } from "../../errors/index.js";
import { invalid } from "../../errors/validators.js";
import { type PolarsFrame, pl } from "../../frames/polars.js";
import { isPromise } from "../../util/objects.js";
import { type Note, noteOfFrame } from "./caption.js";
import { type DisplayOptions, type DisplaySettings, displaySettings } from "./displayOptions.js";
import { printableLines } from "./displayText.js";
import { frameOf, gridOf, heightOf } from "./frameGrid.js";
import { gridHtml } from "./gridHtml.js";
import { gridText } from "./gridText.js";
import { interactiveHtml } from "./interactiveHtml.js";
import { customBundle, type MimeBundle } from "./mimeBundle.js";

/**
 * Shows a value under the running cell: for loops, or several values in one cell. Frames are shown as tables, scans and lazy frames as
 * their plan. Outside of this package's kernel it prints text.
 *
 * @param value any value, but not a promise
 * @example
 * const frame = await archive.mentions("climate", { maxItems: 200 });
 * show(frame, { columns: ["begintime", "person", "text"], wrap: true });
 * show(frame, { interactive: true }); // sort, search and page
 */
export function show(value: unknown, options: DisplayOptions = {}): void {
  if (isPromise(value)) throw invalid("value", value, "");
  const bundle = displayBundle(value, options) ?? { "text/plain": typeof value === "string" ? value : inspect(value) };
  const { display } = notebookHost();
  if (display === undefined) console.log(String(bundle["text/plain"]));
  else display(bundle);
}

/**
 * `show`, under its Python name. For HTML, Markdown and pictures give an object whose method `[Symbol.for("Jupyter.display")]` returns
 * their MIME bundle: `() => ({ "text/markdown": "**bold**" })`.
 */
export const display = show;

/**
 * The MIME bundle that a notebook shows for a value: a table for polars and danfo frames and series, the plan for lazy frames and
 * scans (nothing runs), and a value's own bundle if it defines one, as charts do.
 *
 * @param value any value
 * @param options how much of a frame to show
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
    if (pl.LazyDataFrame.isLazyDataFrame(value) || isScan(value)) return { "text/plain": planText(value) };
    return customBundle(value);
  } catch (error) {
    // A chosen column that the frame does not have.
    if (error instanceof ValidationError) throw error;
    // The value only resembles a frame, or its own bundle method throws. Text is better than a failing cell.
    return undefined;
  }
}

function tableBundle(value: unknown, settings: DisplaySettings): MimeBundle | undefined {
  const table = frameOf(value);
  if (table === undefined) return undefined;
  const { frame, isSeries } = table;
  const note = noteOfFrame(value, heightOf(frame));
  const html = frameHtml(frame, isSeries, note, settings);
  return {
    "text/plain": gridText(frame, settings, isSeries, note?.text),
    "text/html": settings.interactive ? interactiveHtml(html, frame, isSeries, settings) : html,
  };
}

/** Maximum bytes of HTML: with hover titles, and in any case. */
const MAX_TITLED = 100_000;
const MAX_BYTES = 1_000_000;
/** Characters of a hover title. */
const TITLE = 2000;

/** A frame as a static table, with fewer rows if it would be too large for a notebook. */
function frameHtml(frame: PolarsFrame, isSeries: boolean, note: Note | undefined, settings: DisplaySettings): string {
  const grid = gridOf(frame, { ...settings, isSeries });
  const titled = gridHtml(grid, note, { ...settings, title: TITLE });
  if (Buffer.byteLength(titled) <= (settings.interactive ? MAX_TITLED / 2 : MAX_TITLED)) return titled;
  const html = gridHtml(grid, note, { ...settings, title: 0 });
  if (Buffer.byteLength(html) <= MAX_BYTES || grid.rows === 0) return html;
  return frameHtml(frame, isSeries, note, { ...settings, rows: Math.floor(grid.rows / 2) });
}

/** A scan, identified by shape: this module does not import `scan`. */
function isScan(value: unknown): value is { explain(): string } {
  const { explain, collect, sink } = Object(value) as Readonly<Record<string, unknown>>;
  return [explain, collect, sink].every((member) => typeof member === "function");
}

/** The plan of a lazy frame or scan. Nothing is executed. */
function planText(lazy: pl.LazyDataFrame | { explain(): string }): string {
  if (isScan(lazy)) return printableLines(lazy.explain());
  const plan = printableLines(lazy.describeOptimizedPlan());
  return `lazy frame, not run yet: await lazy.collect() returns its frame\n${plan}`;
}
