import { boolean } from "../../errors/validators.js";
import { columnCells } from "../../frames/frameColumns.js";
import { askedRange, coveredBy } from "../../frames/periodsOf.js";
import type { PolarsFrame } from "../../frames/polars.js";
import { provenanceOf } from "../../frames/provenanceOf.js";
import { speakerId } from "../../members/speakerId.js";
import { sum } from "../../util/sum.js";
import { compilePatterns, type Pattern } from "../pattern.js";
import { broadcastOnce } from "../reairings.js";
import { captionsOf, hasColumn, requireColumns, textsOf, timesOf } from "../source/columns.js";
import { type By, Grouping, withEveryPeriod } from "../source/grouping.js";
import { RowWeights } from "../source/rowWeights.js";
import { framesOf, readProvenance, type TextSource } from "../source/textSource.js";
import {
  queryOf,
  RepeatedRows,
  refuseIncomplete,
  refuseSameSearch,
  refuseSearch,
  warnOfCap,
  warnOfNoLength,
  warnOfRowsOutside,
  warnOfSearchedWords,
} from "./checkBaseline.js";
import { Denominators, lengthsOf, PatternTally, type Per } from "./tallies.js";
import { type UnitSums, Units } from "./units.js";

/** What to count, by which groups, out of what. */
export interface CountRequest {
  readonly source: TextSource;
  readonly patterns: Pattern | readonly Pattern[];
  readonly by: By | undefined;
  readonly per: Per;
  readonly baseline: TextSource | "own rows" | undefined;
  /** The column whose rows are not independent of each other; false for none. Default: `personid` of rows that have one. */
  readonly cluster: string | false | undefined;
  readonly weights: string | false | undefined;
  /** Chooses rows, or adds columns. */
  readonly prepare?: (frame: PolarsFrame, name: string) => PolarsFrame;
}

/** Matches and denominators by group and, if they were asked for, by cluster. */
export interface RateCounts {
  readonly names: readonly string[];
  readonly grouping: Grouping;
  /** The groups, sorted, with all periods of the range that was asked. */
  readonly groups: readonly number[];
  /** What the errors of rates come from: clusters, and how rows were drawn. */
  readonly units: Units;
  /** Rows of groups without a cluster. */
  leftOut(groups: readonly number[]): number;
  /** Rows of the source that are not in the baseline; null without one, and for a sample. */
  readonly notInBaseline: number | null;
  /** What denominators are multiplied by for the number of rows that were read. */
  readonly scale: number;
  rows(group: number): number;
  sums(group: number, pattern: number): readonly UnitSums[];
}

/**
 * Counts patterns. Rows of a sample count as often as they stand for others.
 *
 * @param verb the function that was called, for warnings
 * @throws ValidationError for an invalid source, pattern or baseline; for the rows of a text search without a baseline
 */
export async function countRates(request: CountRequest, verb: string): Promise<RateCounts> {
  const { source, baseline, per, cluster, prepare = (frame) => frame } = request;
  const compiled = compilePatterns(request.patterns);
  const names = compiled.map(({ name }) => name);
  const grouping = new Grouping(request.by);
  const clustering = new Grouping(cluster === false ? undefined : (cluster ?? "personid"));
  const [units, cells] = [new Units(), new Cells()];
  const tally = new PatternTally(compiled, per === "mention");
  const [denominators, rows] = [new Denominators(per), new Denominators("mention")];
  const other = otherSpeech(baseline);
  const [sourceWeights, baseWeights] = [new RowWeights(request.weights), new RowWeights(request.weights)];
  let [query, isSample, rowNumber, outside, noLength] = [undefined as string | undefined, false, 0, 0, 0];
  const known = new Set<string>();
  const repeated = new RepeatedRows(source);
  /** They say which periods an incomplete result covers. */
  const times: number[] = [];
  const add = (given: PolarsFrame, isCounted: boolean, isBase: boolean, name: string) => {
    const frame = prepare(given, name);
    const captions = captionsOf(frame, name);
    const drawn = (isCounted ? sourceWeights : baseWeights).of(frame, name);
    const groups = grouping.indexes(frame, name);
    const isClustered = cluster !== false && (cluster !== undefined || hasColumn(frame, "personid"));
    const clusters = isClustered ? clustersOf(frame, clustering, name) : groups.map(() => null);
    const ids = other === undefined || !hasColumn(frame, "id") ? undefined : textsOf(frame, "id");
    // A row without a length is no part of the hours, and so its matches are none.
    const lengths = per === "hour" && hasColumn(frame, "length") ? lengthsOf(frame) : undefined;
    if (isBase) {
      isSample ||= drawn !== undefined;
      for (const [row, id] of (ids ?? []).entries())
        if (id !== null && !isSample && lengths?.[row] !== null) known.add(id);
    }
    const found = groups.map((group, row) => {
      if (lengths?.[row] === null) {
        if (isCounted) noLength++;
        return null;
      }
      const id = ids?.[row] ?? null;
      if (isCounted && !isBase && !isSample && known.size > 0 && id !== null && !known.has(id)) {
        outside++;
        return null;
      }
      const one = clusters[row] ?? undefined;
      // A row that was drawn by itself is one unit, unless its cluster is.
      const page = drawn && (drawn.unit[row] ?? (one === undefined ? `row ${rowNumber + row}` : undefined));
      return cells.indexOf(group, units.indexOf({ cluster: one, page, stratum: drawn?.stratum[row] ?? "all" }));
    });
    rowNumber += frame.height;
    if (isCounted) {
      tally.add(captions, found, drawn?.weights);
      repeated.add(frame, captions);
    }
    if (!isBase) return;
    if (grouping.period !== undefined) for (const time of timesOf(frame)) times.push(time ?? Number.NaN);
    if (per === "hour") requireColumns(frame, ["length"], name);
    denominators.add(captions, found, drawn?.weights, lengths);
    rows.add(captions, found);
  };
  if (other !== undefined) {
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
  const isClustered = typeof cluster === "string" || units.clusters > 0;
  const columnCells = (group: number) =>
    cells.of(group).filter(({ unit }) => !isClustered || units.clusterOf(unit) !== undefined);
  // With a baseline, both count at the scale of what they were drawn from.
  const scaled = other === undefined ? (value: number) => sourceWeights.scaled(value) : undefined;
  const rowsIn = (all: readonly Cell[]) => sum(all.map(({ index }) => rows.of(index)));
  return {
    names,
    grouping,
    groups,
    units,
    leftOut: (some) => sum(some.map((group) => rowsIn(cells.of(group)) - rowsIn(columnCells(group)))),
    notInBaseline: other === undefined || isSample || known.size === 0 ? null : outside,
    scale: other === undefined ? 1 : baseWeights.scale,
    rows: (group) => rowsIn(columnCells(group)),
    sums: (group, pattern) =>
      columnCells(group).map(({ index, unit }) => {
        const count = tally.count(index, pattern);
        return { unit, count: scaled?.(count) ?? count, denominator: denominators.of(index, scaled) };
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

/** How a step names a baseline. */
export function baselineName(baseline: CountRequest["baseline"]): string | undefined {
  return typeof baseline === "string" ? "own rows" : baseline && "other speech";
}

/** Columns that say who speaks. */
const SPEAKERS = new Set(["person", "personid"]);

/** The cluster, or the part, of every row; null for a row without one, and for an unidentified speaker. */
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
  readonly unit: number;
}

/** The combinations of groups and units that occur. */
class Cells {
  readonly #byGroup = new Map<number, Map<number, Cell>>();
  #size = 0;

  indexOf(group: number, unit: number): number {
    const known = this.#byGroup.get(group) ?? new Map<number, Cell>();
    this.#byGroup.set(group, known);
    const cell = known.get(unit) ?? { index: this.#size++, unit };
    known.set(unit, cell);
    return cell.index;
  }

  of(group: number): readonly Cell[] {
    return [...(this.#byGroup.get(group)?.values() ?? [])];
  }
}
