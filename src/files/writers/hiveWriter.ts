import { FileError } from "../../errors/index.js";
import type { PolarsFrame, pl } from "../../frames/polars.js";
import type { OpenWriter, WriterTarget } from "../frameWriter.js";
import { FrameBatches } from "./frameBatches.js";
import { checkPartitionBy } from "./hive/checkPartitionBy.js";
import { GroupSpill } from "./hive/groupSpill.js";
import { type PartitionDirectories, partitionDirectories } from "./hive/partitionDirectories.js";
import { sinkParquet } from "./parquetWriter.js";

/** Each folder is a file at least: more of them are a slip, such as a key of ids. */
const MAX_OPEN_PARTITIONS = 1000;

/** Rows that are dealt out at a time. */
const RUN_ROWS = 65_536;

/**
 * A dataset of parquet files in folders named after the values of columns, which the files then leave out:
 * `congress=117/part-0.parquet`. Moments that give year, month and day stay in the files. A missing value is
 * `__HIVE_DEFAULT_PARTITION__`. In each file the rows keep their order.
 *
 * `write` throws a ValidationError where a key is not to be had from the columns, and a FileError
 * (`TOO_MANY_PARTITIONS`) as soon as there are more than 1,000 folders.
 */
export const hiveWriter: OpenWriter = (target, formatOptions) => {
  const keys = checkPartitionBy(formatOptions.partitionBy);
  const spill = new GroupSpill(target.scratch);
  const known = new Set<string>();
  let partition: PartitionDirectories | undefined;
  let folderColumn = "folder";
  let empty: PolarsFrame | undefined;
  const runs = new FrameBatches(RUN_ROWS);
  // By its note a file is known as ours when the dataset is replaced: each has one.
  const note = () => target.note?.() ?? "{}";

  const deal = async (run: PolarsFrame): Promise<void> => {
    const folders = textsOf(run.getColumn(folderColumn));
    const groups = run.partitionBy([folderColumn], true, false);
    for (const [at, group] of groups.entries()) await spill.add(folders[at] as string, group);
  };

  return {
    async write(frame) {
      partition ??= partitionDirectories(keys, frame);
      while (frame.columns.includes(folderColumn)) folderColumn += "_";
      const folders = partition.folders(frame);
      for (const folder of textsOf(folders)) known.add(folder);
      if (known.size > MAX_OPEN_PARTITIONS) throw tooMany(target);
      const kept = frame.drop([...partition.dropped]);
      empty ??= kept.head(0);
      for (const run of runs.add(kept.withColumns(folders.rename(folderColumn)))) await deal(run);
    },
    async end() {
      if (runs.rows > 0) await deal(runs.take());
      // A dataset without rows has its columns all the same.
      if (known.size === 0) await spill.add((partition as PartitionDirectories).nulls, empty as PolarsFrame);
      await spill.read((folder, parts) =>
        sinkParquet(parts, { path: `${target.path}/${folder}/part-0.parquet`, note }, formatOptions),
      );
    },
    abort: () => spill.abort(),
  };
};

/** The different texts of a column, in the order in which they first appear. */
function textsOf(column: pl.Series): string[] {
  return [...column.unique(true).toArray()] as string[];
}

function tooMany({ path, name }: WriterTarget): FileError {
  return new FileError(`More than ${MAX_OPEN_PARTITIONS.toLocaleString("en")} partitions of ${name}.`, {
    code: "TOO_MANY_PARTITIONS",
    hint: 'Partition by something with fewer values, for example partitionBy: { year: "begintime" }.',
    path,
  });
}
