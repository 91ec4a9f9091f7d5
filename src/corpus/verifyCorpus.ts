import { createHash } from "node:crypto";
import { closeSync, createReadStream } from "node:fs";
import { ArchiveError } from "../errors/index.js";
import { type LazyFrame, pl } from "../frames/polars.js";
import { openReceivedFile, readReceivedFile } from "../fs/readReceivedFile.js";
import { isObject } from "../util/isObject.js";
import { escaped } from "../util/quoted.js";
import { readDefinition } from "./definition/definitionFile.js";
import { hits, mentions } from "./tables/corpusTables.js";
import { filesOf, TABLES } from "./tables/tablePaths.js";

/**
 * What `corpus.verify()` found.
 *
 * @example
 * const { ok, problems } = await corpus.verify();
 */
export interface CorpusCheck {
  /** There is no problem. */
  readonly ok: boolean;
  /** Files compared with their checksums. */
  readonly files: number;
  /** Rows of the table of mentions. */
  readonly mentions: number;
  /** Rows of the table of hits. */
  readonly hits: number;
  /** A sentence for each problem. */
  readonly problems: readonly string[];
}

const MAX_BYTES = 2 ** 28;

/**
 * Checks a corpus that nobody is writing to: every file against its checksum in `datapackage.json`, and the tables against each other.
 *
 * @returns the problems; it throws none of them
 */
export async function verifyCorpus(dir: string): Promise<CorpusCheck> {
  const problems: string[] = [];
  const files = [...TABLES.flatMap((name) => filesOf(dir, name)), "corpus.json"];
  const expected = describedFiles(dir, problems);
  for (const [path, hash] of expected ?? []) {
    const found = await hashOf(dir, path, problems);
    if (found !== undefined && found !== hash) problems.push(`${path} was changed after datapackage.json was written.`);
  }
  for (const path of files)
    if (expected !== undefined && !expected.has(path)) problems.push(`${path} is not in datapackage.json.`);
  const counts = { mentions: 0, hits: 0 };
  try {
    Object.assign(counts, await checkTables(dir, problems));
  } catch (error) {
    problems.push(`The tables cannot be read: ${escaped(String((error as Error).message).split("\n")[0] ?? "", 300)}`);
  }
  return { ok: problems.length === 0, files: expected?.size ?? 0, ...counts, problems };
}

/** The checksums in `datapackage.json`, by path; undefined if it cannot be read. */
function describedFiles(dir: string, problems: string[]): Map<string, string> | undefined {
  try {
    const { resources } = JSON.parse(readReceivedFile(dir, "datapackage.json", MAX_BYTES).toString());
    const pairs = (resources as unknown[]).filter(isObject).flatMap(({ path, hash, hashes }) => {
      const sums = [hashes ?? hash].flat();
      return [path].flat().map((one, at) => [String(one), String(sums[at])] as const);
    });
    return new Map(pairs);
  } catch {
    problems.push("datapackage.json is missing or damaged. Build the corpus again: that writes it.");
    return undefined;
  }
}

async function hashOf(dir: string, path: string, problems: string[]): Promise<string | undefined> {
  let fd: number | undefined;
  try {
    fd = openReceivedFile(dir, path);
    const hash = createHash("sha256");
    for await (const bytes of createReadStream("", { fd, autoClose: false })) hash.update(bytes as Buffer);
    return `sha256:${hash.digest("hex")}`;
  } catch (error) {
    const isUnsafe = error instanceof ArchiveError && error.code === "UNSAFE_PATH";
    problems.push(
      `${escaped(path, 300)} ${isUnsafe ? "is not a file of this corpus" : "is missing or cannot be read"}.`,
    );
    return undefined;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

async function checkTables(dir: string, problems: string[]): Promise<Pick<CorpusCheck, "mentions" | "hits">> {
  const report = (count: number, what: string) => {
    if (count > 0) problems.push(`${what}: ${count.toLocaleString("en-US")}.`);
  };
  const known = readDefinition(dir)?.searches.map(({ id }) => id) ?? [];
  const found = hits(dir);
  const said = mentions(dir);
  const ids = said.select("id").filter(pl.col("id").isNotNull());
  const total = { mentions: await rowsOf(said), hits: await rowsOf(found) };
  report((await rowsOf(ids)) - (await rowsOf(ids.unique())), "Mentions that are in the table twice");
  const named = found.select("search", "id").filter(pl.col("id").isNotNull());
  report((await rowsOf(named)) - (await rowsOf(named.unique())), "Hits that are in the table twice");
  report(await rowsOf(named.join(ids, { on: "id", how: "anti" })), "Hits without a mention");
  report(await rowsOf(found.filter(pl.col("search").isIn(known).not())), "Hits of no search of the corpus");
  for (const table of [said, found]) {
    const isTime = (await table.head(0).collect()).getColumn("begintime").dtype.variant === "Datetime";
    const month = pl.col("begintime").date.strftime("%Y-%m");
    const own = pl.col("year").mul(100).plus(pl.col("month"));
    const days = table
      .filter(pl.col("begintime").isNotNull())
      .select(month.str.replace("-", "").cast(pl.Int64).alias("is"), own.alias("own"));
    if (isTime) report(await rowsOf(days.filter(pl.col("is").neq(pl.col("own")))), "Rows in the file of another month");
  }
  return total;
}

async function rowsOf(table: LazyFrame): Promise<number> {
  return Number((await table.select(pl.len()).collect()).row(0)[0]);
}
