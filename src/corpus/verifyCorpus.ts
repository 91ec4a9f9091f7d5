import { createHash } from "node:crypto";
import { closeSync, createReadStream, lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { ArchiveError } from "../errors/index.js";
import { dt, type LazyFrame, pl } from "../frames/polars.js";
import { scanParquetFiles } from "../frames/polarsPlan.js";
import { openReceivedFile, readReceivedFile } from "../fs/readReceivedFile.js";
import { fileType } from "../fs/unsafePath.js";
import { isObject } from "../util/isObject.js";
import { escaped } from "../util/quoted.js";
import { readDefinition } from "./definition/definitionFile.js";
import { parquetFile } from "./publish/parquetFile.js";
import { INDEX, readIndex, type TableName, tableOf } from "./publish/tableFiles.js";
import { NO_MONTH } from "./state/month.js";

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
const MAX_PROBLEMS = 1000;

/**
 * Checks a corpus that nobody is writing to: every file against its checksum, the tables against each other, and that there is nothing
 * else. The tables are read only from files whose checksums are right.
 *
 * @returns the problems; it throws none of them
 */
export async function verifyCorpus(dir: string): Promise<CorpusCheck> {
  const problems: string[] = [];
  const expected = describedFiles(dir, problems);
  for (const { path, sha256 } of readIndexSafely(dir, problems)) {
    const hash = `sha256:${sha256}`;
    if (tableOf(path) !== "runs" && expected.get(path) !== hash)
      problems.push(`${path} is not the file of datapackage.json.`);
    expected.set(path, hash);
  }
  checkEntries(dir, "tables", (path) => expected.has(path) || path === INDEX, problems);
  const good = new Set<string>();
  for (const [path, hash] of expected) {
    const found = await hashOf(dir, path, problems);
    if (found === hash) good.add(path);
    else if (found !== undefined) problems.push(`${path} was changed after it was written.`);
  }
  const counts = { mentions: 0, hits: 0 };
  try {
    Object.assign(counts, await checkTables(dir, good, problems));
  } catch (error) {
    problems.push(`The tables cannot be read: ${escaped(String((error as Error).message).split("\n")[0] ?? "", 300)}`);
  }
  const ok = problems.length === 0;
  return { ok, files: expected.size, ...counts, problems: problems.slice(0, MAX_PROBLEMS) };
}

function readIndexSafely(dir: string, problems: string[]) {
  try {
    const index = readIndex(dir);
    if (index !== undefined) return index.files;
  } catch {
    // A link, for example.
  }
  problems.push("tables/index.json is missing or damaged. Build the corpus again: that writes it.");
  return [];
}

/** Reports everything below a directory that is not part of a corpus. Links are not followed. */
function checkEntries(dir: string, path: string, isKnown: (path: string) => boolean, problems: string[]): void {
  const stats = lstatSync(join(dir, path), { throwIfNoEntry: false });
  if (stats === undefined || problems.length >= MAX_PROBLEMS) return;
  if (stats.isDirectory()) {
    for (const name of readdirSync(join(dir, path)).sort()) checkEntries(dir, `${path}/${name}`, isKnown, problems);
  } else if (!stats.isFile()) problems.push(`${escaped(path, 300)} is ${fileType(stats)}, not a file of this corpus.`);
  else if (!isKnown(path)) problems.push(`${escaped(path, 300)} is not part of the corpus.`);
}

/** The checksums in `datapackage.json`, by path. */
function describedFiles(dir: string, problems: string[]): Map<string, string> {
  try {
    const { resources } = JSON.parse(readReceivedFile(dir, "datapackage.json", MAX_BYTES).toString());
    const pairs = (resources as unknown[]).filter(isObject).flatMap(({ path, hash, hashes }) => {
      const sums = [hashes ?? hash].flat();
      return [path].flat().map((one, at) => [String(one), String(sums[at])] as const);
    });
    return new Map(pairs);
  } catch {
    problems.push("datapackage.json is missing or damaged. Build the corpus again: that writes it.");
    return new Map();
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

async function checkTables(
  dir: string,
  good: ReadonlySet<string>,
  problems: string[],
): Promise<Pick<CorpusCheck, "mentions" | "hits">> {
  const report = (count: number, what: string) => {
    if (count > 0) problems.push(`${what}: ${count.toLocaleString("en-US")}.`);
  };
  const known = readDefinition(dir)?.searches.map(({ id }) => id) ?? [];
  const scan = (name: TableName) => {
    const paths = [...good].filter((path) => tableOf(path) === name).map((path) => parquetFile(dir, path));
    return paths.length === 0 ? undefined : scanParquetFiles(paths, "~path");
  };
  const [said, found] = [scan("mentions"), scan("hits")];
  if (said === undefined || found === undefined) return { mentions: 0, hits: 0 };
  const ids = said.select("id").filter(pl.col("id").isNotNull());
  const total = { mentions: await rowsOf(said), hits: await rowsOf(found) };
  report((await rowsOf(ids)) - (await rowsOf(ids.unique())), "Mentions that are in the table twice");
  const named = found.select("search", "id").filter(pl.col("id").isNotNull());
  report((await rowsOf(named)) - (await rowsOf(named.unique())), "Hits that are in the table twice");
  report(await rowsOf(named.join(ids, { on: "id", how: "anti" })), "Hits without a mention");
  report(await rowsOf(found.filter(pl.col("search").isIn(known).not())), "Hits of no search of the corpus");
  for (const table of [said, found]) {
    const isTime = (await table.head(0).collect()).getColumn("begintime").dtype.variant === "Datetime";
    const own = pl.col("~path").str.extract(/(year=[^/]+\/month=[^/]+)\/part\.parquet$/.source, 1);
    if (isTime)
      report(
        await rowsOf(table.select(MONTH.neq(own).alias("is_other")).filter(pl.col("is_other"))),
        "Rows in the file of another month",
      );
  }
  return total;
}

const MONTH = dt(pl.col("begintime")).strftime("year=%Y/month=%m").fillNull(pl.lit(NO_MONTH));

async function rowsOf(table: LazyFrame): Promise<number> {
  return Number((await table.select(pl.len()).collect()).row(0)[0]);
}
