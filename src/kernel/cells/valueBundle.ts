import { inspect } from "node:util";
import type { MimeBundle } from "../../notebook/display/mimeBundle.js";

/**
 * Loads the display code, which loads polars. Deferred until a cell runs, so that the kernel responds sooner. If polars cannot be
 * loaded, everything except frames can still be displayed.
 */
export const loadDisplay = () => import("../../notebook/display/displayBundle.js").catch(() => undefined);

/** The MIME bundle of a value; `cleaned` changes the text of a value that has no bundle of its own. */
export async function valueBundle(value: unknown, cleaned: (text: string) => string): Promise<MimeBundle> {
  const display = await loadDisplay();
  return display?.displayBundle(value) ?? { "text/plain": cleaned(typeof value === "string" ? value : inspect(value)) };
}
