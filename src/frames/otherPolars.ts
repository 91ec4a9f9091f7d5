import { faulty } from "../errors/validators.js";
import { native } from "./polars.js";

// A project may have two copies of nodejs-polars. Its native code takes the objects of the other copy for its own, and the process ends.

/** The members that hold native objects, each with the class that it has in our copy. */
const NATIVE = [
  ["_df", native.JsDataFrame],
  ["_ldf", native.JsLazyFrame],
  ["_s", native.JsSeries],
  ["_expr", native.JsExpr],
] as const;

/** What polars calls a value: "DataFrame", "LazyDataFrame", "Series" or "Expr"; undefined for values of others. */
export function polarsType(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return undefined;
  // A frame has no member of this name for `in`. That of an expression is a function.
  const tag: unknown = Reflect.get(value, Symbol.toStringTag);
  return typeof tag === "function" ? tag.call(value) : tag;
}

/** Whether a value is a frame, series or expression of another copy of nodejs-polars. */
function isOfOtherPolars(value: unknown): boolean {
  if (polarsType(value) === undefined) return false;
  return NATIVE.some(([member, type]) => {
    const found = (Reflect.get(value as object, member) as object | undefined)?.constructor;
    return found !== undefined && found !== type && String(found).includes("native code");
  });
}

/**
 * Checks values that go to polars.
 *
 * @throws ValidationError for a frame, series or expression of another copy of nodejs-polars
 */
export function refuseOtherPolars(...values: readonly unknown[]): void {
  const at = values.findIndex(isOfOtherPolars);
  if (at < 0) return;
  throw faulty(
    polarsType(values[at]) === "Expr" ? "expression" : "frame",
    "it is of another copy of nodejs-polars",
    'Make it with the pl of this package: import { pl } from "archive-frames".',
  );
}
