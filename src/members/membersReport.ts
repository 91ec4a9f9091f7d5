import { warn } from "../errors/warn.js";
import { congressDates, congressOn } from "../util/congress.js";
import { sum } from "../util/sum.js";
import type { Legislators } from "./legislators.js";
import { type CongressCoverage, congressCoverage, HISTORICAL } from "./members.js";
import type { Match, MatchOutcome, RowSpeaker } from "./speakerMatcher.js";

declare module "../service/paging/provenanceRecorder.js" {
  interface Provenance {
    /** Only for results of `withMembers`: the data about members, and what happened to the rows. */
    members?: MembersReport;
  }
}

/**
 * How rows were joined with members of Congress. `byId`, `byName` and the counts of rows that were not joined add up to `rows`.
 *
 * @example
 * const report = membersReport(await withMembers(frame));
 * report?.contradictions[0]; //=> { reason: "other name", personid: 79783, person: "…", bioguide: "B001285", name: "Julia Brownley", … }
 */
export interface MembersReport {
  /** The data about members. */
  readonly legislators: Legislators["source"];
  /** Rows of the source. */
  readonly rows: number;
  /** Rows joined by the id of the speaker. */
  readonly byId: number;
  /** Rows joined by the name of the speaker, marked `inferred`. */
  readonly byName: number;
  /** Rows of speakers whom the data does not know, or who have the name of a member who was not in office. */
  readonly noMember: number;
  /** Rows of members, known by id, on days when they were not in office. */
  readonly notInOffice: number;
  /** Rows whose name, or whose id, several members of the day share. */
  readonly ambiguous: number;
  /** Rows whose name contradicts their id; see {@link contradictions}. */
  readonly contradicted: number;
  /** Rows without a day. */
  readonly noDay: number;
  /** Joined rows after the day of the data: the member may have left office or changed party since. */
  readonly afterData: number;
  /**
   * Joined rows of the last 150 days of a term with an approximate end: the member may have left before. In the data of this package
   * such an end may be days or weeks late; 150 days is a cautious bound.
   */
  readonly beforeApproximateEnd: number;
  /** The rows by Congress, of the day in Washington. Rows without a day are in none. */
  readonly congresses: ReadonlyArray<
    CongressCoverage & {
      readonly congress: number;
      readonly rows: number;
      readonly joined: number;
      /** Rows that were neither joined nor ambiguous. */
      readonly unknown: number;
      readonly ambiguous: number;
    }
  >;
  /** Speakers whose name contradicts their id, most rows first; the first 1,000. */
  readonly contradictions: ReadonlyArray<{
    /** "other name": the member with this id has another name. "other id": the member with this name has another id. */
    readonly reason: "other name" | "other id";
    /** Of the rows; null for an unidentified speaker. */
    readonly personid: number | null;
    /** As in the rows. */
    readonly person: string | null;
    /** The member of the data. */
    readonly bioguide: string;
    /** The name of the member. */
    readonly name: string;
    /** The rows concerned. */
    readonly rows: number;
  }>;
  /** Names that several members of the day share, most rows first; the first 1,000. */
  readonly ambiguousNames: ReadonlyArray<{
    readonly personid: number | null;
    readonly person: string | null;
    readonly rows: number;
  }>;
}

type Contradiction = MembersReport["contradictions"][number];

const MAX_LISTED = 1_000;
/** Different names to count: a frame may have a name per row. */
const MAX_COUNTED = 20_000;

/** A little more than the longest delay of an approximate end. */
const APPROXIMATE_DAYS = 150;
const DAY = 86_400_000;

/** Counts what happens to rows. */
export class MembersRecorder {
  readonly #counts = new Map<MatchOutcome, number>();
  readonly #contradictions = new Map<string, Counted<Contradiction>>();
  readonly #ambiguous = new Map<string, Counted<MembersReport["ambiguousNames"][number]>>();
  readonly #congresses = new Map<number, { joined: number; unknown: number; ambiguous: number }>();
  #afterData = 0;
  #beforeApproximateEnd = 0;
  #identified = 0;
  #joined = 0;

  constructor(readonly legislators: Legislators) {}

  add({ outcome, contradicted, service }: Match, { personid, person, day }: RowSpeaker): void {
    this.#counts.set(outcome, this.#count(outcome) + 1);
    const { date } = this.legislators.source;
    if (personid !== null) this.#identified++;
    if (personid !== null && service !== undefined) this.#joined++;
    if (service !== undefined && date !== null && day !== null && day > date) this.#afterData++;
    if (service?.term.endApproximate && Date.parse(service.term.end) - Date.parse(day ?? "") <= APPROXIMATE_DAYS * DAY)
      this.#beforeApproximateEnd++;
    if (day !== null) {
      const congress = congressOn(day);
      const counts = this.#congresses.get(congress) ?? { joined: 0, unknown: 0, ambiguous: 0 };
      counts[service !== undefined ? "joined" : outcome === "ambiguous" ? "ambiguous" : "unknown"]++;
      this.#congresses.set(congress, counts);
    }
    const key = `${outcome} ${contradicted?.bioguide} ${personid} ${person}`;
    if (contradicted !== undefined) {
      const { bioguide, name } = contradicted;
      const reason = outcome as Contradiction["reason"];
      countIn(this.#contradictions, key, { reason, personid, person, bioguide, name, rows: 0 });
    }
    if (outcome === "ambiguous") countIn(this.#ambiguous, key, { personid, person, rows: 0 });
  }

  /** The report on the rows so far. */
  report(): MembersReport {
    return {
      legislators: this.legislators.source,
      rows: this.#count(...this.#counts.keys()),
      byId: this.#count("id"),
      byName: this.#count("name"),
      noMember: this.#count("no member"),
      notInOffice: this.#count("not in office"),
      ambiguous: this.#count("ambiguous"),
      contradicted: this.#count("other name", "other id"),
      noDay: this.#count("no day"),
      afterData: this.#afterData,
      beforeApproximateEnd: this.#beforeApproximateEnd,
      congresses: this.#byCongress(),
      contradictions: listed(this.#contradictions),
      ambiguousNames: listed(this.#ambiguous),
    };
  }

  /**
   * Warns if rows are of Congresses that the data does not have, and if fewer than half of the rows with an identified speaker were
   * joined, or of all rows if none has one.
   *
   * @param archive where the rows come from; undefined if that is unknown
   */
  warn(archive: string | undefined): void {
    const early = this.#warnOfEarlyRows();
    if (early * 2 <= this.#count(...this.#counts.keys())) this.#warnOfFew(archive);
  }

  /** Warns of rows before the Congress in which the data becomes complete, and returns their number. */
  #warnOfEarlyRows(): number {
    const { completeSince, source } = this.legislators.source;
    if (completeSince === null) return 0;
    const first = congressOn(completeSince);
    const early = [...this.#congresses].filter(([congress]) => congress < first).map(([, counts]) => counts);
    const rows = sum(early.flatMap(({ joined, unknown, ambiguous }) => [joined, unknown, ambiguous]));
    if (rows === 0) return 0;
    warn(
      "FEW_MEMBERS",
      `withMembers joined ${sum(early.map(({ joined }) => joined))} of ${rows} rows before ${congressDates(first).mindate}: ${source} has members who sat on ${completeSince} or later. ${HISTORICAL}`,
    );
    return rows;
  }

  #warnOfFew(archive: string | undefined): void {
    const rows = this.#count(...this.#counts.keys());
    const [joined, of, what] =
      this.#identified === 0
        ? [this.#count("name"), rows, "rows"]
        : [this.#joined, this.#identified, "rows with an identified speaker"];
    if (joined * 2 >= of) return;
    const { source, date } = this.legislators.source;
    const why =
      this.#identified === 0
        ? "No row has an identified speaker: personid is null or 999999."
        : this.#count("not in office") > this.#count("no member")
          ? "They spoke on days when those with their ids were not in office: rows and members may be of different archives."
          : archive === undefined
            ? "It is unknown which archive the rows come from. Give a frame that keeps its provenance, or the option legislators."
            : "Former members are missing, or the rows are of another archive: load the historical file with loadLegislators, and give the option legislators.";
    warn(
      "FEW_MEMBERS",
      `withMembers joined ${joined} of ${of} ${what} to ${source}${date === null ? "" : ` of ${date}`}. ${why}`,
    );
  }

  #byCongress(): MembersReport["congresses"] {
    return [...this.#congresses]
      .sort(([a], [b]) => a - b)
      .map(([congress, counts]) => ({
        congress,
        rows: sum(Object.values(counts)),
        ...counts,
        ...congressCoverage(this.legislators, congress),
      }));
  }

  #count(...outcomes: readonly MatchOutcome[]): number {
    return sum(outcomes.map((outcome) => this.#counts.get(outcome) ?? 0));
  }
}

type Counted<T> = Omit<T, "rows"> & { rows: number };

function countIn<T extends { rows: number }>(counts: Map<string, T>, key: string, first: T): void {
  const known = counts.get(key) ?? (counts.size < MAX_COUNTED ? first : undefined);
  if (known === undefined) return;
  known.rows++;
  counts.set(key, known);
}

function listed<T extends { rows: number }>(counts: ReadonlyMap<string, T>): T[] {
  return [...counts.values()]
    .sort((a, b) => b.rows - a.rows)
    .slice(0, MAX_LISTED)
    .map((each) => ({ ...each }));
}

const reports = new WeakMap<object, () => MembersReport | undefined>();

export function setMembersReport<T extends object>(result: T, report: () => MembersReport | undefined): T {
  reports.set(result, report);
  return result;
}

/**
 * The report of a result of `withMembers`. For batches it covers the rows so far.
 *
 * @returns `undefined` for anything else, such as a frame derived from a result
 * @example
 * const joined = await withMembers(frame);
 * membersReport(joined)?.contradicted; //=> []
 */
export function membersReport(result: unknown): MembersReport | undefined {
  return typeof result === "object" && result !== null ? reports.get(result)?.() : undefined;
}
