import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { FileError } from "../../errors/index.js";
import { option, wording } from "../../errors/wording.js";
import { type PolarsFrame, pl } from "../../frames/polars.js";
import type { OpenWriter, WriterTarget } from "../frameWriter.js";
import { checkPartitionBy } from "./hive/checkPartitionBy.js";
import { type PartitionDirectories, partitionDirectories } from "./hive/partitionDirectories.js";
import { sinkParquet } from "./parquetWriter.js";

/** Each partition is at least one file. More are probably a mistake, such as a column of ids. */
const MAX_PARTITIONS = 1000;

/** Rows to distribute at a time: each partition gets a temporary file of its rows among them. */
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
  /** The temporary files of each directory, in the order of the rows. */
  const partitions = new Map<string, string[]>();
  const known = new Set<string>();
  let partition: PartitionDirectories | undefined;
  let directoryColumn = "directory";
  let empty: PolarsFrame | undefined;
  const frames: PolarsFrame[] = [];
  let rows = 0;
  let files = 0;
  // Every file carries our metadata key, by which checkReplaceable recognizes the dataset.
  const provenanceJson = () => target.provenanceJson?.() ?? "{}";

  const spill = async (directory: string, frame: PolarsFrame): Promise<void> => {
    const path = join(target.scratch, `part-${files++}.arrow`);
    await writeFile(path, frame.writeIPC(), { mode: 0o600 });
    const paths = partitions.get(directory);
    if (paths === undefined) partitions.set(directory, [path]);
    else paths.push(path);
  };
  const distribute = async (): Promise<void> => {
    if (rows === 0) return;
    const batch = pl.concat(frames.splice(0), { how: "diagonal" });
    rows = 0;
    const directories = uniqueTexts(batch.getColumn(directoryColumn));
    const groups = batch.partitionBy([directoryColumn], true, false);
    for (const [at, group] of groups.entries()) await spill(directories[at] as string, group);
  };

  return {
    async write(frame) {
      partition ??= partitionDirectories(keys, frame);
      while (frame.columns.includes(directoryColumn)) directoryColumn += "_";
      const directories = partition.directories(frame);
      for (const directory of uniqueTexts(directories)) known.add(directory);
      if (known.size > MAX_PARTITIONS) throw tooMany(target);
      const remaining = frame.drop([...partition.dropped]);
      empty ??= remaining.head(0);
      frames.push(remaining.withColumns(directories.rename(directoryColumn)));
      rows += frame.height;
      if (rows >= BATCH_ROWS) await distribute();
    },
    async end() {
      await distribute();
      // A dataset without rows still has one file with the columns.
      if (known.size === 0) await spill((partition as PartitionDirectories).nullDirectory, empty as PolarsFrame);
      for (const [directory, paths] of partitions) {
        await mkdir(join(target.path, directory), { recursive: true, mode: 0o700 });
        const path = join(target.path, directory, "part-0.parquet");
        await sinkParquet(paths, { ...target, path, provenanceJson }, formatOptions);
        for (const spilled of paths) await rm(spilled);
      }
    },
    abort: async () => undefined,
  };
};

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
