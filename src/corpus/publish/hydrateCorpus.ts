import { contextOf } from "../../call/clientContext.js";
import { invalid } from "../../errors/validators.js";
import { type PolarsFrame, pl } from "../../frames/polars.js";
import { userPath } from "../../fs/userPath.js";
import { operations } from "../../service/operations/operations.js";
import { sha256Of } from "../../util/sha256Of.js";
import { type Definition, readDefinition } from "../definition/definition.js";
import { runCorpus } from "../run/corpusRun.js";
import { type CorpusSummary, checkRunOptions, type RunOptions } from "../run/runOptions.js";
import { changeDefinition, checkSource } from "../run/withCorpus.js";
import { COLUMNS, CONTENT_HASH, type DescribedName, emptyTable } from "./tableColumns.js";
import { filesOf, readPart, tableOf } from "./tableFiles.js";

/** How the mentions of a corpus compare with those of an export, in rows. */
export interface Fidelity {
  /** The same content. */
  readonly same: number;
  /** Another content: corrected captions, say. */
  readonly changed: number;
  /** In the export only: the service no longer returns them. */
  readonly vanished: number;
  /** In the corpus only: the service did not return them then. */
  readonly added: number;
  /** One row for each that is not the same: `id`, `begintime` and `difference`: "changed", "vanished" or "added". */
  readonly differences: PolarsFrame;
}

/** Options of {@link hydrateCorpus}. */
export interface HydrateOptions extends RunOptions {
  /** The client that fetches the rows, with a key of your own. */
  archive: object;
}

/** What {@link hydrateCorpus} did. */
export interface Hydration {
  /** How the build ended. */
  readonly summary: CorpusSummary;
  /** How the corpus compares with the export; null until the build is complete. */
  readonly fidelity: Fidelity | null;
}

/**
 * Builds the corpus of an export without text again, with a key of one's own: the same searches over the same days. The service
 * has no lookup of mentions by id. Says how faithful the result is. Resumable like a build, and the same call on a finished corpus sends
 * no request.
 *
 * @param source the directory of an export that was made with `idsOnly`
 * @param dir the directory of the new corpus, created if it does not exist
 * @param options see {@link HydrateOptions}
 * @throws ValidationError if `source` is not such an export, or `dir` another corpus; ArchiveError `OTHER_SERVICE` if the client is of
 *   another service, and as of a build
 * @example
 * const { fidelity } = await hydrateCorpus("inflation-ids/", "inflation/", { archive });
 * fidelity?.changed; //=> 3
 */
export async function hydrateCorpus(source: string, dir: string, options: HydrateOptions): Promise<Hydration> {
  const from = userPath("source", source, "inflation-ids/");
  const to = userPath("dir", dir, "inflation/");
  const checked = checkRunOptions(options, "hydrateCorpus", ["archive"]);
  const client = contextOf(options?.archive);
  if (from.endsWith(".zip")) throw invalid("source", from, "Unpack it, and give the directory.");
  const definition = readDefinition(from);
  if (definition === undefined) throw invalid("source", from, "Give the directory of an export of a corpus.");
  checkSource(definition, client, from);
  checkIdsOnly(from);
  // An existing corpus must have the same searches.
  await changeDefinition(to, (existing = definition) => {
    if (searchesOf(existing) === searchesOf(definition)) return existing;
    throw invalid("dir", to, "It is a corpus of other searches. Give a directory that does not exist.");
  });
  const summary = await runCorpus(to, client, checked);
  return { summary, fidelity: summary.verdict === "complete" ? fidelityOf(from, to) : null };
}

function searchesOf({ source, window, until, searches }: Definition): string {
  return JSON.stringify([source, window, until, searches.map(({ id }) => id).sort()]);
}

/** @throws ValidationError unless a directory is an export without text */
function checkIdsOnly(dir: string): void {
  const [path] = filesOf(dir, "mentions");
  const columns = path === undefined ? [] : readPart(dir, path).columns;
  if (columns.includes(CONTENT_HASH)) return;
  const hint = columns.includes("text")
    ? "It has its text: openCorpus(dir) reads it."
    : "Give an export that was made with idsOnly by this version.";
  throw invalid("source", dir, hint);
}

const [BEFORE, AFTER] = [pl.col("before"), pl.col("after")];
const DIFFERENCE = pl.when(BEFORE.isNull()).then(pl.lit("added")).when(BEFORE.eq(AFTER)).then(pl.lit("same"));

/** Compares the mentions of a corpus with those of an export. Rows that had vanished are left out on both sides. */
function fidelityOf(exported: string, dir: string): Fidelity {
  const before = hashedRows(exported, "before", (rows) => rows.getColumn(CONTENT_HASH).toArray() as string[]);
  const after = hashedRows(dir, "after", contentHashes);
  const found = after
    .join(before.select("id", "before"), { on: "id", how: "left" })
    .withColumns(DIFFERENCE.otherwise(pl.lit("changed")).alias("difference"));
  const gone = before.join(after, { on: "id", how: "anti" }).withColumns(pl.lit("vanished").alias("difference"));
  const all = pl.concat([found, gone].map((rows) => rows.select("id", "begintime", "difference")));
  const counts = all.groupBy("difference").agg(pl.len()).rows() as Array<[string, number]>;
  const differences = all.filter(pl.col("difference").neq(pl.lit("same"))).sort(["begintime", "id"]);
  return { same: 0, changed: 0, vanished: 0, added: 0, ...Object.fromEntries(counts), differences };
}

/** Ids, times and checksums of the mentions that have not vanished. */
function hashedRows(dir: string, name: string, hashesOf: (rows: PolarsFrame) => string[]): PolarsFrame {
  const parts = filesOf(dir, "mentions").map((path) => readPart(dir, path));
  const all = parts.map((part) => {
    const rows = part.filter(pl.col("vanished").isNull());
    return rows.select("id", "begintime").withColumns(pl.Series(name, hashesOf(rows), pl.String));
  });
  return all.length > 0 ? pl.concat(all) : emptyTable("mentions").select("id", "begintime", pl.lit("").alias(name));
}

/** Columns with ids, which are text but say nothing. */
const IDS = ["search", "span", "id"];
const OTHER_THAN_TEXT = /^(?:U?Int|Float|Date|Bool)/;
const ID_UNLESS_TEXT = pl.when(pl.col("id").str.contains("\\s")).then(pl.lit(null)).otherwise(pl.col("id")).alias("id");

/**
 * Copies a file of a table without the columns that are declared as text, or have text: a service may put it into any column. Mentions get a
 * checksum of their content instead, which `hydrateCorpus` compares.
 */
export function writeIdsOnly(dir: string, path: string, to: string): PolarsFrame {
  const table = tableOf(path) as DescribedName;
  const rows = readPart(dir, path);
  const found = new Map(rows.columns.map((name, at) => [name, rows.dtypes[at]?.variant ?? ""]));
  const kept = Object.entries(COLUMNS[table]).filter(
    ([name, [dtype]]) =>
      IDS.includes(name) || [dtype?.variant, found.get(name)].every((variant = "") => OTHER_THAN_TEXT.test(variant)),
  );
  let result = rows.select(...kept.map(([name]) => name).filter((name) => found.has(name)));
  if (found.get("id") === "String") result = result.withColumns(ID_UNLESS_TEXT);
  if (table === "mentions") result = result.withColumns(pl.Series(CONTENT_HASH, contentHashes(rows), pl.String));
  result.writeParquet(to, { compression: "zstd" });
  return result;
}

const DECLARED: ReadonlySet<string> = new Set(Object.keys(operations.mentions.columns));

/**
 * The SHA-256 of each mention as the service sent it: of the JSON list of its declared columns with values, by name. A column that the service
 * adds later changes no mention. Whoever has the text can recognize it by this, but nobody can read it.
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
    .filter(({ name }) => DECLARED.has(name))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  return Array.from({ length: rows.height }, (_, row) => {
    const members = columns.flatMap(({ name, values }) => {
      const value = values[row];
      return value === null || value === undefined ? [] : [[name, String(value)]];
    });
    return sha256Of(JSON.stringify(members));
  });
}
