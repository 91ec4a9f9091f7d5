import { type PolarsFrame, pl } from "../../frames/polars.js";
import { readPart, writePart } from "./parquetPart.js";
import { scanTable, type TableName, tableFile } from "./tablePaths.js";

/** The tables that are one file. */
export type SingleTable = Exclude<TableName, "mentions" | "hits">;

/** The operations that fill tables of lookups, and the columns of mentions with the ids. */
export const LOOKED_UP = {
  people: { operation: "person", column: "personid" },
  programs: { operation: "program", column: "programid" },
} as const;

/** The tables whose rows are sorted by id. Those of searches are in the order of the definition. */
const SORTED: readonly SingleTable[] = ["people", "programs"];

/** Ids in the order of their numbers, without loss of precision: they are text. */
function idOrder(column: string): pl.Expr[] {
  const text = pl.col(column).cast(pl.String);
  return [text.str.lengths(), text];
}

/**
 * Replaces a table that is one file. People and programs are sorted by id, so that equal rows give equal bytes.
 *
 * @throws FileError
 * @example
 * await writeTable("inflation/", "people", people);
 */
export function writeTable(dir: string, name: SingleTable, frame: PolarsFrame): Promise<void> {
  const isSorted = SORTED.includes(name) && frame.columns.includes("id");
  return writePart(
    dir,
    tableFile(name),
    isSorted ? (frame.lazy().sort(idOrder("id")).collectSync() as PolarsFrame) : frame,
  );
}

/**
 * Reads a table that is one file.
 *
 * @returns undefined if it has not been written yet
 * @example
 * readTable("inflation/", "searches")?.height; //=> 24
 */
export function readTable(dir: string, name: SingleTable): PolarsFrame | undefined {
  try {
    return readPart(dir, tableFile(name));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/**
 * The ids in the mentions that a table of lookups does not have yet, in the order of their numbers. Zero and negative numbers
 * are no ids.
 *
 * @example
 * await idsToLookUp("inflation/", "personid", "people"); //=> ["6153", "9272"]
 */
export async function idsToLookUp(
  dir: string,
  column: "personid" | "programid",
  table: "people" | "programs",
): Promise<readonly string[]> {
  const id = pl.col("id");
  const mentioned = await scanTable(dir, "mentions")
    ?.select(pl.col(column).cast(pl.String).alias("id"))
    .unique()
    .filter(id.isNotNull().and(id.str.contains("^(0|-.*|\\s*)$").not()))
    .collect();
  if (mentioned === undefined) return [];
  const known = readTable(dir, table)?.select(id.cast(pl.String));
  const missing = known === undefined ? mentioned : mentioned.join(known, { on: "id", how: "anti" });
  return [...missing.sort(idOrder("id")).getColumn("id").toArray()] as string[];
}
