import { provenanceOf } from "../../frames/provenanceOf.js";
import { caption } from "./caption.js";
import { danfoGrid, isDanfo } from "./danfoGrid.js";
import { type DisplayOptions, displaySettings } from "./displayOptions.js";
import { frameBundle } from "./frameBundle.js";
import { customBundle, hasCustomBundle, type MimeBundle } from "./mimeBundle.js";
import { isScan, planText } from "./planText.js";
import { isPolarsFrame, isPolarsLazy, isPolarsSeries } from "./polarsColumns.js";
import { polarsGrid, polarsSeriesGrid } from "./polarsGrid.js";

/**
 * The MIME bundle that a notebook shows for a value: a table for polars and danfo frames and series, the plan for lazy frames and
 * scans (nothing runs), and a value's own bundle if it defines one, as charts do.
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
    const found = provenanceOf(value);
    const note = found === undefined ? undefined : caption(found);
    if (isPolarsFrame(value)) return frameBundle((how) => polarsGrid(value, how), note, settings);
    if (isPolarsSeries(value)) return frameBundle((how) => polarsSeriesGrid(value, how), note, settings);
    if (isDanfo(value)) return frameBundle((how) => danfoGrid(value, how), note, settings);
    if (isPolarsLazy(value) || isScan(value)) return { "text/plain": planText(value) };
    return hasCustomBundle(value) ? customBundle(value as object) : undefined;
  } catch {
    // The value only resembles a frame, or its own bundle method throws. Text is better than a failing cell.
    return undefined;
  }
}
