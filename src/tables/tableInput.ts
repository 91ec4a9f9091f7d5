import type { DuckDBConnection } from "@duckdb/node-api";
import type { PolarsFrame } from "../frames/polars.js";
import type { Fields } from "./fields.js";
import type { ReceivedFile } from "./receiveFile.js";

/** A file to read, and where. */
export interface TableInput {
  readonly connection: DuckDBConnection;
  /** Private, and the only one that DuckDB may read. */
  readonly directory: string;
  readonly file: ReceivedFile;
  /** What is known about the columns. */
  readonly fields: Fields;
  /** Whether the file is the one that was described. */
  readonly isDescribed: boolean;
  readonly encoding: string | undefined;
  /** Whether the cells of a CSV file stay as they are spelled. */
  readonly asText: boolean;
}

/** Reads a file of one format. The metadata are those of Parquet. */
export type TableReader = (
  input: TableInput,
) => Promise<{ readonly frame: PolarsFrame; readonly metadata?: ReadonlyMap<string, string> }>;

/** The view of the rows of a file. */
export const ROWS = "rows";
