import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { ArchiveError } from "../errors/index.js";
import { dt, type LazyFrame, pl } from "../frames/polars.js";
import { fileType } from "../fs/fileErrors.js";
import { readReceivedFile } from "../fs/receivedFile.js";
import { formatCount } from "../util/counts.js";
import { isObject } from "../util/isObject.js";
import { escaped } from "../util/quoted.js";
import { readDefinition } from "./definition/definition.js";
import { sha256OfFile } from "./files.js";
import { INDEX, readIndex, scanFiles, type TableFile, type TableName, tableOf } from "./publish/tableFiles.js";
import { NO_MONTH } from "./state/columns.js";

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

/** See `corpus.verify`. The tables are read only from files whose checksums are right. */
export async function verifyCorpus(dir: string): Promise<CorpusCheck> {
  const problems: string[] = [];
  const expected = described(dir, "datapackage.json", problems, describedFiles) ?? new Map<string, string>();
  for (const { path, sha256 } of described(dir, INDEX, problems, indexedFiles) ?? []) {
    const hash = `sha256:${sha256}`;
    if (tableOf(path) !== "runs" && expected.get(path) !== hash)
      problems.push(`${path} is not the file of datapackage.json.`);
    expected.set(path, hash);
  }
  checkEntries(dir, "tables", (path) => expected.has(path) || path === INDEX, problems);
  const good: string[] = [];
  for (const [path, hash] of expected) {
    const found = await hashOf(dir, path, problems);
    if (found === hash) good.push(path);
    else if (found !== undefined) problems.push(`${path} was changed after it was written.`);
  }
  let counts = { mentions: 0, hits: 0 };
  try {
    counts = await checkTables(dir, good, problems);
  } catch (error) {
    problems.push(`The tables cannot be read: ${escaped(String((error as Error).message).split("\n")[0] ?? "", 300)}`);
  }
  const ok = problems.length === 0;
  return { ok, files: expected.size, ...counts, problems: problems.slice(0, MAX_PROBLEMS) };
}

/** What a file describes; undefined, and a problem, if it is missing, damaged or a link. */
function described<T>(dir: string, name: string, problems: string[], read: (dir: string) => T): T | undefined {
  try {
    return read(dir);
  } catch {
    problems.push(`${name} is missing or damaged. Build the corpus again: that writes it.`);
    return undefined;
  }
}

function indexedFiles(dir: string): readonly TableFile[] {
  const index = readIndex(dir);
  if (index === undefined) throw new Error("no index");
  return index.files;
}

/** The checksums in `datapackage.json`, by path. */
function describedFiles(dir: string): Map<string, string> {
  const { resources } = JSON.parse(readReceivedFile(dir, "datapackage.json", MAX_BYTES).toString());
  const pairs = (resources as unknown[]).filter(isObject).flatMap(({ path, hash, hashes }) => {
    const sums = [hashes ?? hash].flat();
    return [path].flat().map((one, at) => [String(one), String(sums[at])] as const);
  });
  return new Map(pairs);
}

/** Reports everything below a directory that is not part of a corpus. Links are not followed. */
function checkEntries(dir: string, path: string, isKnown: (path: string) => boolean, problems: string[]): void {
  const stats = lstatSync(join(dir, path), { throwIfNoEntry: false });
  if (stats === undefined || problems.length >= MAX_PROBLEMS) return;
  if (stats.isDirectory())
    for (const name of readdirSync(join(dir, path)).sort()) checkEntries(dir, `${path}/${name}`, isKnown, problems);
  else if (!stats.isFile()) problems.push(`${escaped(path, 300)} is ${fileType(stats)}, not a file of this corpus.`);
  else if (!isKnown(path)) problems.push(`${escaped(path, 300)} is not part of the corpus.`);
}

async function hashOf(dir: string, path: string, problems: string[]): Promise<string | undefined> {
  try {
    return `sha256:${await sha256OfFile(dir, path)}`;
  } catch (error) {
    const isUnsafe = error instanceof ArchiveError && error.code === "UNSAFE_PATH";
    const what = isUnsafe ? "is not a file of this corpus" : "is missing or cannot be read";
    problems.push(`${escaped(path, 300)} ${what}.`);
    return undefined;
  }
}

const MONTH = dt(pl.col("begintime")).strftime("year=%Y/month=%m").fillNull(pl.lit(NO_MONTH));
const OWN_MONTH = pl.col("~path").str.extract("(year=[^/]+/month=[^/]+)/part[.]parquet$", 1);

async function checkTables(dir: string, good: readonly string[], problems: string[]) {
  const report = (what: string, count: number) => {
    if (count > 0) problems.push(`${what}: ${formatCount(count)}.`);
  };
  const scan = (name: TableName) =>
    scanFiles(
      dir,
      good.filter((path) => tableOf(path) === name),
      "~path",
    );
  const [said, found] = [scan("mentions"), scan("hits")];
  if (said === undefined || found === undefined) return { mentions: 0, hits: 0 };
  const ids = said.select("id").filter(pl.col("id").isNotNull());
  const named = found.select("search", "id").filter(pl.col("id").isNotNull());
  const searches = readDefinition(dir)?.searches.map(({ id }) => id) ?? [];
  report("Mentions that are in the table twice", (await rowsOf(ids)) - (await rowsOf(ids.unique())));
  report("Hits that are in the table twice", (await rowsOf(named)) - (await rowsOf(named.unique())));
  const live = found.filter(pl.col("vanished").isNull()).select("id");
  const [is, isNot] = [pl.col("vanished").isNotNull(), pl.col("vanished").isNull()];
  report(
    "Mentions that have vanished, but not from a search",
    await rowsOf(said.filter(is).join(live, { on: "id", how: "semi" })),
  );
  report(
    "Mentions that no search finds, and that have not vanished",
    await rowsOf(said.filter(isNot).join(live, { on: "id", how: "anti" })),
  );
  report("Hits without a mention", await rowsOf(named.join(ids, { on: "id", how: "anti" })));
  report("Hits of no search of the corpus", await rowsOf(found.filter(pl.col("search").isIn(searches).not())));
  for (const table of [said, found]) {
    const isTime = (await table.head(0).collect()).getColumn("begintime").dtype.variant === "Datetime";
    const others = table.select(MONTH.neq(OWN_MONTH).alias("is_other")).filter(pl.col("is_other"));
    if (isTime) report("Rows in the file of another month", await rowsOf(others));
  }
  return { mentions: await rowsOf(said), hits: await rowsOf(found) };
}

async function rowsOf(table: LazyFrame): Promise<number> {
  return Number((await table.select(pl.len()).collect()).row(0)[0]);
}
