import { createRequire } from "node:module";
import { ArchiveError } from "../errors/index.js";
import { faulty } from "../errors/validators.js";
import type { DanfoFrame } from "../util/frameTypes.js";
import { convertColumns } from "./convertColumns.js";
import { longInts, numberedColumns } from "./frameColumns.js";
import type { PolarsFrame } from "./polars.js";

// The only code that uses danfo: converts polars frames to danfo frames, and danfo frames to rows.

type DanfoLibrary = Pick<typeof import("danfojs-node"), "DataFrame">;

let library: DanfoLibrary | undefined;

const HINT =
  'Add to package.json: "dependencies": { "danfojs-node": "1.2.0" }, "overrides": { "danfojs-node": { "xlsx": ' +
  '"npm:@e965/xlsx@0.20.3", "@tensorflow/tfjs-node": "npm:@tensorflow/tfjs@3.21.0" } }, then type: npm install';

/** danfojs-node, loaded on first use, because loading takes more than a second. */
export function danfo(): DanfoLibrary {
  if (library !== undefined) return library;
  try {
    library = createRequire(import.meta.url)("danfojs-node") as DanfoLibrary;
    return library;
  } catch (cause) {
    const message = 'danfojs-node cannot be loaded, and engine: "danfo" needs it.';
    throw new ArchiveError(message, { code: "ENGINE_MISSING", hint: HINT, cause });
  }
}

export function isDanfoFrame(value: unknown): value is DanfoFrame {
  return library !== undefined && value instanceof library.DataFrame;
}

// danfo has four dtypes, which only control computations; the values are plain JavaScript.
const DTYPES: Readonly<Record<string, string>> = { Int64: "int32", Float64: "float32", Bool: "boolean" };

/**
 * Converts a polars frame. Timestamps and integers beyond 2^53, for which danfo has no dtype, become text. Columns and dtypes are
 * explicit, because danfo would read rows by position and infer the dtypes from the first rows.
 */
export function toDanfo(frame: PolarsFrame): DanfoFrame {
  // A danfo frame stores its columns in a property of this name.
  if (frame.columns.includes("columns"))
    throw faulty("frame", 'danfo has no column called "columns"', 'Rename it: frame.rename({ columns: "columns_" }).');
  const variants = frame.dtypes.map(({ variant }) => variant);
  const timestamps = frame.columns.filter((_name, at) => variants[at] === "Datetime");
  const withText = convertColumns(frame, [
    ...timestamps.map((name) => ({ name, storedType: "datetime" as const, type: "string" as const, flags: 0 })),
    ...longInts(frame).map((name) => ({ name, storedType: "int" as const, type: "string" as const, flags: 0 })),
  ]);
  const dtypes = withText.dtypes.map((dtype) => DTYPES[dtype.variant] ?? "string");
  return new (danfo().DataFrame)(numberedColumns(withText).rows(), { columns: withText.columns, dtypes });
}

export function danfoRecords(frame: DanfoFrame): Record<string, unknown>[] {
  const names = frame.columns as string[];
  // A column named "values" would hide the property `values` of the frame.
  const rows = Reflect.get(Object.getPrototypeOf(frame) as object, "values", frame) as unknown[][];
  return rows.map((row) => Object.fromEntries(names.map((name, at) => [name, row[at]])));
}
