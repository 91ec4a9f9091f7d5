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
 * How a notebook shows a value: frames and series of polars and danfo as tables, lazy frames and scans as their plan
 * (nothing is run), and whatever says itself how it wants to be shown, charts among them.
 *
 * @param options how much of a frame is shown; what is not given is as {@link displayDefaults} says
 * @returns undefined for any other value, which is then shown as text
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
    // It only looked like one, or its own way to show itself fails: text is better than a failing cell.
    return undefined;
  }
}
