import type { DuckDBConnection } from "@duckdb/node-api";
import type { PolarsFrame } from "../frames/polars.js";
import type { Fields } from "./fields.js";
import type { ReceivedFile } from "./receiveFile.js";

/** A file to read, and where. */
export interface TableInput {
  readonly connection: DuckDBConnection;
  /** The private directory, the only one that DuckDB may access. */
  readonly directory: string;
  readonly file: ReceivedFile;
  /** The described columns. */
  readonly fields: Fields;
  /** Whether the file matches its description. */
  readonly isDescribed: boolean;
  readonly encoding: string | undefined;
  /** Whether to keep the cells of a CSV file as text. */
  readonly asText: boolean;
}

/** Reads a file of one format. Only Parquet has metadata. */
export type TableReader = (
  input: TableInput,
) => Promise<{ readonly frame: PolarsFrame; readonly metadata?: ReadonlyMap<string, string> }>;

/** The view of the rows of a file. */
export const ROWS = "rows";
