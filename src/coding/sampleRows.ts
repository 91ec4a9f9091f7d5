import { checkedOptions, invalid, nonEmptyString, nonNegativeInteger } from "../errors/validators.js";
import { type Allocation, allocate } from "../frames/allocate.js";
import { isPolarsFrame, withColumns } from "../frames/engine.js";
import { type PolarsFrame, pl } from "../frames/polars.js";
import { Grouping } from "../text/source/grouping.js";
import { likeSource } from "../text/source/textSource.js";
import { seededRandom } from "../util/seededRandom.js";

/** Options of {@link sampleRows}. */
export interface SampleRowsOptions {
  /** Rows to draw, of all strata together. Left out if `allocation` says how many of each. */
  rows?: number | undefined;
  /** A column or a period (`"year"`) whose values are drawn from separately. Default: none. */
  strata?: string | undefined;
  /** Default `"proportional"`. */
  allocation?: Allocation | undefined;
  /** Start of the random numbers: the same seed draws the same rows of the same frame. Default 1. */
  seed?: number | undefined;
}

/**
 * Draws a random sample of the rows of a frame, for example of a corpus, by strata if you like. Every row has a known probability, which
 * {@link estimate} needs; it stays in the frame through all verbs.
 *
 * @param frame the rows to draw from
 * @param options how many, of which strata
 * @returns the drawn rows in the order of the frame, with `stratum` and `probability`, the share of the stratum that was drawn
 * @throws ValidationError for invalid options
 * @example
 * const frame = await archive.mentions("climate", { maxItems: 1000 });
 * const sample = sampleRows(frame, { rows: 200, strata: "year", seed: 1 });
 * sample.height; //=> 200
 */
export function sampleRows(frame: PolarsFrame, options: SampleRowsOptions): PolarsFrame {
  const given = checkedOptions(options, ["rows", "strata", "allocation", "seed"], "option of sampleRows");
  if (!isPolarsFrame(frame)) throw invalid("frame", frame, "Give a polars frame.");
  const taken = ["stratum", "probability"].find((name) => frame.columns.includes(name));
  if (taken !== undefined)
    throw invalid("frame", `a frame with a column ${taken}`, "Drop it first: this may be a sample already.");
  const { strata, allocation } = given;
  const grouping = new Grouping(strata === undefined ? undefined : nonEmptyString("strata", strata, "year"));
  const members = new Map<number, number[]>();
  grouping.indexes(frame).forEach((group, row) => {
    const known = members.get(group);
    if (known === undefined) members.set(group, [row]);
    else known.push(row);
  });
  // A year is called "2024", as in archive.sample.
  const length = { year: 4, month: 7 }[grouping.period?.period as string] ?? undefined;
  const names = grouping.groups.map(([value]) =>
    strata === undefined ? "all" : String(value ?? "null").slice(0, length),
  );
  const counts = allocate(
    new Map(names.map((name, at) => [name, members.get(at)?.length ?? 0])),
    given.rows,
    allocation,
  );
  const random = seededRandom(nonNegativeInteger("seed", given.seed ?? 1, 1));
  const drawn = counts.flatMap((count, at) => {
    const own = members.get(at) ?? [];
    const probability = count / own.length;
    return draw(own, count, random).map((row) => ({ row, stratum: names[at] as string, probability }));
  });
  drawn.sort((a, b) => a.row - b.row);
  const picked = frame.select(...frame.columns.map((name) => pl.col(name).gather(drawn.map(({ row }) => row))));
  const sample = withColumns(
    picked,
    pl.DataFrame([
      pl.Series(
        "stratum",
        drawn.map(({ stratum }) => stratum),
        pl.Utf8,
      ),
      pl.Series(
        "probability",
        drawn.map(({ probability }) => probability),
        pl.Float64 as never,
      ),
    ]),
  );
  return likeSource(frame, sample, [
    "sampleRows",
    "rows",
    `${drawn.length} of ${frame.height}`,
    ...(strata === undefined ? [] : [`by ${strata}`]),
  ]);
}

function draw(rows: readonly number[], count: number, random: () => number): readonly number[] {
  const keyed = rows.map((row) => ({ row, key: random() }));
  return keyed
    .sort((a, b) => a.key - b.key)
    .slice(0, count)
    .map(({ row }) => row);
}
