import { createRequire } from "node:module";
import { ArchiveError } from "../errors/index.js";
import type { DanfoFrame } from "../util/frameTypes.js";
import { convertColumns } from "./convertColumns.js";
import { longInts, numberedColumns } from "./frameColumns.js";
import type { FrameEngine } from "./frameEngine.js";
import type { PolarsFrame } from "./polars.js";
import { TypeFlags } from "./typeFlags.js";

type DanfoLibrary = Pick<typeof import("danfojs-node"), "DataFrame">;

let library: DanfoLibrary | undefined;

const HINT = `Add to package.json:
  "dependencies": { "danfojs-node": "1.2.0" },
  "overrides": { "danfojs-node": { "xlsx": "npm:@e965/xlsx@0.20.3", "@tensorflow/tfjs-node": "npm:@tensorflow/tfjs@3.21.0" } }
then type: npm install`;

/** danfojs-node, loaded on first use, because loading takes more than a second. */
function danfo(): DanfoLibrary {
  if (library !== undefined) return library;
  try {
    library = createRequire(import.meta.url)("danfojs-node") as DanfoLibrary;
    return library;
  } catch (cause) {
    const message = 'danfojs-node cannot be loaded, and engine: "danfo" needs it.';
    throw new ArchiveError(message, { code: "ENGINE_MISSING", hint: HINT, cause });
  }
}

/**
 * The engine for danfojs-node. It passes columns and dtypes explicitly, because danfo would read rows by position and infer
 * the dtypes from the first rows.
 */
export const danfoEngine: FrameEngine<DanfoFrame> = {
  load: () => void danfo(),
  fromPolars(frame) {
    const plain = withDanfoValues(frame);
    const dtypes = plain.dtypes.map((dtype) => DTYPES[dtype.variant] ?? "string");
    return new (danfo().DataFrame)(numberedColumns(plain).rows(), { columns: plain.columns, dtypes });
  },
  isFrame: (value): value is DanfoFrame => library !== undefined && value instanceof library.DataFrame,
  withColumns(frame, columns) {
    const added = danfoEngine.fromPolars(columns);
    const addedRows = rowsOf(added);
    return new (danfo().DataFrame)(
      rowsOf(frame).map((row, at) => [...row, ...(addedRows[at] ?? [])]),
      {
        columns: [...frame.columns, ...added.columns],
        dtypes: [...frame.dtypes, ...added.dtypes],
        index: [...frame.index],
      },
    );
  },
  toRecords(frame) {
    return rowsOf(frame).map((row) =>
      Object.fromEntries(frame.columns.map((name: string, at: number) => [name, row[at]])),
    );
  },
};

function rowsOf(frame: DanfoFrame): unknown[][] {
  // A column named "values" would hide the property `values` of the frame.
  return Reflect.get(Object.getPrototypeOf(frame) as object, "values", frame) as unknown[][];
}

// danfo has four dtypes, which only control computations; the values are plain JavaScript.
const DTYPES: Readonly<Record<string, string>> = { Int64: "int32", Float64: "float32", Bool: "boolean" };

/** Converts timestamps and integers beyond 2^53, for which danfo has no dtype, to text. */
function withDanfoValues(frame: PolarsFrame): PolarsFrame {
  const timestamps = frame.columns.filter((_name, at) => frame.dtypes[at]?.variant === "Datetime");
  return convertColumns(frame, [
    ...timestamps.map((name) => ({ name, stored: "datetime" as const, flags: TypeFlags.string })),
    ...longInts(frame).map((name) => ({ name, stored: "int" as const, flags: TypeFlags.string })),
  ]);
}
