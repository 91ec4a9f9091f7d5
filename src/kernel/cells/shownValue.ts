import { inspect } from "node:util";
import { hasCustomBundle, type MimeBundle } from "../../notebook/display/mimeBundle.js";
import type { CellPositions } from "./cellPositions.js";
import { withoutKernel } from "./stackFrames.js";

/**
 * Loads how frames are shown, and polars with it: not before a cell runs, for the kernel is to answer first. Without polars
 * there are no frames, but numbers still.
 */
export const loadDisplay = () => import("../../notebook/display/displayBundle.js").catch(() => undefined);

/**
 * What is shown of the last expression of a cell; undefined for nothing. A promise shows what it becomes, unless it says
 * itself how it wants to be shown.
 */
export async function shownValue(value: unknown, positions: CellPositions): Promise<MimeBundle | undefined> {
  const found = hasCustomBundle(value) ? value : await value;
  if (found === undefined || found === null) return undefined;
  const display = await loadDisplay();
  return display?.displayBundle(found) ?? { "text/plain": positions.map(withoutKernel(textOf(found))) };
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : inspect(value);
}
