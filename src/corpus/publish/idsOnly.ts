import { join } from "node:path";
import { readPart, writePart } from "../tables/parquetPart.js";

/** The columns that an export without text keeps. Columns that the service added on its own may be text. */
const KEPT: ReadonlySet<string> = new Set([
  ...["id", "begintime", "length", "personid", "programid", "videoTypeId"],
  ...["first_seen", "changed", "vanished", "resolved", "date", "videoDuration"],
]);

/** Copies a file of a table without the columns that have text. */
export async function copyIdsOnly(dir: string, staging: string, path: string): Promise<void> {
  const rows = readPart(dir, path);
  await writePart(staging, join(staging, path), rows.select(...rows.columns.filter((name) => KEPT.has(name))));
}
