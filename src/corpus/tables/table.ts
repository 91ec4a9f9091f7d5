import { type PolarsFrame, pl } from "../../frames/polars.js";
import { readPart, writePart } from "./parquetPart.js";
import { type TableName, tableFile } from "./tablePaths.js";

/** The tables that are one file. */
type SingleTable = Exclude<TableName, "mentions" | "hits">;

/** The operations that fill tables of lookups, and the columns of mentions with the ids. */
export const LOOKED_UP = {
  people: { operation: "person", column: "personid" },
  programs: { operation: "program", column: "programid" },
} as const;

/** Zero, negative numbers and empty text are no ids. */
export const NO_ID = /^(0|-.*|\s*)$/;

/** Ids in the order of their numbers, without loss of precision: they are text. */
export const BY_ID = [pl.col("id").cast(pl.String).str.lengths(), pl.col("id").cast(pl.String)];

/** Replaces a table that is one file. */
export function writeTable(dir: string, name: SingleTable, frame: PolarsFrame): Promise<void> {
  return writePart(dir, tableFile(name), frame);
}

/** Reads a table that is one file; undefined if it has not been written yet. */
export function readTable(dir: string, name: SingleTable): PolarsFrame | undefined {
  try {
    return readPart(dir, tableFile(name));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
