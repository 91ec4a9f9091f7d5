import { floatCell, valueCell } from "./cellText.js";
import { type DanfoValue, danfoMember } from "./danfoMembers.js";
import type { DisplaySettings } from "./displayOptions.js";
import { counted, firstAndLast, type Grid, type GridColumn, rowWindow, shapeText } from "./grid.js";

/** What is shown of a danfo frame, or of a danfo series: its index too, where that is more than the numbers of the rows. */
export function danfoGrid(value: DanfoValue, { rows, columns }: DisplaySettings): Grid {
  const names = danfoMember(value, "columns") as readonly string[];
  const dtypes = danfoMember(value, "dtypes") as readonly string[];
  const values = danfoMember(value, "values") as readonly unknown[];
  const index = danfoMember(value, "index") as readonly unknown[];
  const down = rowWindow(values.length, rows);
  const across = firstAndLast(names.length, columns);
  const shown = across.positions.map((at): GridColumn => {
    const dtype = dtypes[at] ?? "";
    const cell = dtype.startsWith("float") ? floatCell : valueCell;
    const numeric = /^(int|float)/.test(dtype);
    const cells = down.positions.map((row) => cell(value.$isSeries ? values[row] : (values[row] as unknown[])[at]));
    return { name: String(names[at]), dtype, numeric, cells };
  });
  const labels = down.positions.map((row) => valueCell(index[row]));
  const isCount = down.positions.every((row) => index[row] === row);
  if (!isCount) shown.unshift({ name: "", dtype: "index", numeric: false, cells: labels });
  return {
    shape: value.$isSeries ? counted(values.length, "value") : shapeText(values.length, names.length),
    columns: shown,
    rows: down.positions.length,
    rowGap: down.gap,
    columnGap: across.gap === undefined ? undefined : across.gap + (isCount ? 0 : 1),
  };
}
