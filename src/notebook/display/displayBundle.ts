import { ValidationError } from "../../errors/index.js";
import { provenanceOf } from "../../frames/provenanceOf.js";
import { caption } from "./caption.js";
import { danfoGrid, isDanfo } from "./danfoGrid.js";
import { type DisplayOptions, type DisplaySettings, displaySettings } from "./displayOptions.js";
import { frameBundle } from "./frameBundle.js";
import { frameList } from "./frameList.js";
import { customBundle, hasCustomBundle, type MimeBundle } from "./mimeBundle.js";
import { isScan, planText } from "./planText.js";
import { isPolarsFrame, isPolarsLazy, isPolarsSeries } from "./polarsColumns.js";
import { polarsGrid, polarsSeriesGrid } from "./polarsGrid.js";
import { isSvgElement, svgBundle } from "./svg.js";

/**
 * The MIME bundle that a notebook shows for a value: a table for polars and danfo frames and series, the plan for lazy frames and
 * scans (nothing runs), and a value's own bundle if it defines one, as charts do. A list
 * of frames is a list of tables, and an SVG element, for example of Observable Plot, a picture.
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
  const bundleOf = (each: unknown) => tableBundle(each, settings);
  try {
    const table = bundleOf(value);
    if (table !== undefined) return table;
    if (Array.isArray(value)) return frameList(value, bundleOf);
    if (isPolarsLazy(value) || isScan(value)) return { "text/plain": planText(value) };
    if (isSvgElement(value)) return svgBundle(value.outerHTML);
    return hasCustomBundle(value) ? customBundle(value as object) : undefined;
  } catch (error) {
    // A chosen column that the frame does not have.
    if (error instanceof ValidationError) throw error;
    // The value only resembles a frame, or its own bundle method throws. Text is better than a failing cell.
    return undefined;
  }
}

/** The table of a frame or a series; undefined for any other value. */
function tableBundle(value: unknown, settings: DisplaySettings): MimeBundle | undefined {
  const found = provenanceOf(value);
  const note = found === undefined ? undefined : caption(found);
  if (isPolarsFrame(value)) return frameBundle((how) => polarsGrid(value, how), note, settings);
  if (isPolarsSeries(value)) return frameBundle((how) => polarsSeriesGrid(value, how), note, settings);
  if (isDanfo(value)) return frameBundle((how) => danfoGrid(value, how), note, settings);
  return undefined;
}
