import type { PolarsFrame, pl } from "../../frames/polars.js";
import { floatCell, valueCell } from "./cellText.js";
import type { DisplaySettings } from "./displayOptions.js";
import { dtypeLabel, isNumeric } from "./dtypeLabel.js";
import {
  alignKeywords,
  type Cell,
  columnWindow,
  type Grid,
  type GridColumn,
  pluralize,
  rowWindow,
  shapeText,
  type VisibleRange,
} from "./grid.js";
import { columnNames, columnOf } from "./polarsColumns.js";
import { polarsValues } from "./polarsValues.js";

/** Timestamps without zone; the dtype shows it. */
const TIMESTAMP_FORMAT = "%Y-%m-%d %H:%M:%S%.f";

/** The grid of a polars frame. */
export function polarsGrid(frame: PolarsFrame, { rows, columns }: DisplaySettings): Grid {
  const names = columnNames(frame);
  const height = names.length === 0 ? 0 : columnOf(frame, names[0] as string).length;
  const down = rowWindow(height, rows);
  const across = columnWindow(names, columns);
  const sliced = windowRows(frame, names, down);
  const shown = across.shown.map((name) => {
    const series = columnOf(sliced ?? frame, name);
    return gridColumn(name, sliced === undefined ? windowValues(series, down.positions) : series);
  });
  return {
    shape: shapeText(height, names.length),
    columns: alignKeywords(shown),
    rows: down.positions.length,
    rowGap: down.gap,
    columnGap: across.gap,
  };
}

/** The grid of a polars series: one column. */
export function polarsSeriesGrid(series: pl.Series, { rows }: DisplaySettings): Grid {
  const { positions, gap } = rowWindow(series.length, rows);
  return {
    shape: pluralize(series.length, "value"),
    columns: [gridColumn(series.name, windowValues(series, positions))],
    rows: positions.length,
    rowGap: gap,
    columnGap: undefined,
  };
}

/** Frame members used below. A column of the same name shadows them. */
const USED_MEMBERS = ["head", "tail", "vstack", "inner"];

/** Slices the frame, since slicing each series costs a millisecond; undefined if a column shadows a frame member. */
function windowRows(
  frame: PolarsFrame,
  names: readonly string[],
  { positions, gap }: VisibleRange,
): PolarsFrame | undefined {
  if (names.some((name) => USED_MEMBERS.includes(name))) return undefined;
  return gap === undefined ? frame : frame.head(gap).vstack(frame.tail(positions.length - gap));
}

function windowValues(series: pl.Series, positions: readonly number[]): pl.Series {
  return positions.length === series.length ? series : series.gather([...positions]);
}

function gridColumn(name: string, series: pl.Series): GridColumn {
  const { dtype } = series;
  return { name, dtype: dtypeLabel(dtype), numeric: isNumeric(dtype), cells: cellsOf(series, dtype.variant) };
}

function cellsOf(series: pl.Series, variant: string): Array<Cell | null> {
  try {
    return polarsValues(series, TIMESTAMP_FORMAT).map(variant.startsWith("Float") ? floatCell : valueCell);
  } catch {
    // The dtype has no JavaScript values: only mark which cells are not null.
    return [...series.isNull().toArray()].map((missing) => (missing ? null : { text: "?" }));
  }
}
