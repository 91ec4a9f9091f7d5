import { inspect } from "node:util";

/** One thing in several forms, by MIME type; a viewer takes the best that it knows. There is always `text/plain`. */
export type MimeBundle = Record<string, unknown>;

/** What notebooks ask a value for its bundle by. */
export const JUPYTER_DISPLAY: unique symbol = Symbol.for("Jupyter.display");

// VS Code shows nothing at all where this type is there, whatever else there is.
const LEFT_OUT = new Set(["application/vnd.dataresource+json"]);

/** Whether a value says itself how it wants to be shown. */
export function hasOwnBundle(value: unknown): boolean {
  return typeof method(value) === "function";
}

/**
 * The bundle that a value gives for itself, as it can travel: JSON through and through (a bigint becomes a number where
 * that is exact, and text elsewhere), with `text/plain`. Undefined where it gives none, or a promise of one.
 */
export function ownBundle(value: object): MimeBundle | undefined {
  const given = method(value)?.call(value);
  if (typeof given !== "object" || given === null || typeof (given as { then?: unknown }).then === "function") {
    return undefined;
  }
  const kept = Object.entries(given).filter(([type]) => !LEFT_OUT.has(type));
  const bundle = asJson(Object.fromEntries(kept));
  if (Object.keys(bundle).length === 0) return undefined;
  return "text/plain" in bundle ? bundle : { ...bundle, "text/plain": inspect(value) };
}

function method(value: unknown): ((this: unknown) => unknown) | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const found = (value as { readonly [name: symbol]: unknown })[JUPYTER_DISPLAY];
  return typeof found === "function" ? (found as (this: unknown) => unknown) : undefined;
}

function asJson(bundle: MimeBundle): MimeBundle {
  const text = JSON.stringify(bundle, (_name, part: unknown) => {
    if (typeof part !== "bigint") return part;
    return Number.isSafeInteger(Number(part)) ? Number(part) : String(part);
  });
  return JSON.parse(text) as MimeBundle;
}
