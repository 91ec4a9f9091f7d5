import { floatCell, valueCell } from "./cellText.js";
import type { DisplaySettings } from "./displayOptions.js";
import { alignKeywords, columnWindow, type Grid, type GridColumn, pluralize, rowWindow, shapeText } from "./grid.js";

/** The grid of a danfo frame or series. Shows the index unless it is just row numbers. */
export function danfoGrid(value: DanfoValue, { rows, columns }: DisplaySettings): Grid {
  const names = danfoMember(value, "columns") as readonly string[];
  const dtypes = danfoMember(value, "dtypes") as readonly string[];
  const values = danfoMember(value, "values") as readonly unknown[];
  const index = danfoMember(value, "index") as readonly unknown[];
  const down = rowWindow(values.length, rows);
  // A series shows its values, whatever columns are chosen.
  const across = columnWindow(names, value.$isSeries && typeof columns !== "number" ? names.length : columns);
  const plain = across.shown.map((name): GridColumn => {
    const at = names.indexOf(name);
    const dtype = dtypes[at] ?? "";
    const cell = dtype.startsWith("float") ? floatCell : valueCell;
    const numeric = /^(int|float)/.test(dtype);
    const cells = down.positions.map((row) => cell(value.$isSeries ? values[row] : (values[row] as unknown[])[at]));
    return { name: String(name), dtype, numeric, cells };
  });
  const shown = [...alignKeywords(plain)];
  const labels = down.positions.map((row) => valueCell(index[row]));
  const isCount = down.positions.every((row) => index[row] === row);
  if (!isCount) shown.unshift({ name: "", dtype: "index", numeric: false, cells: labels });
  return {
    shape: value.$isSeries ? pluralize(values.length, "value") : shapeText(values.length, names.length),
    columns: shown,
    rows: down.positions.length,
    rowGap: down.gap,
    columnGap: across.gap === undefined ? undefined : across.gap + (isCount ? 0 : 1),
  };
}

/** A danfo frame or series, identified by shape: danfo is optional, and a notebook may load another copy of it. */
export interface DanfoValue {
  readonly $isSeries: boolean;
}

/** Whether a value is a danfo frame or series. */
export function isDanfo(value: unknown): value is DanfoValue {
  if (typeof value !== "object" || value === null) return false;
  const { $isSeries, $columns } = value as { $isSeries?: unknown; $columns?: unknown };
  return typeof $isSeries === "boolean" && Array.isArray($columns);
}

/** Reads a built-in member of danfo, even if a column of the same name shadows it. */
export function danfoMember(value: DanfoValue, name: "columns" | "dtypes" | "values" | "index"): unknown {
  return Reflect.get(Object.getPrototypeOf(value) as object, name, value);
}
