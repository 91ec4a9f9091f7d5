import { dt, list, type PolarsFrame, pl } from "../../frames/polars.js";

/** The type of a column. */
export type Dtype = PolarsFrame["dtypes"][number];

/**
 * Expressions that convert those numbered columns of a frame that need it. Each expression takes polars about a millisecond to create, which is
 * more than a page of rows.
 */
export function convertedColumns(
  dtypes: readonly Dtype[],
  needsConversion: (dtype: Dtype) => boolean,
  convert: (column: pl.Expr, dtype: Dtype) => pl.Expr,
): pl.Expr[] {
  return dtypes.flatMap((dtype, at) => {
    const name = `c${at}`;
    return needsConversion(dtype) ? [convert(pl.col(name), dtype).alias(name)] : [];
  });
}

/** Expressions that convert the timestamps in the numbered columns of a frame, see {@link withTextTimestamps}. */
export function textColumns(dtypes: readonly Dtype[]): pl.Expr[] {
  return convertedColumns(dtypes, hasTimestamps, withTextTimestamps);
}

const TIMESTAMP = "%Y-%m-%dT%H:%M:%S%.f";

/**
 * Converts the timestamps in a column to text, nested ones too: `2024-04-27T02:35:35Z`, with a fraction if there is one, and without Z if the
 * column has no time zone. Dates need no conversion: polars writes them as text.
 */
export function withTextTimestamps(column: pl.Expr, dtype: Dtype): pl.Expr {
  if (!hasTimestamps(dtype)) return column;
  if (dtype.variant === "Datetime") {
    const zone = inner<[unit: string, zone?: string | null]>(dtype)[1];
    if (!zone) return dt(column).strftime(TIMESTAMP);
    return dt(zone === "UTC" ? column : dt(column).convertTimeZone("UTC")).strftime(`${TIMESTAMP}Z`);
  }
  if (dtype.variant === "List") return list(column).eval(withTextTimestamps(pl.element(), inner<[Dtype]>(dtype)[0]));
  const fields = inner<Field[]>(dtype);
  const numbered = column.struct.renameFields(fields.map((_field, at) => `f${at}`));
  const texts = fields.map((field, at) =>
    withTextTimestamps(numbered.struct.field(`f${at}`), field.dtype).alias(`f${at}`),
  );
  const struct = pl.struct(texts).struct.renameFields(fields.map(({ name }) => name));
  // Otherwise a null struct becomes a struct of nulls.
  return pl.when(column.isNull()).then(pl.lit(null)).otherwise(struct);
}

function hasTimestamps(dtype: Dtype): boolean {
  if (dtype.variant === "List") return hasTimestamps(inner<[Dtype]>(dtype)[0]);
  if (dtype.variant === "Struct") return inner<Field[]>(dtype).some((field) => hasTimestamps(field.dtype));
  return dtype.variant === "Datetime";
}

interface Field {
  readonly name: string;
  readonly dtype: Dtype;
}

/** The parameters of a dtype, which polars declares protected. */
function inner<T>(dtype: Dtype): T {
  return (dtype as unknown as { inner: T }).inner;
}
