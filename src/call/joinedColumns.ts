import { ValidationError } from "../errors/index.js";
import { type PolarsFrame, pl } from "../frames/polars.js";
import { toDataFrame } from "../frames/toDataFrame.js";
import type { Row } from "../service/operations/rows.js";
import { quotedList } from "../util/quoted.js";
import type { Join } from "./checkJoin.js";

/**
 * The columns to add, one value per row of the frame.
 *
 * @throws ValidationError for a column that no row has
 */
export function joinedColumns(
  { operation, frame, column, columns, prefix }: Join,
  rows: ReadonlyMap<string, Row>,
): PolarsFrame {
  // The last row, without values, is for ids without a row.
  const found = toDataFrame([...rows.values(), {}], { operation });
  const members = columns ?? found.columns.filter((name) => name !== "id");
  const missing = members.filter((name) => !found.columns.includes(name));
  if (missing.length > 0 && rows.size > 0) throw unknownColumns(missing, found.columns);
  const positions = new Map([...rows.keys()].map((id, at) => [id, at]));
  const indexes = column.ids.map((id) => positions.get(id ?? "") ?? rows.size);
  const taken = new Set(frame.columns as readonly string[]);
  const series = members.map((name) => {
    const values = found.columns.includes(name) ? found.getColumn(name) : pl.Series(name, [null], pl.Utf8);
    return values.gather(indexes).rename(unusedName(`${prefix}${name}`, taken));
  });
  return pl.DataFrame(series);
}

/** A name that no other column has. */
function unusedName(name: string, taken: Set<string>): string {
  let unused = name;
  while (taken.has(unused)) unused += "_";
  taken.add(unused);
  return unused;
}

function unknownColumns(names: readonly string[], known: readonly string[]): ValidationError {
  return new ValidationError(`invalid columns: there is no ${quotedList(names)}.`, {
    hint: `Give some of ${quotedList(known)}.`,
    parameter: "columns",
  });
}
