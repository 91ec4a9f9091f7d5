/** The text of a cell, an output or a member of a bundle, whole or line by line in the file; undefined where it is none. */
export function textOf(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  return Array.isArray(value) && value.every((line) => typeof line === "string") ? value.join("") : undefined;
}
