import { type LazyFrame, type PolarsExpr, pl } from "./polars.js";

// The only code that reads or edits serialized polars expressions and plans. Their format is internal to nodejs-polars 0.24.1;
// polarsPlan.test.ts fails on any other version.

/** A node of a serialized expression; `undefined` if polars cannot serialize the expression. */
export type ExprNode = { readonly [name: string]: unknown } | string | undefined;

/** The syntax tree of an expression. Callers must treat unknown nodes as opaque. */
export function exprNode(expr: PolarsExpr): ExprNode {
  try {
    return JSON.parse((expr as unknown as LazyFrame).serialize("json").toString()) as ExprNode;
  } catch {
    return undefined;
  }
}

/**
 * Scans the rows of IPC files in order, by their exact paths. `pl.scanIPC` would treat `[x]` in a path as a pattern, and
 * `a=1` as the value of a column `a` that replaces the column in the file.
 */
export function scanIpcFiles(paths: readonly string[]): LazyFrame {
  const plans = paths.map((path) => planOf<ScanPlan>(pl.scanIPC(path)));
  return scanOf(
    plans[0] as ScanPlan,
    plans.flatMap(({ Scan }) => Scan.sources.Paths),
  );
}

/**
 * Scans exactly these Parquet files, which have the same columns. `pl.scanParquet` takes one path, and concatenated scans take twice as
 * long.
 */
export function scanParquetFiles(paths: readonly string[], pathColumn?: string): LazyFrame {
  const options = pathColumn === undefined ? {} : { includeFilePaths: pathColumn };
  const plan = planOf<ScanPlan>(pl.scanParquet(paths[0] as string, { hivePartitioning: false, ...options }));
  return scanOf(
    plan,
    paths.map((inner) => ({ inner })),
  );
}

function scanOf(plan: ScanPlan, sources: unknown[]): LazyFrame {
  plan.Scan.sources.Paths = sources;
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

/** A 64-bit integer that adopts the type of its operand. `pl.lit` would turn a bigint into a UInt64, which has no sign. */
export function integerLiteral(value: bigint): PolarsExpr {
  return pl.Expr.deserialize(Buffer.from(`{"Literal":{"Dyn":{"Int":${value}}}}`), "json") as PolarsExpr;
}
