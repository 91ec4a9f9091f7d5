import { type PolarsFrame, pl } from "../../frames/polars.js";

/** The type of a column. */
export type Dtype = PolarsFrame["dtypes"][number];

/**
 * For each column of a frame with plain names the expression that gives it with moments as text, nested ones too:
 * `2024-04-27T02:35:35Z`, with a fraction where there is one, without Z where the column has no time zone. Dates are text
 * in every text format anyway.
 */
export function textColumns(dtypes: readonly Dtype[]): pl.Expr[] {
  return dtypes.map((dtype, at) => withTextMoments(pl.col(`c${at}`), dtype).alias(`c${at}`));
}

const MOMENT = "%Y-%m-%dT%H:%M:%S%.f";

function withTextMoments(column: pl.Expr, dtype: Dtype): pl.Expr {
  if (!hasMoments(dtype)) return column;
  if (dtype.variant === "Datetime") {
    const zone = inner<[unit: string, zone?: string | null]>(dtype)[1];
    if (!zone) return column.date.strftime(MOMENT);
    return (zone === "UTC" ? column : column.date.convertTimeZone("UTC")).date.strftime(`${MOMENT}Z`);
  }
  if (dtype.variant === "List") return column.lst.eval(withTextMoments(pl.element(), inner<[Dtype]>(dtype)[0]));
  const fields = inner<Field[]>(dtype);
  const plain = column.struct.renameFields(fields.map((_field, at) => `f${at}`));
  const texts = fields.map((field, at) => withTextMoments(plain.struct.field(`f${at}`), field.dtype).alias(`f${at}`));
  const struct = pl.struct(texts).struct.renameFields(fields.map(({ name }) => name));
  // A struct that is null would become one whose fields are.
  return pl.when(column.isNull()).then(pl.lit(null)).otherwise(struct);
}

function hasMoments(dtype: Dtype): boolean {
  if (dtype.variant === "List") return hasMoments(inner<[Dtype]>(dtype)[0]);
  if (dtype.variant === "Struct") return inner<Field[]>(dtype).some((field) => hasMoments(field.dtype));
  return dtype.variant === "Datetime";
}

interface Field {
  readonly name: string;
  readonly dtype: Dtype;
}

/** What a type is made of; polars declares it protected. */
function inner<T>(dtype: Dtype): T {
  return (dtype as unknown as { inner: T }).inner;
}
