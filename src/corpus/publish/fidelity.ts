import { invalid } from "../../errors/validators.js";
import { type PolarsFrame, pl } from "../../frames/polars.js";
import { readPart } from "../tables/parquetPart.js";
import { filesOf } from "../tables/tablePaths.js";
import { CONTENT_HASH, contentHashes } from "./contentHashes.js";

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
const DIFFERENCE = pl.col("difference");
const IS_DIFFERENT = DIFFERENCE.isNotNull().and(DIFFERENCE.neq(pl.lit("same")));

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
  const expected = new Map<string, string>();
  for (const rows of liveRows(exported)) {
    const hashes = textsOf(rows, CONTENT_HASH);
    for (const [at, id] of textsOf(rows, "id").entries()) expected.set(id, hashes[at] as string);
  }
  const found = new Set<string>();
  const counts = { same: 0, changed: 0, vanished: 0, added: 0 };
  const differences: PolarsFrame[] = [];
  const note = (rows: PolarsFrame, kinds: Array<keyof typeof counts | null>) => {
    for (const kind of kinds) if (kind !== null) counts[kind]++;
    const values = pl.Series("difference", kinds, pl.String);
    differences.push(rows.select("id", "begintime").withColumns(values).filter(IS_DIFFERENT));
  };
  for (const rows of liveRows(dir)) {
    const hashes = contentHashes(rows);
    const kinds = textsOf(rows, "id").map((id, at) => {
      found.add(id);
      const hash = expected.get(id);
      return hash === undefined ? "added" : hash === hashes[at] ? "same" : "changed";
    });
    note(rows, kinds);
  }
  for (const rows of liveRows(exported)) {
    const kinds = textsOf(rows, "id").map((id) => (found.has(id) ? null : "vanished"));
    note(rows, kinds);
  }
  return { ...counts, differences: together(differences) };
}

function* liveRows(dir: string): Generator<PolarsFrame> {
  for (const path of filesOf(dir, "mentions")) {
    const rows = readPart(dir, path).filter(IS_LIVE);
    if (rows.height > 0) yield rows;
  }
}

function textsOf(rows: PolarsFrame, name: string): string[] {
  return [...rows.getColumn(name).toArray()].map(String);
}

function together(frames: readonly PolarsFrame[]): PolarsFrame {
  const full = frames.filter(({ height }) => height > 0);
  if (full.length > 0) return pl.concat(full).sort(["begintime", "id"]);
  return pl.DataFrame({
    id: pl.Series("id", [], pl.String),
    begintime: pl.Series("begintime", [], pl.Int64).cast(pl.Datetime("us", "UTC")),
    difference: pl.Series("difference", [], pl.String),
  });
}
