import { oneOf } from "../../errors/validators.js";
import { type OperationName, operations } from "./operations.js";

/** The name that the interface specification uses for `programsSearch`. */
export type SpecificationName = "programs_search";

/** A method of a client, in place of the name of its operation: `archive.bills`. */
// biome-ignore lint/suspicious/noExplicitAny: any method, whatever its parameters
export type OperationMethod = (...args: any[]) => unknown;

/** The name of an operation, in either spelling: `"programsSearch"` or `"programs_search"`. */
export type OperationSpelling<N extends OperationName = OperationName> =
  | N
  | (N extends "programsSearch" ? SpecificationName : never);

/**
 * Finds an operation by its name, by its name in the specification (`programs_search`), or by a method (`archive.bills`).
 *
 * @param names the operations to choose from
 * @throws ValidationError that lists the names
 */
export function operationNamed<N extends OperationName = OperationName>(
  value: unknown,
  names: readonly N[] = Object.keys(operations) as N[],
): N {
  const text = typeof value === "function" ? value.name.replace(/^bound /, "") : value;
  const found = names.find((name) => name === text || snakeCase(name) === text);
  return found ?? oneOf("operation", typeof value === "function" ? text : value, names);
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** The operation of a request path. */
export function operationOfPath(path: string): OperationName {
  const names = Object.keys(operations) as OperationName[];
  return names.find((name) => operations[name].path === path) ?? (path.startsWith("/people/") ? "person" : "program");
}
