import { ValidationError } from "../errors/index.js";
import { checkedOptions, show } from "../errors/validators.js";
import { frameRecords, refuseDanfo } from "./engine.js";
import { appendColumns, selectColumns } from "./frameColumns.js";
import { frameOfRows } from "./irregularRows.js";
import { refuseOtherPolars } from "./otherPolars.js";
import { type LazyFrame, type PolarsFrame, pl } from "./polars.js";

/**
 * Concatenates frames or lazy frames like `pl.concat`, and keeps their provenance.
 *
 * @param frames a list of at least one
 * @param options as for `pl.concat`; `how` is `"vertical"` by default
 * @throws ValidationError for frames that do not fit together
 * @example
 * const [climate, energy] = await Promise.all(["climate", "energy"].map((query) => archive.mentions(query)));
 * provenanceOf(concat([climate, energy]))?.sources?.length; //=> 2
 */
export function concat<F extends PolarsFrame | LazyFrame>(
  frames: readonly F[],
  options: Readonly<Parameters<typeof pl.concat>[1]> = {},
): F {
  if (!Array.isArray(frames)) throw new ValidationError("concat takes a list.", { hint: "Type concat([a, b])." });
  for (const frame of frames) refuseDanfo(frame, "frames");
  refuseOtherPolars(...frames);
  const { how = "vertical", ...more } = checkedOptions(options, ["how", "rechunk", "parallel"], "option of concat");
  try {
    return pl.concat([...frames] as never, { how, ...more }) as F;
  } catch (cause) {
    const message = `invalid frames: ${(cause as Error).message.replace(/[.!]{0,2}$/, ".")}`;
    const [, mixedColumn] = message.split(" failed to vstack column ");
    const hint =
      mixedColumn === undefined
        ? 'Give frames with the same columns and types, or how: "diagonal" for the union of their columns.'
        : `Cast it to one type first, for example frame.withColumn(pl.col(${show(mixedColumn.slice(1, -2))}).cast(pl.Utf8)).`;
    throw new ValidationError(message, { parameter: "frames", hint, cause });
  }
}

/** Concatenates frames with the union of their columns. A column with several dtypes gets the one that it would have in one response. */
export function concatFrames(frames: readonly PolarsFrame[]): PolarsFrame {
  if (frames.length === 1) return frames[0] as PolarsFrame;
  const dtypeByName = new Map<string, string>();
  const mixedNames = new Set<string>();
  for (const { columns, dtypes } of frames)
    columns.forEach((name, at) => {
      const dtype = String(dtypes[at]);
      if ((dtypeByName.get(name) ?? dtype) !== dtype) mixedNames.add(name);
      dtypeByName.set(name, dtype);
    });
  if (mixedNames.size === 0) return pl.concat([...frames], { how: "diagonal" });
  const mixedRows = frames.flatMap((frame) => {
    const names = frame.columns.filter((name) => mixedNames.has(name));
    return names.length > 0 ? frameRecords(selectColumns(frame, names)) : new Array<object>(frame.height).fill({});
  });
  // A column of zeros preserves the height of a frame whose columns are all mixed.
  const uniformFrames = frames.map((frame) => {
    const names = frame.columns.filter((name) => !mixedNames.has(name));
    return selectColumns(frame.withColumn(pl.lit(0).alias("\0row")), ["\0row", ...names]);
  });
  const uniformColumns = pl.concat(uniformFrames, { how: "diagonal" });
  const allColumns = appendColumns(uniformColumns, frameOfRows(new Map(), mixedRows));
  return selectColumns(allColumns, [...dtypeByName.keys()]);
}
