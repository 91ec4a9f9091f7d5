import { boolean, faulty, invalid } from "../../errors/validators.js";
import { isPolarsFrame } from "../../frames/engine.js";
import type { PolarsFrame } from "../../frames/polars.js";
import { speakerId } from "../../members/speakers.js";
import { sum } from "../../util/lists.js";
import type { Captions } from "../read/captions.js";
import { type By, Grouping, withEveryPeriod } from "../read/grouping.js";
import { coveredRange, requestedRange } from "../read/periods.js";
import { captionsOf, framesOf, hasColumn, readProvenance, type TextSource, timesOf } from "../read/textSource.js";
import { warnOfRepeatedRows } from "./notes.js";
import { broadcastOnce } from "./reairings.js";

interface SampleRows {
  readonly frame: PolarsFrame;
  readonly captions: Captions;
  readonly groups: readonly number[];
  /** The number of the cluster of each row; null for rows without one. Undefined in a sample without clusters. */
  readonly clusters: readonly (number | null)[] | undefined;
}

const CLUSTER_HINT = 'Give a column that says whose rows resemble each other, for example cluster: "programid".';

/** Rows with text to count, by group and cluster. Counts are available after one pass over {@link rows}. */
export class Sample {
  readonly grouping: Grouping;
  readonly cluster: string | undefined;
  readonly #once: boolean;
  readonly #clustering: Grouping;
  /** The numbers of clusters, from 0. */
  readonly #numbers = new Map<number, number>();
  /** The rows of each group without a cluster. */
  readonly #leftOut: number[] = [];
  /** Show which periods an incomplete result covers. */
  readonly #times: number[] = [];

  /** @param verb the function of the caller, for messages */
  constructor(
    readonly source: TextSource,
    readonly verb: string,
    {
      by,
      cluster,
      once = false,
    }: { readonly by?: By | undefined; readonly cluster?: string | undefined; readonly once?: boolean | undefined },
  ) {
    this.grouping = new Grouping(by);
    if (cluster !== undefined && (typeof cluster !== "string" || cluster.trim() === ""))
      throw invalid("cluster", cluster, CLUSTER_HINT);
    this.cluster = cluster;
    this.#clustering = new Grouping(cluster);
    this.#once = boolean("once", once);
  }

  /** The number of clusters. */
  get clusters(): number {
    return this.#numbers.size;
  }

  /** The number of rows without a cluster in some groups. Default: in all groups. */
  leftOut(...groups: readonly number[]): number {
    return sum((groups.length === 0 ? [...this.#leftOut.keys()] : groups).map((group) => this.#leftOut[group] ?? 0));
  }

  /** Adds a group for every period of the range that was searched, and returns the indexes of all groups, sorted. */
  sortedGroups(): readonly number[] {
    const provenance = readProvenance(this.source);
    return withEveryPeriod(this.grouping, requestedRange(provenance, coveredRange(provenance, this.#times)));
  }

  /**
   * @param name the parameter that errors name
   * @throws ValidationError if no row has a cluster
   */
  async *rows(name = "source"): AsyncGenerator<SampleRows, void, undefined> {
    for await (const frame of framesOf(this.#once ? await broadcastOnce(this.source) : this.source, name)) {
      const captions = captionsOf(frame, name);
      // Other sources may be too large to look for repeated rows.
      if (isPolarsFrame(this.source) && !this.#once) warnOfRepeatedRows(frame, captions, this.verb);
      const groups = this.grouping.indexes(frame, name);
      if (this.grouping.period !== undefined) for (const time of timesOf(frame)) this.#times.push(time ?? Number.NaN);
      const clusters = this.cluster === undefined ? undefined : this.#clustersOf(frame, this.cluster, name);
      for (const [row, group] of groups.entries())
        if (clusters?.[row] === null) this.#leftOut[group] = (this.#leftOut[group] ?? 0) + 1;
      yield { frame, captions, groups, clusters };
    }
    if (this.cluster !== undefined && this.clusters === 0 && this.leftOut() > 0) {
      throw faulty("cluster", `no row has a "${this.cluster}"`, `${CLUSTER_HINT} Without one there are no intervals.`);
    }
  }

  /** The cluster of every row; null for a row without one, and for an unidentified speaker. */
  #clustersOf(frame: PolarsFrame, cluster: string, name: string): readonly (number | null)[] {
    if (cluster === "personid" && !hasColumn(frame, cluster)) return new Array<null>(frame.height).fill(null);
    const indexes = this.#clustering.indexes(frame, name);
    return indexes.map((index) => {
      const label = this.#clustering.label(index);
      if (label === null || (cluster === "personid" && speakerId(label) === null)) return null;
      const number = this.#numbers.get(index) ?? this.#numbers.size;
      this.#numbers.set(index, number);
      return number;
    });
  }
}
