import { type OperationName, operations } from "./operations.js";

/** The operation that a path belongs to. */
export function operationOf(path: string): OperationName {
  const names = Object.keys(operations) as OperationName[];
  return names.find((name) => operations[name].path === path) ?? (path.startsWith("/people/") ? "person" : "program");
}
