import { checkedOptions, invalid } from "../errors/validators.js";
import { isReserved } from "../frames/columnName.js";
import { ENGINES, type Engine, engines, type FrameTypes } from "../frames/engine.js";
import type { FrameEngine } from "../frames/frameEngine.js";
import type { PolarsFrame } from "../frames/polars.js";
import { provenanceOf } from "../frames/provenanceOf.js";
import { toDataFrame } from "../frames/toDataFrame.js";
import { outputPath, type PartitionedFormat, WRITE_OPTIONS, type WriteOptions } from "./outputPath.js";
import { fileProvenance } from "./package/fileProvenance.js";
import { tableSchema } from "./package/tableSchema.js";
import { openWriter, sinkFrames } from "./sinkFrames.js";
import { StagingDirectory } from "./stagingDirectory.js";

/** Rows of a frame that are handed to a writer in one go. */
const SLICE_ROWS = 10_000;

/**
 * Writes a frame to a file: CSV, JSON, JSON Lines, XLSX, Parquet or Arrow, by `format` or the extension. The file is whole
 * or absent.
 *
 * @param frame a polars or a danfo frame
 * @param dest a file, or a folder: a path that ends in `/`, is a folder already, or has no extension (`"out"`). In a folder the file is
 *   called `frame.<format>` or `filename`
 * @returns the path of the file
 * @throws ValidationError for what is not valid, FileError where the file cannot be written
 * @example
 * await saveFrame(pl.DataFrame({ a: [1, 2] }), "numbers.csv"); //=> "numbers.csv"
 */
export async function saveFrame(
  frame: FrameTypes[Engine],
  dest: string,
  given: WriteOptions & PartitionedFormat = {},
): Promise<string> {
  const options = checkedOptions(given, WRITE_OPTIONS, "option of saveFrame");
  const rows = polarsFrame(frame);
  const target = outputPath(dest, "frame", options);
  const folder = new StagingDirectory(target);
  try {
    const provenance = provenanceOf(frame);
    const note = provenance && (() => JSON.stringify(fileProvenance(provenance)));
    const open = () => openWriter({ ...folder.output(), note }, target.format, target.formatOptions);
    const schema = await sinkFrames(slices(rows), open);
    await folder.publish(schema && tableSchema(schema.columns, schema.dtypes, target), provenance);
    return target.path;
  } catch (error) {
    folder.remove();
    throw folder.fault(error);
  } finally {
    folder.leave();
  }
}

function polarsFrame(frame: unknown): PolarsFrame {
  if (engines.polars.isFrame(frame)) return withoutHidden(frame);
  const isFrame = ENGINES.some((engine) => (engines[engine] as FrameEngine<unknown>).isFrame(frame));
  if (isFrame) return toDataFrame(frame);
  throw invalid("frame", frame, "Give a polars or a danfo frame; toDataFrame(rows) makes one of rows.");
}

/** In a frame with a column called "height" the height is that column. */
function withoutHidden(frame: PolarsFrame): PolarsFrame {
  const names = Reflect.ownKeys(frame) as string[];
  const hiding = names.find(isReserved);
  if (hiding === undefined) return frame;
  throw invalid(
    "frame",
    `a frame with a column called ${hiding}`,
    `polars has a use for that name: rename the column first, for example with frame.lazy().rename({ ${hiding}: "${hiding}_" }).collectSync().`,
  );
}

async function* slices(frame: PolarsFrame): AsyncGenerator<PolarsFrame> {
  for (let at = 0; at < frame.height || at === 0; at += SLICE_ROWS)
    yield frame.slice(at, Math.min(SLICE_ROWS, frame.height - at));
}
