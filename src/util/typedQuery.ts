import { escaped } from "./quoted.js";

/** A query in prose as it was typed, with typographic quotation marks around a phrase: “climate change”; otherwise in straight ones. */
export function typedQuery(query: unknown): string {
  if (typeof query !== "string") return JSON.stringify(query);
  const text = escaped(query).replace(/"([^"]*)"/g, "“$1”");
  return /^“[^“”]*”$/.test(text) ? text : `"${text}"`;
}
