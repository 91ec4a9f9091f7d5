import { join } from "node:path";
import { pl } from "../../frames/polars.js";
import { readPart, writePart } from "../tables/parquetPart.js";
import { CONTENT_HASH, contentHashes } from "./contentHashes.js";

/** The columns that an export without text keeps. Columns that the service added on its own may be text. */
const KEPT: ReadonlySet<string> = new Set([
  ...["id", "begintime", "length", "personid", "programid", "videoTypeId"],
  ...["first_seen", "changed", "vanished", "resolved", "date", "videoDuration"],
]);

/**
 * Copies a file of a table without the columns that have text. Mentions get a checksum of their content instead, which
 * `hydrateCorpus` compares.
 */
export async function copyIdsOnly(dir: string, staging: string, path: string): Promise<void> {
  const rows = readPart(dir, path);
  const kept = rows.select(...rows.columns.filter((name) => KEPT.has(name)));
  const isMentions = path.startsWith("tables/mentions/");
  const copied = isMentions ? kept.withColumns(pl.Series(CONTENT_HASH, contentHashes(rows), pl.String)) : kept;
  await writePart(staging, join(staging, path), copied);
}
