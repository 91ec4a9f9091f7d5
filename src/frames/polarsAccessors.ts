import type { pl } from "./polars.js";

// nodejs-polars 0.26 renamed `.date` and `.lst` to `.dt` and `.list`. The package supports both.

/** The methods of an expression or a series of timestamps. */
export function dt<T extends { readonly date: unknown }>(column: T): T["date"] {
  return (column as T & { readonly dt?: T["date"] }).dt ?? column.date;
}

/** The methods of an expression of lists. 0.24 has a method `list()` as well, so `.lst` decides. */
export function list(column: pl.Expr): pl.Expr["lst"] {
  return column.lst ?? (column as pl.Expr & { readonly list: pl.Expr["lst"] }).list;
}
