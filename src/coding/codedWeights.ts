import { ValidationError } from "../errors/index.js";
import { warn } from "../errors/warn.js";
import type { PolarsFrame } from "../frames/polars.js";
import { timesOf } from "../text/source/columns.js";
import { groupBy } from "../util/groupBy.js";
import { sum } from "../util/sum.js";

/** A row that was drawn and coded; `at` is its place among all rows. */
export interface CodedRow {
  readonly at: number;
  /** The probability that it was drawn from the frame. */
  readonly probability: number;
  readonly stratum: string;
  /** The rows drawn from its stratum, coded or not; null where that is unknown. */
  readonly drawn: number | null;
  /** The page that it was drawn with. */
  readonly page: string | null;
}

/**
 * How many rows each coded row stands for: 1 / probability, times the drawn rows of its stratum for each coded one. Coded rows count as a random part of
 * the drawn ones; a warning says that they are a part, and where they differ in stratum or time (`PARTLY_CODED`).
 *
 * @throws ValidationError if there are rows that no coded row stands for: strata without one
 */
export function codedWeights(coded: readonly CodedRow[], frame: PolarsFrame): readonly number[] {
  const strata = groupBy(coded, ({ stratum }) => stratum);
  const known = new Map(
    [...strata].map(([name, own]) => {
      const [{ probability, drawn }] = own as [CodedRow];
      const all = strata.size === 1 && drawn === null ? Math.round(probability * frame.height) : drawn;
      return [name, { coded: own.length, drawn: Math.max(own.length, all ?? 0) }];
    }),
  );
  const plain = coded.map(({ probability }) => 1 / probability);
  const weights = coded.map(({ stratum }, at) => {
    const { coded: count, drawn } = known.get(stratum) as { coded: number; drawn: number };
    return ((plain[at] as number) * drawn) / count;
  });
  const total = sum(weights);
  // If the frame is a part of what was drawn from, it is unknown how many rows of that part were drawn, coded or not: together they stand for the frame.
  if (total > frame.height * 1.005) {
    const scale = frame.height / sum(plain);
    return plain.map((weight) => weight * scale);
  }
  const isSimple = [...strata.values()].every((own) =>
    own.every(({ probability }) => probability === own[0]?.probability),
  );
  if (isSimple && total < frame.height * 0.995) {
    const message = `invalid gold: its coded rows stand for ${Math.round(total)} of ${frame.height} rows.`;
    const hint =
      "Strata without a coded row, or rows not drawn from, say nothing: code some of each, or filter the frame to the strata that have some.";
    throw new ValidationError(message, { hint, parameter: "gold" });
  }
  const all = sum([...known.values()].map(({ drawn }) => drawn));
  if (all > coded.length) warn("PARTLY_CODED", partText(coded, known, all, frame));
  return weights;
}

function partText(
  rows: readonly CodedRow[],
  known: ReadonlyMap<string, { readonly coded: number; readonly drawn: number }>,
  all: number,
  frame: PolarsFrame,
): string {
  const shares = [...known]
    .map(([name, { coded, drawn }]) => ({ name, share: coded / drawn }))
    .sort((a, b) => a.share - b.share);
  const [least, most] = [shares[0], shares.at(-1)] as [(typeof shares)[0], (typeof shares)[0]];
  const percent = (share: number) => `${Math.round(100 * share)} %`;
  const uneven =
    most.share - least.share > 0.1
      ? ` They differ by stratum: ${percent(least.share)} of ${least.name} are coded, ${percent(most.share)} of ${most.name}.`
      : "";
  const times = frame.columns.includes("begintime") ? timesOf(frame) : [];
  const spoken = times.filter((time) => time !== null);
  const mean = sum(spoken) / spoken.length;
  const deviation = Math.sqrt(sum(spoken.map((time) => (time - mean) ** 2)) / spoken.length);
  const own = rows.flatMap(({ at }) => times[at] ?? []);
  const shift = (sum(own) / own.length - mean) / (deviation / Math.sqrt(own.length));
  const early =
    Math.abs(shift) > 3 ? ` They are ${shift < 0 ? "earlier" : "later"} than the rows that they were drawn from.` : "";
  return `${rows.length} of ${all} drawn rows are coded, and count as a random part of each stratum.${uneven}${early}`;
}
