import { pl } from "../../frames/polars.js";

/**
 * Files of one scan. It reads ahead in several of them; but the time of a plan grows with the square of the number of its
 * scans.
 */
const SCAN_FILES = 4;

/**
 * The rows of IPC files, one file after the other, by the exact paths of the files. `scanIPC` itself takes `[x]` in a path
 * for a pattern, and `a=1` for the value of a column `a`, which then replaces what the file has.
 */
export function scanParts(paths: readonly string[]): pl.LazyDataFrame {
  const scans: pl.LazyDataFrame[] = [];
  for (let at = 0; at < paths.length; at += SCAN_FILES) scans.push(scanExactly(paths.slice(at, at + SCAN_FILES)));
  return pl.concat(scans);
}

function scanExactly(paths: readonly string[]): pl.LazyDataFrame {
  const scans = paths.map((path) => planOf<ScanPlan>(pl.scanIPC(path)).Scan);
  const [scan] = scans as [ScanPlan["Scan"]];
  scan.sources.Paths = scans.flatMap(({ sources }) => sources.Paths);
  scan.unified_scan_args.glob = false;
  scan.unified_scan_args.hive_options.enabled = false;
  return lazyOf({ Scan: scan });
}

/** The plan of a lazy frame, as polars 0.24.1 writes it. */
export function planOf<T>(lazy: pl.LazyDataFrame): T {
  return JSON.parse(lazy.serialize("json").toString()) as T;
}

/** The lazy frame of a plan. */
export function lazyOf(plan: unknown): pl.LazyDataFrame {
  return pl.LazyDataFrame.deserialize(Buffer.from(JSON.stringify(plan)), "json");
}

/** What is set of the plan of a scan. */
interface ScanPlan {
  Scan: {
    sources: { Paths: unknown[] };
    unified_scan_args: { glob: boolean; hive_options: { enabled: boolean } };
  };
}
