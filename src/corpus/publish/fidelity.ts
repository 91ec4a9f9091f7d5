import { invalid } from "../../errors/validators.js";
import { type PolarsFrame, pl } from "../../frames/polars.js";
import { CONTENT_HASH, contentHashes } from "./contentHashes.js";
import { corpusTable } from "./corpusTables.js";
import { filesOf, readPart } from "./tableFiles.js";

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

const IS_LIVE = pl.col("vanished").isNull();
const DIFFERENCE = pl
  .when(pl.col("before").isNull())
  .then(pl.lit("added"))
  .when(pl.col("before").eq(pl.col("after")))
  .then(pl.lit("same"))
  .otherwise(pl.lit("changed"))
  .alias("difference");

/** @throws ValidationError unless a directory is an export without text */
export function checkIdsOnly(dir: string): void {
  const [path] = filesOf(dir, "mentions");
  const columns = path === undefined ? [] : readPart(dir, path).columns;
  if (columns.includes(CONTENT_HASH)) return;
  const hint = columns.includes("text")
    ? "It has its text: openCorpus(dir) reads it."
    : "Give an export that was made with idsOnly by this version.";
  throw invalid("source", dir, hint);
}

/** Compares the mentions of a corpus with those of an export. Rows that had vanished are left out on both sides. */
export function fidelityOf(exported: string, dir: string): Fidelity {
  const before = hashedRows(exported, "before", (rows) => rows.getColumn(CONTENT_HASH).toArray() as string[]);
  const after = hashedRows(dir, "after", contentHashes);
  const found = after.join(before.select("id", "before"), { on: "id", how: "left" }).withColumns(DIFFERENCE);
  const gone = before.join(after, { on: "id", how: "anti" }).withColumns(pl.lit("vanished").alias("difference"));
  const all = pl.concat([found, gone].map((rows) => rows.select("id", "begintime", "difference")));
  const counts = all.groupBy("difference").agg(pl.len()).rows() as Array<[string, number]>;
  const differences = all.filter(pl.col("difference").neq(pl.lit("same"))).sort(["begintime", "id"]);
  return { same: 0, changed: 0, vanished: 0, added: 0, ...Object.fromEntries(counts), differences };
}

/** Ids, times and checksums of the mentions that have not vanished. */
function hashedRows(dir: string, name: string, hashesOf: (rows: PolarsFrame) => string[]): PolarsFrame {
  const parts = filesOf(dir, "mentions").map((path) => {
    const rows = readPart(dir, path).filter(IS_LIVE);
    return rows.select("id", "begintime").withColumns(pl.Series(name, hashesOf(rows), pl.String));
  });
  if (parts.length > 0) return pl.concat(parts);
  return corpusTable(dir, "mentions")
    .select(pl.col("id"), pl.col("begintime"), pl.lit("").alias(name))
    .collectSync() as PolarsFrame;
}
