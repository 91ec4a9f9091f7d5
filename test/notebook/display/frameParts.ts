import type { DisplayOptions } from "../../../src/notebook.js";
import { displayBundle } from "../bundles.js";

/** The HTML of a displayed value. */
export function htmlOf(value: unknown, options?: DisplayOptions): string {
  return String(displayBundle(value, options)?.["text/html"]);
}

/** The parts of a displayed frame, extracted from its HTML: the text of each cell and its markup. */
export function frameParts(value: unknown, options?: DisplayOptions) {
  const text = htmlOf(value, options).replace(/<style>[^<]*<\/style>/, "");
  const rows = [...text.matchAll(/<tr>(.*?)<\/tr>/gs)].map(([, row = ""]) => row);
  const heads = [...(rows[0] ?? "").matchAll(/<th([^>]*)>(.*?)<\/th>/gs)];
  return {
    shape: plain(/<div class="af-shape">(.*?)<\/div>/s.exec(text)?.[1] ?? ""),
    note: /<div class="af-note"><small[^>]*>(.*?)<\/small><\/div>/s.exec(text)?.[1],
    names: heads.map(([, , head = ""]) => plain(head.replace(/<br><small.*/s, ""))),
    dtypes: heads.map(([, , head = ""]) => plain(/<small class="af-dtype">(.*?)<\/small>/s.exec(head)?.[1] ?? "")),
    rows: rows.slice(1).map((row) => [...row.matchAll(/<td([^>]*)>(.*?)<\/td>/gs)].map(cellPart)),
  };
}

function cellPart([, attributes = "", content = ""]: RegExpMatchArray) {
  const title = / title="([^"]*)"/.exec(attributes)?.[1];
  return {
    text: plain(content),
    title: title === undefined ? undefined : plain(title),
    numeric: attributes.includes("af-num"),
    isNull: content.includes("af-null"),
  };
}

function plain(html: string): string {
  const bare = html.replace(/<[^>]*>/g, "");
  const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" };
  return bare.replace(/&(amp|lt|gt|quot|#39);/g, (_all, name: string) => entities[name] as string);
}
