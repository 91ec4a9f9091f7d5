import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { FileError } from "../../errors/index.js";
import { option, wording } from "../../errors/wording.js";
import type { PolarsFrame, pl } from "../../frames/polars.js";
import type { FrameWriter, OpenWriter, WriterTarget } from "../frameWriter.js";
import { checkPartitionBy } from "./hive/checkPartitionBy.js";
import { type PartitionDirectories, partitionDirectories } from "./hive/partitionDirectories.js";
import { PartitionSpill } from "./hive/partitionSpill.js";
import { parquetWriter } from "./parquetWriter.js";
import { Rebatcher } from "./rebatcher.js";

/** Each partition is at least one file. More are probably a mistake, such as a column of ids. */
const MAX_PARTITIONS = 1000;

/** Rows to distribute at a time. */
const BATCH_ROWS = 65_536;

/**
 * Writes a dataset of Parquet files in directories named after the values of columns, which the files omit:
 * `congress=117/part-0.parquet`. Timestamps that are used by year, month or day stay in the files. The directory of missing
 * values is `__HIVE_DEFAULT_PARTITION__`. The rows of each file keep their order.
 *
 * `write` throws a ValidationError for a key that does not fit the columns, and a FileError (`TOO_MANY_PARTITIONS`) beyond
 * 1,000 partitions.
 */
export const hiveWriter: OpenWriter = (target, formatOptions) => {
  const keys = checkPartitionBy(formatOptions.partitionBy);
  const spill = new PartitionSpill(target.scratch);
  const known = new Set<string>();
  let partition: PartitionDirectories | undefined;
  let directoryColumn = "directory";
  let empty: PolarsFrame | undefined;
  const batches = new Rebatcher(BATCH_ROWS);
  // Every file carries our metadata key, by which checkReplaceable recognizes the dataset.
  const provenanceJson = () => target.provenanceJson?.() ?? "{}";

  const distribute = async (batch: PolarsFrame): Promise<void> => {
    const directories = uniqueTexts(batch.getColumn(directoryColumn));
    const groups = batch.partitionBy([directoryColumn], true, false);
    for (const [at, group] of groups.entries()) await spill.add(directories[at] as string, group);
  };

  return {
    async write(frame) {
      partition ??= partitionDirectories(keys, frame);
      while (frame.columns.includes(directoryColumn)) directoryColumn += "_";
      const directories = partition.directories(frame);
      for (const directory of uniqueTexts(directories)) known.add(directory);
      if (known.size > MAX_PARTITIONS) throw tooMany(target);
      const rows = frame.drop([...partition.dropped]);
      empty ??= rows.head(0);
      for (const batch of batches.add(rows.withColumns(directories.rename(directoryColumn)))) await distribute(batch);
    },
    async end() {
      if (batches.rows > 0) await distribute(batches.take());
      // A dataset without rows still has one file with the columns.
      if (known.size === 0) await spill.add((partition as PartitionDirectories).nullDirectory, empty as PolarsFrame);
      await spill.read(async (directory, frames) => {
        await mkdir(join(target.path, directory), { recursive: true });
        const path = join(target.path, directory, "part-0.parquet");
        await writeAll(parquetWriter({ ...target, path, provenanceJson }, formatOptions), frames);
      });
    },
    abort: () => spill.abort(),
  };
};

async function writeAll(writer: FrameWriter, frames: AsyncIterable<PolarsFrame>): Promise<void> {
  try {
    for await (const frame of frames) await writer.write(frame);
    await writer.end();
  } catch (error) {
    await writer.abort();
    throw error;
  }
}

/** The distinct strings of a column, in order of first appearance. */
function uniqueTexts(column: pl.Series): string[] {
  return [...column.unique(true).toArray()] as string[];
}

function tooMany({ path, name }: WriterTarget): FileError {
  return new FileError(`More than ${MAX_PARTITIONS.toLocaleString("en")} partitions of ${name}.`, {
    code: "TOO_MANY_PARTITIONS",
    hint: wording`Partition by a column with fewer values, for example ${option("partitionBy", { year: "begintime" })}.`,
    path,
  });
}
