import type { ValidationError } from "../errors/index.js";
import { invalid } from "../errors/validators.js";
import { refuseOtherPolars } from "./otherPolars.js";
import type { PolarsExpr } from "./polars.js";

/**
 * Whether a value is a polars expression.
 *
 * @throws ValidationError for one of another copy of nodejs-polars
 */
export function isExpr(value: unknown): value is PolarsExpr {
  refuseOtherPolars(value);
  return typeof (value as Partial<PolarsExpr> | null | undefined)?.and === "function" && "alias" in (value as object);
}

/** The error for a condition that is no expression: JavaScript compares expressions with `>` and `===` itself. */
export function invalidPredicate(condition: unknown): ValidationError {
  return invalid(
    "predicate",
    condition,
    'Give an expression, for example filter(pl.col("length").gt(60)) or filter(where({ length: { gt: 60 } })).',
  );
}
