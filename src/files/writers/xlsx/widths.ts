import type { pl } from "../../../frames/polars.js";
import type { Column } from "./columns.js";

const NARROWEST = 8;
const WIDEST = 60;
/** Rows that are looked at. */
const SAMPLE = 100;
/** Room of the button of the filter. */
const BUTTON = 3;

/** How wide a column is to be, in characters, by its name and the first values of a series. */
export function widthOf(column: Column, series: pl.Series): number {
  const sample = series.slice(0, Math.min(SAMPLE, series.length));
  const widest = Math.max(column.name.length + BUTTON, column.width(sample) + 1);
  return Math.min(Math.max(widest, NARROWEST), WIDEST);
}
