import type { Row } from "../service/operations/rows.js";

/** Name and title of a speaker from a person record; empty if the record has none. */
export interface Person {
  readonly name: string;
  readonly title: string;
}

/** Name and title from a row of people. */
export function personOf({ name, title }: Row): Person {
  const text = (value: unknown) => (typeof value === "string" ? value.trim() : "");
  return { name: text(name), title: text(title) };
}
