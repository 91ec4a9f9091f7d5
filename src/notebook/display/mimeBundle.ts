import { inspect } from "node:util";
import { isPromise } from "../../util/objects.js";
import { escapeHtml, printable } from "./displayText.js";

/** One value in several formats, keyed by MIME type; a viewer picks the richest it supports. `text/plain` is always present. */
export type MimeBundle = Record<string, unknown>;

/** An output that is on screen and can be replaced. */
export interface DisplayHandle {
  /** Replaces the output in place. */
  update(bundle: MimeBundle): void;
}

/** Shows a bundle and returns a handle to replace it. */
export type OpenDisplay = (bundle: MimeBundle) => DisplayHandle;

/** A warning, as a note below a cell. */
export function noteBundle(...texts: readonly string[]): MimeBundle {
  const lines = texts.map(printable);
  const style = "margin:4px 0;padding:2px 8px;border-left:3px solid #b58900;max-width:80ch";
  return {
    "text/plain": `Note: ${lines.join("\n")}`,
    "text/html": `<p role="note" style="${style}">${lines.map(escapeHtml).join("<br>")}</p>`,
  };
}

/** The method that notebooks call to get a value's bundle. */
export const JUPYTER_DISPLAY: unique symbol = Symbol.for("Jupyter.display");

export function hasCustomBundle(value: unknown): boolean {
  return bundleMethod(value) !== undefined;
}

function bundleMethod(value: unknown): ((this: unknown) => unknown) | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const method = (value as { readonly [name: symbol]: unknown })[JUPYTER_DISPLAY];
  return typeof method === "function" ? (method as (this: unknown) => unknown) : undefined;
}

/**
 * The bundle that a value defines for itself, made JSON-safe (a bigint becomes a number if that is exact, otherwise a
 * string), with `text/plain` added. Undefined if it defines none, or returns no bundle or a promise.
 */
export function customBundle(value: unknown): MimeBundle | undefined {
  const result = bundleMethod(value)?.call(value);
  if (typeof result !== "object" || result === null || isPromise(result)) return undefined;
  const json = JSON.stringify(result, (_name, part: unknown) => {
    if (typeof part !== "bigint") return part;
    return Number.isSafeInteger(Number(part)) ? Number(part) : String(part);
  });
  const bundle = JSON.parse(json) as MimeBundle;
  if (Object.keys(bundle).length === 0) return undefined;
  return "text/plain" in bundle ? bundle : { ...bundle, "text/plain": inspect(value) };
}
