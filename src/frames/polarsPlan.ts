import { ValidationError } from "../errors/index.js";
import { escaped } from "../util/quoted.js";
import { type LazyFrame, type PolarsExpr, pl } from "./polars.js";

// All code that reads or edits serialized polars expressions and plans. The format is internal to polars 0.24.1; polarsPlan.test.ts fails
// on any other version.

/** A node of a serialized expression; `undefined` if polars cannot serialize the expression. */
export type ExprNode = { readonly [name: string]: unknown } | string | undefined;

type Format = "json" | "bincode";
interface Serializable {
  serialize(format: Format): Buffer;
}

/** The end of the text closes a string, too, so that matching takes linear time. */
const STRING = String.raw`"[^"\\]*(?:\\(?:.|$)[^"\\]*)*(?:"|$)`;
/** Matches strings, and integers that may have too many digits for a JavaScript number. */
const LONG_NUMBER = new RegExp(String.raw`${STRING}|-?\d{16,}(?![\d.eE])`, "gs");
/** Matches strings, and timestamps without a time zone. */
const NAIVE_TIMESTAMP = new RegExp(
  String.raw`"Datetime":\[(-?\d+),"((?:Milli|Micro|Nano)seconds)",null\]|${STRING}`,
  "gs",
);
/** Matches strings, and timestamps without a time zone, in the text form of an expression. */
const PRINTED_TIMESTAMP = /"[^"]*"|\b\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d+)?(?! UTC)\b/g;

/** The syntax tree of an expression. Callers must treat unknown nodes as opaque. Integers of 16 or more digits are strings. */
export function exprNode(expr: PolarsExpr): ExprNode {
  const text = jsonOf(expr);
  if (text === undefined) return undefined;
  return JSON.parse(text.replace(LONG_NUMBER, (token) => (token[0] === '"' ? token : `"${token}"`))) as ExprNode;
}

/**
 * Turns every JavaScript Date in an expression into a UTC timestamp. polars converts them to timestamps without a time zone, which it
 * refuses to compare with the UTC columns of our frames.
 */
export function inUtc(expr: PolarsExpr): PolarsExpr {
  const json = jsonOf(expr);
  if (json === undefined) {
    const tokens = String(expr).match(PRINTED_TIMESTAMP) ?? [];
    if (tokens.every((token) => token[0] === '"')) return expr;
    throw unreachableDate(expr);
  }
  const naive = new Map<string, string>();
  const expected = json.replace(NAIVE_TIMESTAMP, (token, count?: string, unit?: string) => {
    if (count === undefined) return token;
    const utc = `"Datetime":[${count},"${unit}",{"inner":"UTC"}]`;
    naive.set(token, utc);
    return utc;
  });
  if (naive.size === 0) return expr;
  // JSON loses NaN and infinity, and polars parses at most 128 levels of it; bincode has neither limit. A literal always has
  // the same bytes, and comparing the JSON afterwards proves that nothing else has changed.
  let bytes = serialized(expr, "bincode");
  for (const [from, to] of naive) bytes = replaceAll(bytes, literalBytes(from), literalBytes(to));
  const changed = pl.Expr.deserialize(bytes, "bincode") as PolarsExpr;
  if (jsonOf(changed) !== expected) throw unreachableDate(expr);
  return changed;
}

function jsonOf(expr: PolarsExpr): string | undefined {
  try {
    return serialized(expr, "json").toString();
  } catch {
    return undefined;
  }
}

function serialized(expr: PolarsExpr, format: Format): Buffer {
  return (expr as unknown as Serializable).serialize(format);
}

function literalBytes(scalar: string): Buffer {
  const json = Buffer.from(`{"Literal":{"Scalar":{${scalar}}}}`);
  return serialized(pl.Expr.deserialize(json, "json") as PolarsExpr, "bincode");
}

function replaceAll(bytes: Buffer, from: Buffer, to: Buffer): Buffer {
  const parts: Buffer[] = [];
  let start = 0;
  for (let at = bytes.indexOf(from); at >= 0; at = bytes.indexOf(from, start)) {
    parts.push(bytes.subarray(start, at), to);
    start = at + from.length;
  }
  return Buffer.concat([...parts, bytes.subarray(start)]);
}

function unreachableDate(expr: PolarsExpr): ValidationError {
  return new ValidationError(`invalid expression: ${escaped(String(expr), 200)}.`, {
    hint: 'Its dates need a time zone: write pl.lit(date).cast(pl.Datetime("us", "UTC")), or move them into a separate filter.',
  });
}

/** Files are grouped because planning time grows with the square of the number of scans; within a scan, polars prefetches files. */
const FILES_PER_SCAN = 4;

/**
 * Scans the rows of IPC files in order, by their exact paths. `pl.scanIPC` would treat `[x]` in a path as a pattern, and
 * `a=1` as the value of a column `a` that replaces the column in the file.
 */
export function scanIpcFiles(paths: readonly string[]): LazyFrame {
  const scans: LazyFrame[] = [];
  for (let at = 0; at < paths.length; at += FILES_PER_SCAN)
    scans.push(scanExactly(paths.slice(at, at + FILES_PER_SCAN)));
  return pl.concat(scans);
}

function scanExactly(paths: readonly string[]): LazyFrame {
  const scans = paths.map((path) => planOf<ScanPlan>(pl.scanIPC(path)).Scan);
  const [scan] = scans as [ScanPlan["Scan"]];
  scan.sources.Paths = scans.flatMap(({ sources }) => sources.Paths);
  scan.unified_scan_args.glob = false;
  scan.unified_scan_args.hive_options.enabled = false;
  return lazyOf({ Scan: scan });
}

/**
 * One scan of exactly these Parquet files, which have the same columns; `pl.scanParquet` takes one path, and a list of scans twice as
 * long.
 */
export function scanParquetFiles(paths: readonly string[], pathColumn?: string): LazyFrame {
  const options = pathColumn === undefined ? {} : { includeFilePaths: pathColumn };
  const plan = planOf<ScanPlan>(pl.scanParquet(paths[0] as string, { hivePartitioning: false, ...options }));
  plan.Scan.sources.Paths = paths.map((inner) => ({ inner }));
  plan.Scan.unified_scan_args.glob = false;
  plan.Scan.unified_scan_args.hive_options.enabled = false;
  return lazyOf(plan);
}

/** Sets the rows per record batch of an IPC sink, for which `sinkIpc` has no option. */
export function withIpcBatchSize(sink: LazyFrame, rows: number): LazyFrame {
  const plan = planOf<SinkPlan<{ Ipc: { record_batch_size: number | null } }>>(sink);
  plan.Sink.payload.File.file_format.Ipc.record_batch_size = rows;
  return lazyOf(plan);
}

/** Adds an entry to the key-value metadata of a Parquet sink, for which `sinkParquet` has no option. */
export function withParquetMetadata(sink: LazyFrame, key: string, value: string): LazyFrame {
  const plan = planOf<SinkPlan<{ Parquet: { key_value_metadata: unknown } }>>(sink);
  plan.Sink.payload.File.file_format.Parquet.key_value_metadata = { Static: [[key, value]] };
  return lazyOf(plan);
}

function planOf<T>(lazy: LazyFrame): T {
  return JSON.parse(lazy.serialize("json").toString()) as T;
}

function lazyOf(plan: unknown): LazyFrame {
  return pl.LazyDataFrame.deserialize(Buffer.from(JSON.stringify(plan)), "json");
}

interface ScanPlan {
  Scan: {
    sources: { Paths: unknown[] };
    unified_scan_args: { glob: boolean; hive_options: { enabled: boolean } };
  };
}

interface SinkPlan<FileFormat> {
  Sink: { payload: { File: { file_format: FileFormat } } };
}

/** An integer of up to 64 bits that takes the type of what it is compared with: polars' own literals of bigints are UInt64 without a sign. */
export function integerLiteral(value: bigint): PolarsExpr {
  return pl.Expr.deserialize(Buffer.from(`{"Literal":{"Dyn":{"Int":${value}}}}`), "json") as PolarsExpr;
}
