import { boolean } from "../../errors/validators.js";
import { isPolarsFrame } from "../../frames/engine.js";
import { columnCells } from "../../frames/frameColumns.js";
import type { PolarsFrame } from "../../frames/polars.js";
import { provenanceOf } from "../../frames/provenanceOf.js";
import { speakerId } from "../../members/speakerId.js";
import { sum } from "../../util/sum.js";
import { compilePatterns, type Pattern } from "../pattern.js";
import { broadcastOnce } from "../reairings.js";
import { captionsOf, hasColumn, requireColumns, textsOf, timesOf } from "../source/columns.js";
import { type By, Grouping, withEveryPeriod } from "../source/grouping.js";
import { askedRange, coveredBy } from "../source/periodsOf.js";
import { framesOf, readProvenance, type TextSource } from "../source/textSource.js";
import {
  queryOf,
  RepeatedRows,
  refuseIncomplete,
  refuseOneSample,
  refuseSameSearch,
  refuseSearch,
  warnOfCap,
  warnOfNoLength,
  warnOfRowsOutside,
  warnOfSearchedWords,
} from "./checkBaseline.js";
import type { ClusterSums } from "./clusters.js";
import { Denominators, lengthsOf, PatternTally, type Per } from "./tallies.js";

export interface OnceOption {
  /** Counts a speech that was broadcast several times once, see {@link reairings}; holds all rows in memory. Default false: a note says how many rows repeat others. */
  once?: boolean | undefined;
}

/** What to count, by which groups, out of what. */
export interface CountRequest {
  readonly source: TextSource;
  readonly patterns: Pattern | readonly Pattern[];
  readonly by: By | undefined;
  readonly per: Per;
  readonly baseline: TextSource | "own rows" | undefined;
  /** The column whose rows are not independent of each other; false for none. Default: that of {@link defaultCluster}, of rows that have one. */
  readonly cluster: string | false | undefined;
  /** Chooses rows, or adds columns. */
  readonly prepare?: (frame: PolarsFrame, name: string) => PolarsFrame;
}

/** Matches and denominators by group and, if they were asked for, by cluster. */
export interface RateCounts {
  readonly names: readonly string[];
  readonly grouping: Grouping;
  /** The groups, sorted, with all periods of the range that was asked. */
  readonly groups: readonly number[];
  /** How many clusters there are; 0 if matches are taken as independent. */
  readonly clusters: number;
  /** Their column. */
  readonly cluster: string;
  /** Rows of groups without a cluster. */
  leftOut(groups: readonly number[]): number;
  /** Rows of the source that are not in the baseline; null without one. */
  readonly notInBaseline: number | null;
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
  const cluster = request.cluster || defaultCluster(source);
  const compiled = compilePatterns(request.patterns);
  const names = compiled.map(({ name }) => name);
  const grouping = new Grouping(request.by);
  const clustering = new Grouping(cluster);
  const cells = new Cells();
  const tally = new PatternTally(compiled, per === "mention");
  const [denominators, rows] = [new Denominators(per), new Denominators("mention")];
  const other = otherSpeech(baseline);
  let [query, outside, noLength] = [undefined as string | undefined, 0, 0];
  const known = new Set<string>();
  const repeated = new RepeatedRows(source);
  /** They say which periods an incomplete result covers. */
  const times: number[] = [];
  const add = (given: PolarsFrame, isCounted: boolean, isBase: boolean, name: string) => {
    const frame = prepare(given, name);
    const captions = captionsOf(frame, name);
    const groups = grouping.indexes(frame, name);
    const isClustered = request.cluster !== false && (request.cluster !== undefined || hasColumn(frame, cluster));
    const clusters = isClustered ? clustersOf(frame, clustering, name) : groups.map(() => null);
    const ids = other === undefined || !hasColumn(frame, "id") ? undefined : textsOf(frame, "id");
    // A row without a length is no part of the hours, and so its matches are none.
    const lengths = per === "hour" && hasColumn(frame, "length") ? lengthsOf(frame) : undefined;
    if (isBase)
      for (const [row, id] of (ids ?? []).entries()) if (id !== null && lengths?.[row] !== null) known.add(id);
    const found = groups.map((group, row) => {
      if (lengths?.[row] === null) {
        if (isCounted) noLength++;
        return null;
      }
      const id = ids?.[row] ?? null;
      if (isCounted && !isBase && known.size > 0 && id !== null && !known.has(id)) {
        outside++;
        return null;
      }
      return cells.indexOf(group, clusters[row] ?? undefined);
    });
    if (isCounted) {
      tally.add(captions, found);
      repeated.add(frame, captions);
    }
    if (!isBase) return;
    if (grouping.period !== undefined) for (const time of timesOf(frame)) times.push(time ?? Number.NaN);
    if (per === "hour") requireColumns(frame, ["length"], name);
    denominators.add(captions, found, lengths);
    rows.add(captions, found);
  };
  if (other !== undefined) {
    refuseOneSample(source, other);
    refuseIncomplete(source, "source");
    refuseIncomplete(other, "baseline");
    const own = queryOf(source);
    for await (const frame of framesOf(other, "baseline")) {
      refuseSameSearch(frame, own);
      query ??= queryOf(frame);
      add(frame, false, true, "baseline");
    }
  }
  let sourceRows = 0;
  for await (const frame of framesOf(source)) {
    if (baseline === undefined) refuseSearch(frame);
    else if (other === undefined) warnOfCap(provenanceOf(frame), verb);
    else refuseSameSearch(frame, query);
    sourceRows += frame.height;
    add(frame, true, other === undefined, "source");
  }
  if (baseline === "own rows") warnOfSearchedWords(readProvenance(source), compiled, verb);
  repeated.warn(verb);
  warnOfRowsOutside(outside, sourceRows);
  warnOfNoLength(noLength, sourceRows, verb);
  const base = readProvenance(other ?? source);
  const groups = withEveryPeriod(grouping, askedRange(base, coveredBy(base, times)));
  // Rows without a cluster count only where no row has one and none was asked for.
  const { clusters } = cells;
  const isClustered = typeof request.cluster === "string" || clusters > 0;
  const countedCells = (group: number) => cells.of(group).filter((cell) => !isClustered || cell.cluster !== undefined);
  const rowsIn = (all: readonly Cell[]) => sum(all.map(({ index }) => rows.of(index)));
  return {
    names,
    grouping,
    groups,
    clusters,
    cluster,
    leftOut: (some) => sum(some.map((group) => rowsIn(cells.of(group)) - rowsIn(countedCells(group)))),
    notInBaseline: other === undefined || known.size === 0 ? null : outside,
    rows: (group) => rowsIn(countedCells(group)),
    sums: (group, pattern) =>
      countedCells(group).map(({ index, cluster }) => {
        return { cluster, count: tally.count(index, pattern), denominator: denominators.of(index) };
      }),
  };
}

/** What is counted, of what: all broadcasts, or each speech once. */
export async function speechOf(
  source: TextSource,
  { baseline, once = false }: { readonly baseline?: CountRequest["baseline"]; readonly once?: boolean | undefined },
): Promise<Pick<CountRequest, "source" | "baseline">> {
  if (!boolean("once", once)) return { source, baseline };
  const other = otherSpeech(baseline);
  return { source: await broadcastOnce(source), baseline: other === undefined ? baseline : await broadcastOnce(other) };
}

/** The baseline, if it is other speech than the source. */
export function otherSpeech(baseline: CountRequest["baseline"]): TextSource | undefined {
  return baseline === "own rows" ? undefined : baseline;
}

/** Columns that say who speaks. */
const SPEAKERS = new Set(["person", "personid"]);

/** The column of clusters if none is given: pages for a sample that was drawn by pages, otherwise speakers. */
export function defaultCluster(source: TextSource): string {
  const isSample = readProvenance(source)?.sample !== undefined;
  return isSample && isPolarsFrame(source) && columnCells(source, "page").some((page) => page !== null)
    ? "page"
    : "personid";
}

/** The cluster of every row; null for a row without one, and for an unidentified speaker. */
export function clustersOf(frame: PolarsFrame, clustering: Grouping, name = "source"): readonly (number | null)[] {
  const clusters = clustering.indexes(frame, name);
  if (clustering.by.length === 0) return clusters;
  const isSpeaker = clustering.by.some((each) => SPEAKERS.has(each)) && hasColumn(frame, "personid");
  const ids = isSpeaker ? columnCells(frame, "personid") : undefined;
  return clusters.map((cluster, row) =>
    clustering.label(cluster) === null || (ids !== undefined && speakerId(ids[row]) === null) ? null : cluster,
  );
}

interface Cell {
  readonly index: number;
  readonly cluster: number | undefined;
}

/** The combinations of groups and clusters that occur. */
class Cells {
  readonly #byGroup = new Map<number, Map<number | undefined, Cell>>();
  readonly #clusters = new Set<number>();
  #size = 0;

  /** How many clusters there are. */
  get clusters(): number {
    return this.#clusters.size;
  }

  indexOf(group: number, cluster: number | undefined): number {
    if (cluster !== undefined) this.#clusters.add(cluster);
    const ofGroup = this.#byGroup.get(group) ?? new Map<number | undefined, Cell>();
    this.#byGroup.set(group, ofGroup);
    const cell = ofGroup.get(cluster) ?? { index: this.#size++, cluster };
    ofGroup.set(cluster, cell);
    return cell.index;
  }

  of(group: number): readonly Cell[] {
    return [...(this.#byGroup.get(group)?.values() ?? [])];
  }
}
