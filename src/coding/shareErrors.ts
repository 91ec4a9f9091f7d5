import type { FrameDesign } from "../frames/designOf.js";
import {
  type DesignError,
  type Influence,
  isFew,
  jackknifed,
  sumsBy,
  Units,
  weightedInfluence,
} from "../text/counting/units.js";
import { sum } from "../util/sum.js";
import type { CodedRow } from "./codedWeights.js";

/** What each row of the frame, by its place, contributes to the error of an estimate: as a coded row, and by the machine's code. */
export interface ShareInfluence {
  readonly coded: Influence;
  readonly added: Influence;
}

/** What an estimate rests on. */
export interface UnitCount {
  /** Clusters, pages or rows. */
  readonly units: number;
  /** The effective number: this many of equal weight would be as concentrated. */
  readonly effective: number;
  readonly few: boolean;
}

export function influenceOfDifference(a: ShareInfluence, b: ShareInfluence): ShareInfluence {
  const minus = (name: keyof ShareInfluence) => weightedInfluence([1, a[name]], [-1, b[name]]);
  return { coded: minus("coded"), added: minus("added") };
}

/** The errors of estimates from a coded sample: between clusters, or between the rows or pages of each stratum. */
export class ShareErrors {
  readonly #units = new Units();
  readonly #unitOf = new Map<number, number>();
  readonly #nameOf: ReadonlyMap<number, string>;
  readonly #hasGroups: boolean;
  readonly #isByPage: boolean;
  /** Whether rows are the units, drawn from more than these. */
  readonly hasIndependentRows: boolean;
  readonly #open: ((stratum: string) => number) | undefined;

  /**
   * @param weights of the coded rows
   * @param clusters of all rows of the frame; empty without clusters
   * @param isWhole whether estimates are about these rows alone
   * @param frame how its rows were drawn
   */
  constructor(
    gold: readonly CodedRow[],
    weights: readonly number[],
    clusters: readonly string[],
    isWhole: boolean,
    hasMachine: boolean,
    frame?: Pick<FrameDesign, "unit" | "stratum">,
  ) {
    // Coded rows are drawn from the rows of a frame, not with the pages that it was drawn with; these say how far the frame is from other rows.
    const hasPages = frame?.unit.some((page) => page !== null) ?? false;
    this.#isByPage = hasPages && !isWhole;
    const unitAt = (at: number) => ({ at, page: frame?.unit[at] ?? null, stratum: frame?.stratum[at] ?? "" });
    const coded = gold.map((row) => (this.#isByPage ? unitAt(row.at) : hasPages ? { ...row, page: null } : row));
    const indexes = new Map([...new Set(clusters)].map((name, at) => [name, at]));
    const isClustered = clusters.length > 0;
    const add = (at: number, page: string | undefined, stratum: string) => {
      const cluster = indexes.get(clusters[at] as string);
      this.#unitOf.set(at, this.#units.indexOf({ cluster, page, stratum }));
    };
    for (const { at, page, stratum } of this.#isByPage ? (frame?.unit ?? []).map((_page, at) => unitAt(at)) : coded)
      add(at, page ?? (isClustered ? undefined : `row ${at}`), stratum);
    this.#nameOf = new Map(coded.map(({ at, page }) => [at, clusters[at] ?? page ?? `row ${at}`]));
    // The machine's codes are of all rows.
    if (hasMachine && !isWhole) for (const at of clusters.keys()) if (!this.#unitOf.has(at)) add(at, undefined, "");
    const shares = new Map(gold.map(({ stratum }, nth) => [stratum, 1 - 1 / (weights[nth] as number)]));
    this.#hasGroups = isClustered || coded.some(({ page }) => page !== null);
    this.hasIndependentRows = !isWhole && !this.#hasGroups;
    if (isWhole && !this.#hasGroups) this.#open = (stratum) => shares.get(stratum) ?? 1;
  }

  /**
   * How many clusters, pages or rows contribute, and the influence by the jackknife of few or uneven clusters or pages.
   *
   * @param weights of the coded rows
   */
  jackknifed({ coded, added }: ShareInfluence, weights: Influence): ShareInfluence & UnitCount {
    const units = new Set([...weights.keys()].map((at) => this.#nameOf.get(at))).size;
    const { influence, effective } = jackknifed(coded, weights, (at) => this.#nameOf.get(at));
    const few = this.#hasGroups && isFew(units, effective);
    return { coded: few ? influence : coded, added, units, effective, few };
  }

  /** The error of the coded rows, and of what the machine's code of each row adds. */
  of({ coded, added, effective = 0, few = false }: ShareInfluence & Partial<UnitCount>): DesignError {
    const isSimple = added.size === 0 || this.#isByPage || this.#units.clusters > 0;
    const influence = isSimple ? weightedInfluence([1, coded], [1, added]) : coded;
    const byUnit = sumsBy(influence, (at) => this.#unitOf.get(at) as number);
    const { error, degrees: all } = this.#units.errorOf(byUnit, this.#open);
    const degrees = few ? Math.min(all, effective - 1) : all;
    if (isSimple) return { error, degrees };
    const both = sum([...coded].map(([at, value]) => value * (added.get(at) ?? 0)));
    const own = sum([...added.values()].map((value) => value * value));
    return { error: Math.sqrt(Math.max(0, error ** 2 + own + 2 * both)), degrees };
  }
}
