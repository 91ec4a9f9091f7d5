import { invalid } from "../../errors/validators.js";
import { groupBy } from "../../util/groupBy.js";
import { sum } from "../../util/sum.js";
import { keyOf } from "../source/grouping.js";
import { type Interval, tBound, tProbability } from "../statistics.js";
import type { RateCounts } from "./countRates.js";
import type { ClusteredRatio } from "./units.js";

/** The change of a rate per period; null where fewer than three periods have speech, its interval where fewer than five have. */
export type Trend = Readonly<Record<"slope" | "slope_low" | "slope_high", number | null>>;

/** The fewest periods for a line, and for its interval. */
const [MIN_POINTS, MIN_PERIODS] = [3, 5];

/**
 * The slope of the least-squares line through the rates of all periods, for each group.
 *
 * @param ratios of the groups, in their order
 * @throws ValidationError if no group is a period
 */
export function trendsOf(
  ratios: readonly ClusteredRatio[],
  { grouping, groups }: RateCounts,
  { confidence, unit }: { readonly confidence: number; readonly unit: number },
): Trend[] {
  const { period } = grouping;
  if (period === undefined) {
    throw invalid("trend", true, 'Give a period in by, for example by: "month", or leave trend out.');
  }
  const keys = groups.map((group) => grouping.groups[group] ?? []);
  const begins = [...new Set(keys.map((key) => key[period.at] as string | number | null))];
  // Congresses are numbers, other periods days.
  const order = begins.filter((begin) => begin !== null).sort((a, b) => (a < b ? -1 : 1));
  const lines = keys.map((key) => keyOf(key.toSpliced(period.at, 1)));
  const slopes = [...groupBy(lines.keys(), (nth) => lines[nth])].map(([line, own]) => {
    const points = own.flatMap((nth): Point[] => {
      const { value, denominator } = ratios[nth] as ClusteredRatio;
      const at = order.indexOf(keys[nth]?.[period.at] as string);
      return at >= 0 && denominator > 0 ? [{ at, y: value * unit }] : [];
    });
    return [line, slopeOf(points, confidence)] as const;
  });
  const byLine = new Map(slopes);
  return lines.map((line) => byLine.get(line) as Trend);
}

interface Point {
  readonly at: number;
  readonly y: number;
}

function slopeOf(points: readonly Point[], confidence: number): Trend {
  if (points.length < MIN_POINTS) return { slope: null, slope_low: null, slope_high: null };
  const mean = sum(points.map(({ at }) => at)) / points.length;
  const slope = sum(points.map(({ at, y }) => (at - mean) * y)) / sum(points.map(({ at }) => (at - mean) ** 2));
  const interval = points.length < MIN_PERIODS ? undefined : slopeInterval(points, confidence);
  return { slope, slope_low: interval?.low ?? null, slope_high: interval?.high ?? null };
}

/**
 * The interval of a slope whose periods have shocks of their own that may last: a regression with autoregressive errors, averaged over the
 * autocorrelation ρ from -0.45 to 0.95, which few periods do not tell, by its restricted likelihood (Cheang and Reinsel 2000, "Bias reduction of
 * autoregressive estimates in time series regression model through restricted maximum likelihood", JASA 95) times 1 − ρ. In simulations of 8 to 30
 * trendless periods it leaves out 0 in 3 to 5 % of series with independent shocks and 7 to 9 % with ρ = 0.5, where Newey and West's error leaves it out in
 * 7 to 17 % and 13 to 31 %.
 *
 * @returns undefined if the rates lie on a line, as those of a word that nobody says do
 */
function slopeInterval(points: readonly Point[], confidence: number): Interval | undefined {
  const degrees = points.length - 2;
  const fits = Array.from({ length: 29 }, (_, nth) => fitOf(points, nth / 20 - 0.45));
  if (fits.some(({ error }) => !(error > 0))) return undefined;
  const most = Math.max(...fits.map(({ likelihood }) => likelihood));
  const weights = fits.map(({ likelihood, rho }) => (1 - rho) * Math.exp(likelihood - most));
  const below = (slope: number) =>
    sum(
      fits.map((fit, nth) => {
        const t = (slope - fit.slope) / fit.error;
        const tail = tProbability(t, degrees) / 2;
        return (weights[nth] as number) * (t < 0 ? tail : 1 - tail);
      }),
    ) / sum(weights);
  const far = tBound(confidence, degrees);
  const least = Math.min(...fits.map(({ slope, error }) => slope - far * error));
  const largest = Math.max(...fits.map(({ slope, error }) => slope + far * error));
  const quantile = (probability: number) => {
    let [low, high] = [least, largest];
    for (let step = 0; step < 60; step++) {
      const middle = (low + high) / 2;
      if (below(middle) < probability) low = middle;
      else high = middle;
    }
    return (low + high) / 2;
  };
  return { low: quantile((1 - confidence) / 2), high: quantile((1 + confidence) / 2) };
}

/** Generalised least squares for errors whose autocorrelation is `rho` from one period to the next. */
function fitOf(points: readonly Point[], rho: number) {
  let [a, b, c, d, e, squares, determinant] = [0, 0, 0, 0, 0, 0, 0];
  points.forEach(({ at, y }, nth) => {
    const before = points[nth - 1];
    const lasts = before === undefined ? 0 : rho ** (at - before.at);
    const open = 1 - lasts * lasts;
    const [one, x, z] = [1 - lasts, at - lasts * (before?.at ?? 0), y - lasts * (before?.y ?? 0)];
    a += (one * one) / open;
    b += (one * x) / open;
    c += (x * x) / open;
    d += (one * z) / open;
    e += (x * z) / open;
    squares += (z * z) / open;
    determinant += Math.log(open);
  });
  const both = a * c - b * b;
  const [intercept, slope] = [(c * d - b * e) / both, (a * e - b * d) / both];
  const rest = squares - intercept * d - slope * e;
  // Rounding leaves a little where nothing is.
  const variance = rest > 1e-12 * squares ? rest / (points.length - 2) : 0;
  const likelihood = -((points.length - 2) * Math.log(rest) + determinant + Math.log(both)) / 2;
  return { rho, slope, error: Math.sqrt((variance * a) / both), likelihood };
}
