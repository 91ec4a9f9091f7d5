import { inspect } from "node:util";
import { notebookHost } from "../../call/notebookHost.js";
import { invalid } from "../../errors/validators.js";
import { isPromise } from "../../util/isObject.js";
import { displayBundle } from "./displayBundle.js";
import type { DisplayOptions } from "./displayOptions.js";
import { isSvgElement, type MimeBundle, type SvgElement, svgBundle } from "./mimeBundle.js";

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
