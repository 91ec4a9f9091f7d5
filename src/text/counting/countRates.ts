import { askedRange } from "../../frames/periodsOf.js";
import type { PolarsFrame } from "../../frames/polars.js";
import { provenanceOf } from "../../frames/provenanceOf.js";
import { speakerId } from "../../util/speakerId.js";
import { sum } from "../../util/sum.js";
import { compilePatterns, type Pattern } from "../pattern.js";
import { captionsOf, hasColumn, valuesOf } from "../source/columns.js";
import { type By, Grouping, withEveryPeriod } from "../source/grouping.js";
import { framesOf, readProvenance, type TextSource } from "../source/textSource.js";
import { queryOf, refuseIncomplete, refuseSameSearch, refuseSearch, warnOfCap } from "./checkBaseline.js";
import type { ClusterSums } from "./clusteredRatio.js";
import { Denominators, PatternTally, type Per } from "./tallies.js";

/** What to count, by which groups, out of what. */
export interface CountRequest {
  readonly source: TextSource;
  readonly patterns: Pattern | readonly Pattern[];
  readonly by: By | undefined;
  readonly per: Per;
  readonly baseline: TextSource | "own rows" | undefined;
  /** The column whose values are not independent of themselves. */
  readonly cluster: string | undefined;
  /** Chooses rows, or adds columns. */
  readonly prepare?: (frame: PolarsFrame, name: string) => PolarsFrame;
}

/** Matches and denominators by group and, if they were asked for, by cluster. */
export interface RateCounts {
  readonly names: readonly string[];
  readonly grouping: Grouping;
  /** The groups, sorted, with all periods of the range that was asked. */
  readonly groups: readonly number[];
  /** How many clusters there are in all groups. */
  readonly clusters: number;
  /** Rows without a cluster. */
  readonly leftOut: number;
  rows(group: number): number;
  sums(group: number, pattern: number): readonly ClusterSums[];
}

/**
 * Counts patterns.
 *
 * @param verb the function that was called, for warnings
 * @throws ValidationError for an invalid source, pattern or baseline; for the rows of a text search without a baseline
 */
export async function countRates(request: CountRequest, verb: string): Promise<RateCounts> {
  const { source, baseline, per, prepare = (frame) => frame } = request;
  const compiled = compilePatterns(request.patterns);
  const grouping = new Grouping(request.by);
  const clustering = new Grouping(request.cluster);
  const cells = new Cells();
  const tally = new PatternTally(compiled, per === "mention");
  const [denominators, rows] = [new Denominators(per), new Denominators("mention")];
  const other = otherSpeech(baseline);
  let query: string | undefined;
  let leftOut = 0;
  const add = (given: PolarsFrame, isCounted: boolean, isBase: boolean, name: string) => {
    const frame = prepare(given, name);
    const captions = captionsOf(frame, name);
    const [groups, clusters] = [grouping.indexes(frame, name), clustersOf(frame, clustering, name)];
    const found = clusters.map((cluster, row) =>
      cluster === null ? null : cells.indexOf(groups[row] as number, cluster),
    );
    if (isCounted) tally.add(captions, found);
    if (!isBase) return;
    denominators.add(frame, captions, found, name);
    rows.add(frame, captions, found, name);
    leftOut += found.filter((cell) => cell === null).length;
  };
  if (other !== undefined) {
    refuseIncomplete(source, "source");
    refuseIncomplete(other, "baseline");
  }
  for await (const frame of framesOf(source)) {
    if (baseline === undefined) refuseSearch(frame);
    else if (other === undefined) warnOfCap(provenanceOf(frame), verb);
    query ??= queryOf(frame);
    add(frame, true, other === undefined, "source");
  }
  if (other !== undefined) {
    for await (const frame of framesOf(other, "baseline")) {
      refuseSameSearch(frame, query);
      add(frame, false, true, "baseline");
    }
  }
  const groups = withEveryPeriod(grouping, askedRange(readProvenance(other ?? source)));
  return {
    names: compiled.map(({ name }) => name),
    grouping,
    groups,
    clusters: cells.clusters.size,
    leftOut,
    rows: (group) => sum(cells.of(group).map((cell) => rows.of(cell.index))),
    sums: (group, pattern) =>
      cells.of(group).map(({ index, cluster }) => ({
        cluster,
        count: tally.count(index, pattern),
        denominator: denominators.of(index),
      })),
  };
}

/** The baseline, if it is other speech than the source. */
export function otherSpeech(baseline: CountRequest["baseline"]): TextSource | undefined {
  return baseline === "own rows" ? undefined : baseline;
}

/** Columns that say who speaks. */
const SPEAKERS = new Set(["person", "personid"]);

/** The cluster, or the part, of every row; null for a row without one, and for an unidentified speaker. */
export function clustersOf(frame: PolarsFrame, clustering: Grouping, name = "source"): readonly (number | null)[] {
  const clusters = clustering.indexes(frame, name);
  if (clustering.by.length === 0) return clusters;
  const isSpeaker = clustering.by.some((each) => SPEAKERS.has(each)) && hasColumn(frame, "personid");
  const ids = isSpeaker ? valuesOf(frame, "personid") : undefined;
  return clusters.map((cluster, row) =>
    clustering.label(cluster) === null || (ids !== undefined && speakerId(ids[row]) === null) ? null : cluster,
  );
}

interface Cell {
  readonly index: number;
  readonly cluster: number;
}

/** The combinations of groups and clusters that occur. */
class Cells {
  readonly #byGroup = new Map<number, Map<number, Cell>>();
  readonly clusters = new Set<number>();
  #size = 0;

  indexOf(group: number, cluster: number): number {
    const known = this.#byGroup.get(group) ?? new Map<number, Cell>();
    this.#byGroup.set(group, known);
    const cell = known.get(cluster) ?? { index: this.#size++, cluster };
    known.set(cluster, cell);
    this.clusters.add(cluster);
    return cell.index;
  }

  of(group: number): readonly Cell[] {
    return [...(this.#byGroup.get(group)?.values() ?? [])];
  }
}
