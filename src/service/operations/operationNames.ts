import { oneOf } from "../../errors/validators.js";
import { type OperationName, operations } from "./operations.js";

/** The name of an operation as the interface specification writes it, where that is another one. */
export type SpecificationName = "programs_search";

/** A method of a client: it stands for its operation. */
// biome-ignore lint/suspicious/noExplicitAny: any method, whatever it takes
export type OperationMethod = (...args: any[]) => unknown;

/** An operation, by its name in either spelling. */
export type OperationSpelling<N extends OperationName = OperationName> =
  | N
  | (N extends "programsSearch" ? SpecificationName : never);

/**
 * The operation that is meant by its name, by its name in the specification (`programs_search`), or by the method itself
 * (`archive.bills`).
 *
 * @throws ValidationError that lists the names
 */
export function operationNamed<N extends OperationName = OperationName>(
  value: unknown,
  names: readonly N[] = Object.keys(operations) as N[],
): N {
  const text = typeof value === "function" ? value.name.replace(/^bound /, "") : value;
  const meant = names.find((name) => name === text || snakeCase(name) === text);
  return meant ?? oneOf("operation", typeof value === "function" ? text : value, names);
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** The operation that a path belongs to. */
export function operationOfPath(path: string): OperationName {
  const names = Object.keys(operations) as OperationName[];
  return names.find((name) => operations[name].path === path) ?? (path.startsWith("/people/") ? "person" : "program");
}
