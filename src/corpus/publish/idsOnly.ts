import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { type PolarsFrame, pl } from "../../frames/polars.js";
import { CONTENT_HASH, contentHashes } from "./contentHashes.js";
import { readPart } from "./tableFiles.js";

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
const TEXT_ID = pl.when(pl.col("id").str.contains("\\s")).then(pl.lit(null)).otherwise(pl.col("id")).alias("id");

/**
 * Copies a file of a table without the columns that have text. Mentions get a checksum of their content instead, which
 * `hydrateCorpus` compares.
 */
export function copyIdsOnly(dir: string, staging: string, path: string): PolarsFrame {
  const table = path.split("/")[1] as string;
  const rows = readPart(dir, path);
  const kept = KEPT[table] ?? {};
  const names = rows.columns.filter(
    (name, at) => Object.hasOwn(kept, name) && kept[name]?.test(rows.dtypes[at]?.variant ?? ""),
  );
  const isText = rows.dtypes[rows.columns.indexOf("id")]?.variant === "String";
  const selected = isText ? rows.select(...names).withColumns(TEXT_ID) : rows.select(...names);
  const hashes = table === "mentions" ? [pl.Series(CONTENT_HASH, contentHashes(rows), pl.String)] : [];
  const result = hashes.length > 0 ? selected.withColumns(...hashes) : selected;
  mkdirSync(dirname(join(staging, path)), { recursive: true });
  result.writeParquet(join(staging, path), { compression: "zstd" });
  return result;
}
