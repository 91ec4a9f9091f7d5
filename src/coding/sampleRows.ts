import { checkedOptions, nonEmptyString, nonNegativeInteger } from "../errors/validators.js";
import { type Allocation, allocate, type Share } from "../frames/allocate.js";
import { designColumns, designOf } from "../frames/designOf.js";
import { checkPolarsFrame, withColumns } from "../frames/engine.js";
import type { Stratum } from "../frames/lineage/design.js";
import type { PolarsFrame } from "../frames/polars.js";
import { provenanceOf, setProvenance } from "../frames/provenanceOf.js";
import { resultFrame } from "../frames/resultFrame.js";
import { Grouping } from "../text/source/grouping.js";
import { likeSource } from "../text/source/textSource.js";
import { groupBy } from "../util/groupBy.js";
import { seededRandom } from "../util/seededRandom.js";
import { rowsAt } from "./passages.js";

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
 * {@link estimate}, `rates` and `compare` use; it stays in the frame through all verbs and files, see `designOf`.
 *
 * Every stratum gives at least two rows: smaller ones are joined with their neighbours, and a warning says so (`STRATA_JOINED`). In a sample of a
 * sample, probabilities are multiplied.
 *
 * @param frame the rows to draw from
 * @param options how many, of which strata
 * @returns the drawn rows in the order of the frame, with `stratum`, `probability` and `drawn`, the rows drawn from the stratum
 * @throws ValidationError for invalid options
 * @example
 * const frame = await archive.mentions("climate", { maxItems: 1000 });
 * const sample = sampleRows(frame, { rows: 200, strata: "year", seed: 1 });
 * sample.height; //=> 200
 */
export function sampleRows(frame: PolarsFrame, options: SampleRowsOptions): PolarsFrame {
  const given = checkedOptions(options, ["rows", "strata", "allocation", "seed"], "option of sampleRows");
  checkPolarsFrame(frame);
  const { rows, strata, allocation = strata === undefined ? undefined : "proportional" } = given;
  const before = designOf(frame);
  const grouping = new Grouping(strata === undefined ? undefined : nonEmptyString("strata", strata, "year"));
  const groups = grouping.indexes(frame);
  const names = grouping.groups.map(([value]) =>
    strata === undefined ? "all" : value == null ? "null" : grouping.nameOf(strata, String(value)),
  );
  // By name: a missing value and the text "null" are one stratum. In order, so that neighbours are neighbours in time.
  const byName = groupBy(groups.keys(), (row) => names[groups[row] as number] as string);
  const strataRows = grouping.period === undefined ? [...byName] : [...byName].sort(([a], [b]) => (a < b ? -1 : 1));
  const sizes = new Map(strataRows.map(([name, own]) => [name, own.length]));
  const random = seededRandom(nonNegativeInteger("seed", given.seed ?? 1, 1));
  const shares = allocate(sizes, rows, allocation, random);
  const positions: { readonly row: number; readonly stratum: Stratum }[] = strataRows.flatMap(([, own], at) => {
    const { count, stratum } = shares[at] as Share;
    return shuffled(own, random)
      .slice(0, count)
      .map((row) => ({ row, stratum }));
  });
  positions.sort((a, b) => a.row - b.row);
  const columns = positions.map(({ row, stratum: { name, of, drawn } }) => {
    return { stratum: name, probability: drawn / of / (before?.weights[row] ?? 1), drawn };
  });
  const kept = frame.select(...frame.columns.filter((name) => !["stratum", "probability", "drawn"].includes(name)));
  const rowNumbers = positions.map(({ row }) => row);
  const sample = withColumns(rowsAt(kept, rowNumbers), resultFrame(designColumns(columns)));
  const facts = { rows: columns.length, of: frame.height, strata, allocation, seed: given.seed ?? 1 };
  const result = likeSource(frame, sample, ["sampleRows", "rows", facts]);
  const provenance = provenanceOf(result);
  const phase = { unit: "row" as const, strata: [...new Set(shares.map(({ stratum }) => stratum))] };
  const phases = [...(before?.phases ?? []), phase];
  return setProvenance(result, provenance && { ...provenance, design: { phases } });
}

/** In random order. */
export function shuffled<T>(values: readonly T[], random: () => number): readonly T[] {
  const keyed = values.map((value) => ({ value, key: random() }));
  return keyed.sort((a, b) => a.key - b.key).map(({ value }) => value);
}
