import { oneOf } from "../../errors/validators.js";
import { type OperationName, operations } from "./operations.js";

/** The name of an operation, or the name that the interface specification uses for `programsSearch`. */
export type OperationSpelling<N extends OperationName = OperationName> =
  | N
  | (N extends "programsSearch" ? "programs_search" : never);

/** The name of an operation in either spelling. */
export type Named<S extends OperationSpelling> = S extends "programs_search"
  ? "programsSearch"
  : Exclude<S, "programs_search">;

/** Finds an operation by its name, or by its name in the specification (`programs_search`). */
export function operationNamed<N extends OperationName = OperationName>(
  value: unknown,
  names: readonly N[] = Object.keys(operations) as N[],
): N {
  return oneOf("operation", value === "programs_search" ? "programsSearch" : value, names);
}

/** The operation of a request path. */
export function operationOfPath(path: string): OperationName {
  const names = Object.keys(operations) as OperationName[];
  return names.find((name) => operations[name].path === path) ?? (path.startsWith("/people/") ? "person" : "program");
}
