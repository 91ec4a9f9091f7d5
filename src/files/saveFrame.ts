import { join } from "node:path";
import { checkedOptions, invalid } from "../errors/validators.js";
import { isDanfoFrame } from "../frames/danfo.js";
import { type Engine, type FrameTypes, isPolarsFrame } from "../frames/engine.js";
import type { PolarsFrame } from "../frames/polars.js";
import { provenanceOf } from "../frames/provenanceOf.js";
import { toDataFrame } from "../frames/toDataFrame.js";
import { outputPath, WRITE_OPTIONS, type WriteOptions } from "./outputPath.js";
import { StagingDirectory } from "./stagingDirectory.js";
import { writeLazy, writeRows } from "./writeRows.js";

/**
 * Writes a frame to a file: CSV, JSON, JSON Lines, XLSX, Parquet or Arrow, by `format` or by the extension. An existing file is replaced in
 * one step.
 *
 * @param frame a polars or a danfo frame
 * @param dest a file or a directory. A path is a directory if it ends in `/`, is an existing directory, or has no extension (`"out"`); the
 * file in it is called `frame.<format>` or `filename`
 * @returns the path of the file
 * @example
 * await saveFrame(pl.DataFrame({ a: [1, 2] }), "numbers.csv"); //=> "numbers.csv"
 */
export async function saveFrame(frame: FrameTypes[Engine], dest: string, options: WriteOptions = {}): Promise<string> {
  const checked = checkedOptions(options, WRITE_OPTIONS, "option of saveFrame");
  const rows = asPolarsFrame(frame);
  if (rows === undefined)
    throw invalid("frame", frame, "Give a polars or a danfo frame. toDataFrame(rows) makes one from rows.");
  const target = outputPath(dest, "frame", checked);
  const staging = new StagingDirectory(target);
  try {
    const provenance = provenanceOf(frame);
    const output = staging.writerTarget();
    const file = await writeLazy(rows.lazy(), join(output.scratch, "rows.arrow"));
    await staging.publish(await writeRows([file], output, target, provenance), provenance);
    return target.path;
  } catch (error) {
    staging.remove();
    throw staging.toError(error);
  } finally {
    staging.release();
  }
}

/** A frame of any engine as a polars frame; undefined for anything else. */
export function asPolarsFrame(value: unknown): PolarsFrame | undefined {
  if (isPolarsFrame(value)) return value;
  return isDanfoFrame(value) ? toDataFrame(value) : undefined;
}
