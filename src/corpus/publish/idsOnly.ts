import { type PolarsFrame, pl } from "../../frames/polars.js";
import { sha256 } from "../files.js";
import { SERVED } from "../state/columns.js";
import { readPart, tableOf } from "./tableFiles.js";

/** The column of an export without text that tells whether a mention has changed. */
export const CONTENT_HASH = "content_sha256";

const NUMBER = /^U?Int\d+$|^Float\d+$/;
const TIME = /^Date/;
const BOOLEAN = /^Bool/;
/** An id may be anything; one with white space is text. */
const ID = /./;
const DAYS = { first_seen: TIME, changed: TIME, vanished: TIME, round: NUMBER };
const MENTION = { length: NUMBER, personid: NUMBER, programid: NUMBER, videoTypeId: NUMBER };

/** The columns that an export without text keeps, by table and type: a service may put text into any column. */
const KEPT: Readonly<Record<string, Readonly<Record<string, RegExp>>>> = {
  mentions: { id: ID, begintime: TIME, ...MENTION, ...DAYS },
  hits: { search: ID, span: ID, id: ID, begintime: TIME, ...DAYS },
  people: { id: ID, resolved: BOOLEAN, looked_up: TIME },
  programs: { id: ID, resolved: BOOLEAN, looked_up: TIME, date: TIME, videoDuration: NUMBER },
};
const ID_UNLESS_TEXT = pl.when(pl.col("id").str.contains("\\s")).then(pl.lit(null)).otherwise(pl.col("id")).alias("id");

/**
 * Copies a file of a table without the columns that have text. Mentions get a checksum of their content instead, which
 * `hydrateCorpus` compares.
 */
export function writeIdsOnly(dir: string, path: string, to: string): PolarsFrame {
  const table = tableOf(path) ?? "";
  const rows = readPart(dir, path);
  const dtypes = rows.dtypes;
  const variants = new Map(rows.columns.map((name, at) => [name, dtypes[at]?.variant ?? ""]));
  const kept = new Map(Object.entries(KEPT[table] ?? {}));
  const names = rows.columns.filter((name) => kept.get(name)?.test(variants.get(name) ?? ""));
  let result = rows.select(...names);
  if (variants.get("id") === "String") result = result.withColumns(ID_UNLESS_TEXT);
  if (table === "mentions") result = result.withColumns(pl.Series(CONTENT_HASH, contentHashes(rows), pl.String));
  result.writeParquet(to, { compression: "zstd" });
  return result;
}

const OWN: ReadonlySet<string> = new Set(SERVED.mentions.own);

/**
 * The SHA-256 of each mention as the service sent it: of the JSON list of its columns with values, by name. Whoever has the text can
 * recognize it by this, but nobody can read it.
 *
 * @param rows a file of the table of mentions
 */
export function contentHashes(rows: PolarsFrame): string[] {
  const names = rows.columns;
  const columns = rows
    .getColumns()
    // Timestamps in microseconds, so that no precision is lost.
    .map((column) => [...(column.dtype.variant === "Datetime" ? column.cast(pl.Int64) : column).toArray()] as unknown[])
    .map((values, at) => ({ name: names[at] as string, values }))
    .filter(({ name }) => !OWN.has(name))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  return Array.from({ length: rows.height }, (_, row) => {
    const members = columns.flatMap(({ name, values }) => {
      const value = values[row];
      return value === null || value === undefined ? [] : [[name, String(value)]];
    });
    return sha256(JSON.stringify(members));
  });
}
