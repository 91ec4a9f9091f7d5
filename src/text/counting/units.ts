import { groupBy } from "../../util/groupBy.js";
import { sum } from "../../util/sum.js";
import { type Interval, tBound } from "../statistics.js";

/** The sums of a unit, by its index: matches, and the words, hours or mentions that they are a part of. */
export interface UnitSums {
  readonly unit: number;
  readonly count: number;
  readonly denominator: number;
}

/** What each unit, by its index, contributes to the error of an estimate. */
export type Influence = ReadonlyMap<number, number>;

export interface ClusteredRatio {
  readonly value: number;
  readonly count: number;
  readonly denominator: number;
  readonly influence: Influence;
  readonly sums: readonly UnitSums[];
}

/** The fewest clusters for an interval of a rate, for one of a difference, and the fewest without a warning. */
export const MIN_CLUSTERS = 5;
export const PERMUTED_CLUSTERS = 15;
export const FEW_CLUSTERS = 30;
/** Uneven clusters count as few below this effective number. */
const UNEVEN_CLUSTERS = 25;

/** Whether intervals need the jackknife. */
export function isFew(clusters: number, effective: number): boolean {
  return clusters < FEW_CLUSTERS || effective < UNEVEN_CLUSTERS;
}

/** A ratio with the influence of each unit, by Taylor linearisation. */
export function clusteredRatio(sums: readonly UnitSums[]): ClusteredRatio {
  const count = sum(sums.map((each) => each.count));
  const denominator = sum(sums.map((each) => each.denominator));
  const value = count / denominator;
  const influence = new Map(sums.map((each) => [each.unit, (each.count - value * each.denominator) / denominator]));
  return { value, count, denominator, influence, sums };
}

/** The influence on an estimate by the jackknife. */
export interface Jackknifed {
  readonly influence: Influence;
  /** The effective number: this many clusters of equal size would be as concentrated. */
  readonly effective: number;
}

/**
 * The influence of each unit by the jackknife, which leaves out its whole cluster (Cameron and Miller 2015, section VI.B). Few clusters of different sizes need it.
 *
 * @param sizes what each unit has of the denominator
 * @param clusterOf the cluster, or page, of a unit
 */
export function jackknifed(influence: Influence, sizes: Influence, clusterOf: (unit: number) => unknown): Jackknifed {
  const owns = sumsBy(sizes, clusterOf);
  const total = sum([...owns.values()]);
  const left = (unit: number) => total - (owns.get(clusterOf(unit)) ?? 0);
  return {
    influence: new Map([...influence].map(([unit, value]) => [unit, (value * total) / left(unit)])),
    effective: total ** 2 / sum([...owns.values()].map((own) => own * own)),
  };
}

/** The sums of values by what their keys belong to. */
export function sumsBy<K, T>(values: Iterable<readonly [K, number]>, keyOf: (key: K) => T): Map<T, number> {
  const sums = new Map<T, number>();
  for (const [key, value] of values) sums.set(keyOf(key), (sums.get(keyOf(key)) ?? 0) + value);
  return sums;
}

/** The influence on a weighted sum of estimates. */
export function weightedInfluence(...parts: readonly (readonly [weight: number, influence: Influence])[]): Influence {
  const all = parts.flatMap(([weight, influence]) =>
    [...influence].map(([unit, value]) => [unit, weight * value] as const),
  );
  return sumsBy(all, (unit) => unit);
}

/** A cell of rows that belong together: of one cluster, on one page. */
export interface Unit {
  /** Undefined for rows of independent matches. */
  readonly cluster: number | undefined;
  /** The page of a sample, or the row that was drawn by itself; undefined for rows that were not sampled. */
  readonly page: string | undefined;
  readonly stratum: string;
}

/** The standard error of an estimate, and the degrees of freedom of its estimate. */
export interface DesignError {
  readonly error: number;
  readonly degrees: number;
}

/**
 * The variance of a total of values in strata: n / (n − 1) times the squares around the mean of each stratum (Särndal, Swensson and Wretman 1992,
 * "Model assisted survey sampling", chapter 5). Units that are not among the values contribute 0. Strata of one unit are joined.
 *
 * @param sizes the units of each stratum
 * @param open the share of a stratum that was not drawn; 1 without finite population correction
 */
function stratifiedVariance(
  values: readonly (readonly [stratum: string, value: number])[],
  sizes: ReadonlyMap<string, number>,
  open: (stratum: string) => number = () => 1,
): { readonly variance: number; readonly degrees: number } {
  const single = [...sizes].filter(([, size]) => size === 1).map(([name]) => name);
  // A single one next to others is joined with the first of them by name: the order of rows does not matter.
  const host = single.length === 1 ? [...sizes.keys()].sort().find((name) => name !== single[0]) : single[0];
  const nameOf = (stratum: string) => (sizes.get(stratum) === 1 ? (host ?? stratum) : stratum);
  const joined = new Map(
    [...groupBy(sizes.keys(), nameOf)].map(([name, own]) => [name, sum(own.map((one) => sizes.get(one) as number))]),
  );
  const byStratum = groupBy(values, ([stratum]) => nameOf(stratum));
  let [variance, degrees] = [0, 0];
  for (const [stratum, own] of byStratum) {
    const size = joined.get(stratum) as number;
    if (size === 1) continue;
    const squares = sum(own.map(([, value]) => value * value)) - sum(own.map(([, value]) => value)) ** 2 / size;
    variance += (open(stratum) * size * Math.max(0, squares)) / (size - 1);
    degrees += own.length - 1;
  }
  return { variance, degrees };
}

/** How many clusters and pages there are, and how many pages in each stratum. */
function countsOf(units: readonly Unit[]) {
  const count = (values: readonly unknown[]) => new Set(values.filter((value) => value !== undefined)).size;
  const clusters = count(units.map(({ cluster }) => cluster));
  const drawn = units.filter(({ page, cluster }) => page !== undefined && (clusters === 0 || cluster !== undefined));
  const strata = groupBy(drawn, ({ stratum }) => stratum);
  const sizes = new Map([...strata].map(([name, own]) => [name, count(own.map(({ page }) => page))] as const));
  return { clusters, pages: count(drawn.map(({ page }) => page)), strata: sizes };
}

/** The units of the rows that were read, by their indexes, and the errors of estimates from what each contributes. */
export class Units {
  readonly #units: Unit[] = [];
  readonly #indexes = new Map<string, number>();
  #counts: ReturnType<typeof countsOf> | undefined;
  /** Whether pages have rows of several strata, which then say nothing about how they were drawn. */
  #isCrossed = false;

  indexOf(unit: Unit): number {
    const key = `${unit.cluster} ${unit.page}`;
    const known = this.#indexes.get(key);
    if (known !== undefined) {
      this.#isCrossed ||= this.#units[known]?.stratum !== unit.stratum;
      return known;
    }
    this.#counts = undefined;
    this.#indexes.set(key, this.#units.length);
    return this.#units.push(unit) - 1;
  }

  #stratumOf({ stratum }: Unit): string {
    return this.#isCrossed ? "all" : stratum;
  }

  clusterOf(index: number): number | undefined {
    return this.#units[index]?.cluster;
  }

  get clusters(): number {
    return this.#counted.clusters;
  }

  /** Whether errors can be computed: from clusters, or from a sample. */
  get isKnown(): boolean {
    const { clusters, pages } = this.#counted;
    return clusters > 0 || pages > 0;
  }

  get #counted() {
    this.#counts ??= countsOf(this.#units.map((unit) => ({ ...unit, stratum: this.#stratumOf(unit) })));
    return this.#counts;
  }

  #sumsBy<T>(influence: Influence, keyOf: (unit: Unit) => T): Map<T, number> {
    return sumsBy(influence, (index) => keyOf(this.#units[index] as Unit));
  }

  /** How many clusters contribute to an estimate. */
  clustersIn(influence: Influence): number {
    return this.clusters === 0 ? 0 : this.#sumsBy(influence, ({ cluster }) => cluster).size;
  }

  /**
   * The standard error of an estimate: the linearised variance between clusters (Woodruff 1971, "A simple method for approximating the
   * variance of a complicated estimate", JASA 66), with the correction G / (G − 1). Cameron and Miller (2015, "A practitioner's guide to
   * cluster-robust inference", Journal of Human Resources 50) explain when it holds: many clusters, none of which dominates. R's survey
   * package computes the same. Where rows were also drawn by pages, the variances between clusters and between pages are added, minus that
   * between cells of both (Cameron, Gelbach and Miller 2011, "Robust inference with multiway clustering", JBES 29).
   *
   * @param open the share of each stratum that was not drawn, without clusters; 1 without finite population correction
   */
  errorOf(influence: Influence, open?: (stratum: string) => number): DesignError {
    const { clusters, pages, strata } = this.#counted;
    const squares = (sums: Iterable<number>) => sum([...sums].map((value) => value * value));
    if (clusters === 0) {
      const stratumOf = new Map<unknown, string>();
      for (const index of influence.keys()) {
        const unit = this.#units[index] as Unit;
        stratumOf.set(unit.page, this.#stratumOf(unit));
      }
      const sums = this.#sumsBy(influence, ({ page }) => page);
      const values = [...sums].map(([page, value]) => [stratumOf.get(page) as string, value] as const);
      const { variance, degrees } = stratifiedVariance(values, strata, open);
      return { error: Math.sqrt(variance), degrees };
    }
    const byCluster = this.#sumsBy(influence, ({ cluster }) => cluster);
    const between = (clusters / (clusters - 1)) * squares(byCluster.values());
    if (pages < 2) return { error: Math.sqrt(between), degrees: byCluster.size - 1 };
    const byPage = this.#sumsBy(influence, ({ page, cluster }) => page ?? `cluster ${cluster}`);
    const ofPages = (pages / (pages - 1)) * squares(byPage.values());
    const variance = Math.max(between, ofPages, between + ofPages - squares(influence.values()));
    return { error: Math.sqrt(variance), degrees: Math.min(byCluster.size, byPage.size) - 1 };
  }

  /** A ratio by the jackknife of its clusters, or without any of the pages that its rows were drawn with. */
  jackknifed({ influence, sums }: ClusteredRatio): Jackknifed {
    const sizes = new Map(sums.map(({ unit, denominator }) => [unit, denominator]));
    return jackknifed(influence, sizes, (index) => this.#units[index]?.cluster ?? this.#units[index]?.page);
  }

  /** The interval of an estimate, by Student's t with one degree of freedom less than the clusters that contribute to it. */
  interval(value: number, influence: Influence, confidence: number): Interval & DesignError {
    const { error, degrees } = this.errorOf(influence);
    const half = degrees > 0 ? tBound(confidence, degrees) * error : Number.NaN;
    return { low: value - half, high: value + half, error, degrees };
  }
}
