import { inspect } from "node:util";
import { hasCustomBundle, type MimeBundle } from "../../notebook/display/mimeBundle.js";
import { withoutKernelFrames } from "./cellFailure.js";
import type { CellPositions } from "./cellPositions.js";

/**
 * Loads the display code, which loads polars. Deferred until a cell runs, so that the kernel responds sooner. If polars cannot be
 * loaded, everything except frames can still be displayed.
 */
export const loadDisplay = () => import("../../notebook/display/displayBundle.js").catch(() => undefined);

/**
 * The MIME bundle of a cell's last expression; undefined for null and undefined. A promise is awaited unless it brings its own
 * bundle.
 *
 * @param always also show null and undefined
 */
export async function resultBundle(
  value: unknown,
  positions: CellPositions,
  always: boolean,
): Promise<MimeBundle | undefined> {
  const result = hasCustomBundle(value) ? value : await value;
  if ((result === undefined || result === null) && !always) return undefined;
  const display = await loadDisplay();
  return (
    display?.displayBundle(result) ?? {
      "text/plain": positions.toCellPositions(withoutKernelFrames(plainText(result))),
    }
  );
}

function plainText(value: unknown): string {
  return typeof value === "string" ? value : inspect(value);
}
