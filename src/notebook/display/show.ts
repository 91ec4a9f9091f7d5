import { inspect } from "node:util";
import { invalid } from "../../errors/validators.js";
import { displayBundle } from "./displayBundle.js";
import type { DisplayOptions } from "./displayOptions.js";
import { openDisplay } from "./openDisplay.js";

/**
 * Shows a value under the cell, now: in a loop, or more than one in a cell. It works in the kernel of this package, in stock
 * tslab and in Deno's kernel; elsewhere the text of the value goes to the console.
 *
 * Frames are tables, scans and lazy frames their plan, everything else is text.
 *
 * @param options rows, columns and width of a frame; default as {@link displayDefaults} says
 * @throws ValidationError for an unknown option, and for a promise
 * @example
 * const frame = await archive.mentions("climate", { maxItems: 200 });
 * show(frame);
 * show(frame, { rows: 50, width: 120 });
 */
export function show(value: unknown, options: DisplayOptions = {}): void {
  if (isPromise(value)) throw invalid("value", value, "It is a promise: put await before it.");
  openDisplay(displayBundle(value, options) ?? { "text/plain": typeof value === "string" ? value : inspect(value) });
}

/** The same as {@link show}, by the name that notebooks of other languages have for it. */
export const display: typeof show = show;

function isPromise(value: unknown): boolean {
  return typeof value === "object" && value !== null && typeof (value as { then?: unknown }).then === "function";
}
