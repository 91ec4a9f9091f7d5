import { faulty, invalid } from "../errors/validators.js";
import type { DanfoFrame, Engine, FrameTypes } from "../util/frameTypes.js";
import { convertColumns } from "./convertColumns.js";
import { danfo, danfoRecords, isDanfoFrame, toDanfo } from "./danfo.js";
import { dtypeNames, withDtypes } from "./dtypes.js";
import { longInts, numberedColumns } from "./frameColumns.js";
import { refuseOtherPolars } from "./otherPolars.js";
import { type PolarsFrame, pl } from "./polars.js";

export type { Engine, FrameTypes } from "../util/frameTypes.js";

/** The names of the engines. */
export const ENGINES: readonly Engine[] = ["polars", "danfo"];

/**
 * Whether a value is a polars frame.
 *
 * @throws ValidationError for one of another copy of nodejs-polars
 */
export function isPolarsFrame(value: unknown): value is PolarsFrame {
  refuseOtherPolars(value);
  return pl.DataFrame.isDataFrame(value);
}

/** @throws ArchiveError `ENGINE_MISSING` with install instructions, if the library of an engine cannot be loaded */
export function loadEngine(engine: Engine): void {
  if (engine === "danfo") danfo();
}

/** Converts a polars frame to a frame of an engine. */
export function inEngine<E extends Engine>(frame: PolarsFrame, engine: E): FrameTypes[E] {
  return (engine === "danfo" ? toDanfo(frame) : frame) as FrameTypes[E];
}

/** The rows of a frame as plain objects. Timestamps become Date (polars) or text (danfo), integers beyond 2^53 bigint or text. */
export function frameRecords(frame: PolarsFrame | DanfoFrame): Record<string, unknown>[] {
  if (!isPolarsFrame(frame)) return danfoRecords(frame);
  const longNames = longInts(frame);
  const withText = convertColumns(
    frame,
    longNames.map((name) => ({ name, storedType: "int", type: "string", flags: 0 })),
  );
  // If a column has integers beyond 2^53, all its values become bigint, so that they are exact and of one type.
  const columns = frame.columns.map((name) => [name, longNames.includes(name)] as const);
  const cell = (value: unknown, isText: boolean) => (isText && value !== null ? BigInt(value as string) : value);
  return toRows(withJavaScriptTypes(numberedColumns(withText))).map((row) =>
    Object.fromEntries(columns.map(([name, isText], at) => [name, cell(row[at], isText)])),
  );
}

/** Casts to dtypes with JavaScript values: polars throws for decimals, and rounds nanoseconds to the wrong millisecond. */
function withJavaScriptTypes(frame: PolarsFrame): PolarsFrame {
  const dtypes = dtypeNames(frame);
  return withDtypes(
    frame,
    dtypes.map((name) => (name.startsWith("Decimal") ? "Float64" : name.replace("Datetime(ns,", "Datetime(ms,"))),
  );
}

function toRows(frame: PolarsFrame): unknown[][] {
  try {
    return frame.rows();
  } catch (cause) {
    throw faulty("frame", (cause as Error).message, "Cast or drop the column without values in JavaScript.", cause);
  }
}

/**
 * Checks that a value is a polars frame. Every function that takes a frame begins with it.
 *
 * @param name the name of the parameter
 * @param expected what to give instead
 * @throws ValidationError that shows the value; for a promise that `await` is missing, for a danfo frame how to convert it
 */
export function checkPolarsFrame(value: unknown, name = "frame", expected = "a polars frame"): PolarsFrame {
  if (isPolarsFrame(value)) return value;
  refuseDanfo(value, name);
  throw invalid(name, value, `Give ${expected}.`);
}

/** @throws ValidationError for a danfo frame, which only conversions and writers take */
export function refuseDanfo(value: unknown, name: string): void {
  if (isDanfoFrame(value)) throw faulty(name, "it is a danfo frame", "Convert it to polars first: toDataFrame(frame).");
}
