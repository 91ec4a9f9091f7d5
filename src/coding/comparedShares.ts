import { invalid, show } from "../errors/validators.js";
import { type PolarsFrame, pl } from "../frames/polars.js";
import { columnsOf, resultFrame } from "../frames/resultFrame.js";
import { adjustmentText, chooseGroups, chosenValue, probabilityText, shortNumber } from "../text/comparison.js";
import { type Adjustment, adjusted, satterthwaite } from "../text/counting/difference.js";
import { type Grouping, keyOf } from "../text/source/grouping.js";
import { tBound, tProbability } from "../text/statistics.js";
import { pluralize } from "../util/counts.js";
import { groupBy } from "../util/groupBy.js";
import { influenceOfDifference, type ShareErrors, type ShareInfluence, type UnitCount } from "./shareErrors.js";

/** The share of a value in a group; without an estimate where too few rows are coded. */
export interface GroupShare {
  readonly group: number;
  readonly value: string;
  readonly about: string;
  readonly rows: number;
  readonly coded: number;
  readonly share?: number;
  readonly low?: number | undefined;
  readonly high?: number | undefined;
  readonly estimate?: ShareInfluence & UnitCount;
}

export interface ShareComparison {
  readonly variable: string;
  /** The groups; its last key is the one that is compared. */
  readonly grouping: Grouping;
  readonly groups: readonly unknown[] | undefined;
  readonly adjust: Adjustment;
  readonly confidence: number;
}

/** The difference of each pair of groups, for each value. Two values mirror each other, so only the first is compared. */
export function comparedShares(
  shares: readonly GroupShare[],
  errors: ShareErrors,
  { variable, grouping, groups, adjust, confidence }: ShareComparison,
): PolarsFrame {
  const by = grouping.by.at(-1) as string;
  const { groups: keys } = grouping;
  const comparedOf = ({ group }: GroupShare) => String(keys[group]?.at(-1));
  const nameOf = (share: GroupShare) => grouping.nameOf(by, comparedOf(share));
  const present = shares.filter(({ group }) => keys[group]?.at(-1) !== null);
  const known = [...new Set(present.map(comparedOf))].sort();
  if (groups !== undefined && !Array.isArray(groups))
    throw chooseGroups(`${show(groups)} is no list`, grouping, by, known);
  const chosen = groups === undefined ? known : groups.map((name) => chosenValue(name, grouping, by, known));
  if (new Set(chosen).size < 2)
    throw chooseGroups(`"${by}" has ${pluralize(known.length, "group")}`, grouping, by, known);
  const values = new Set(shares.map(({ value }) => value));
  const isTested = ({ value }: GroupShare) => values.size > 2 || value === shares[0]?.value;
  const othersOf = ({ group }: GroupShare) => (keys[group] ?? []).slice(0, -1);
  const sets = groupBy(present.filter(isTested), (share) => keyOf([...othersOf(share), share.value]));
  const tests = [...sets.values()].flatMap((own) => {
    const inOrder = chosen.flatMap((name) => own.filter((share) => share.estimate && comparedOf(share) === name));
    return inOrder.flatMap((a, at) =>
      inOrder.slice(at + 1).map((b) => ({ a, b, ...differenceOf(a, b, errors, confidence) })),
    );
  });
  if (tests.length === 0)
    throw invalid("compare", by, "Its groups have no two shares to compare: code more rows, or compare larger groups.");
  const unadjusted = tests.map((test) => test.p);
  const p = adjusted(unadjusted, adjust);
  const rows = tests.map((test, nth) => {
    const { a, b, difference, difference_low, difference_high } = test;
    const range = (low: number | null = null, high: number | null = null) =>
      low === null || high === null ? "no interval" : `${percent(low)} to ${percent(high)}`;
    const others = othersOf(a).map((one, at) => grouping.nameOf(grouping.by[at] as string, String(one)));
    const where = others.length === 0 ? "" : ` (${others.join(", ")})`;
    const p_adjusted = p[nth] ?? null;
    const sentence = [
      `${variable} "${a.value}"${where}: ${nameOf(a)} ${percent(a.share)}% (${shortNumber(100 * confidence)}% interval ${range(a.low, a.high)}), ${nameOf(b)} ${percent(b.share)}% (${range(b.low, b.high)}) of passages.`,
      `The difference is ${percent(difference)} percentage points (${range(difference_low, difference_high)}), ${probabilityText(p_adjusted)}${adjustmentText(p_adjusted, adjust, tests.length)}.`,
      `${a.coded} of ${a.rows} and ${b.coded} of ${b.rows} passages are coded; it is about ${a.about}.`,
    ].join(" ");
    return { ...a, ...test, coded_other: b.coded, share_other: b.share, p_adjusted, sentence };
  });
  const other = grouping.columns(tests.map(({ b }) => b.group)).at(-1);
  return resultFrame([
    ...grouping.columns(tests.map(({ a }) => a.group)),
    ...(other === undefined ? [] : [{ ...other, name: `${by}_other` }]),
    ...columnsOf(rows, pl.Utf8, "value", "about"),
    ...columnsOf(rows, pl.Int64, "coded", "coded_other"),
    ...columnsOf(rows, pl.Float64, "share", "share_other", "difference", "se", "difference_low", "difference_high"),
    ...columnsOf(rows, pl.Float64, "p", "p_adjusted"),
    ...columnsOf(rows, pl.Utf8, "sentence"),
  ]);
}

function percent(share = Number.NaN): string {
  return shortNumber(100 * share);
}

/**
 * The difference of two shares with what they have in common, in clusters or pages. A side on which nothing varies has the variance of one more passage of
 * either kind (Agresti and Caffo 2000, "Simple and effective confidence intervals for proportions and differences", The American Statistician 54); degrees of freedom
 * are Satterthwaite's.
 */
function differenceOf(a: GroupShare, b: GroupShare, errors: ShareErrors, confidence: number) {
  const sides = [a, b].map(({ estimate, share = 0 }) => {
    const influence = estimate as ShareInfluence & UnitCount;
    const { units, effective } = influence;
    const { error, degrees } = errors.of(influence);
    const near = (share * units + 1) / (units + 2);
    const added = error < 1e-12 ? (near * (1 - near)) / (units + 2) : 0;
    return { influence, added, variance: error ** 2 + added, degrees: Math.max(1, Math.min(degrees, effective - 1)) };
  });
  const [x, y] = sides as [(typeof sides)[0], (typeof sides)[0]];
  const both = errors.of(influenceOfDifference(x.influence, y.influence));
  const se = Math.sqrt(both.error ** 2 + x.added + y.added);
  const degrees = satterthwaite(x, y);
  const difference = (a.share as number) - (b.share as number);
  const half = tBound(confidence, degrees) * se;
  const p = tProbability(difference / se, degrees);
  return { difference, se, difference_low: difference - half, difference_high: difference + half, p };
}
