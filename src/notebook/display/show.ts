import { inspect } from "node:util";
import { invalid } from "../../errors/validators.js";
import { displayBundle } from "./displayBundle.js";
import type { DisplayOptions } from "./displayOptions.js";
import { openDisplay } from "./openDisplay.js";

/**
 * Shows a value under the running cell, immediately: for use in loops, or for several values in one cell. Works in this package's
 * kernel, stock tslab and Deno's kernel; elsewhere it prints to the console.
 *
 * Frames are shown as tables, scans and lazy frames as their plan, anything else as text.
 *
 * @param value any value, but not a promise
 * @param options rows, columns and width of a frame; defaults as set by {@link displayDefaults}
 * @throws ValidationError for an unknown option, and for a promise
 * @example
 * const frame = await archive.mentions("climate", { maxItems: 200 });
 * show(frame);
 * show(frame, { rows: 50, width: 120 });
 */
export function show(value: unknown, options: DisplayOptions = {}): void {
  if (isPromise(value)) throw invalid("value", value, "It is a promise. Put await before it.");
  openDisplay(displayBundle(value, options) ?? { "text/plain": typeof value === "string" ? value : inspect(value) });
}

/** Alias of {@link show}, the name that Python notebooks use. */
export const display: typeof show = show;

function isPromise(value: unknown): boolean {
  return typeof value === "object" && value !== null && typeof (value as { then?: unknown }).then === "function";
}
