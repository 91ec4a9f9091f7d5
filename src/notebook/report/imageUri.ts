import { textOf } from "../notebookFormat.js";

const BINARY = ["image/png", "image/jpeg", "image/gif"];

/**
 * The picture of a bundle as a data URI, the sharpest form first; undefined where there is none. An SVG is put into an `img`,
 * where its scripts do not run and nothing is loaded.
 */
export function imageUri(bundle: Readonly<Record<string, unknown>>): string | undefined {
  const svg = textOf(bundle["image/svg+xml"]);
  if (svg !== undefined) return `data:image/svg+xml;base64,${Buffer.from(svg).toString("base64")}`;
  for (const type of BINARY) {
    const data = textOf(bundle[type])?.replace(/\s/g, "");
    if (data !== undefined && /^[A-Za-z0-9+/]+=*$/.test(data)) return `data:${type};base64,${data}`;
  }
  return undefined;
}
