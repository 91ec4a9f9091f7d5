import { warn } from "../errors/warn.js";
import { congressDates, congressOn } from "../util/congress.js";
import { sum } from "../util/lists.js";
import { HISTORICAL, type Legislators } from "./legislators.js";
import type { Match, MatchOutcome, RowSpeaker } from "./speakerMatcher.js";

declare module "../service/paging/provenanceRecorder.js" {
  interface Provenance {
    /** Only for results of `withMembers`: the data about members, and what happened to the rows. */
    members?: MembersReport;
  }
}

/**
 * How rows were joined with members of Congress. The counts of rows by outcome add up to `rows`.
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
  /** Joined by the id of the speaker. */
  readonly byId: number;
  /** Joined by the name of the speaker, marked `inferred`. */
  readonly byName: number;
  /** Speakers whom the data does not know, or with the name of a member who was not in office. */
  readonly noMember: number;
  /** Members, known by id, on days when they were not in office. */
  readonly notInOffice: number;
  /** Several members of the day share the name or id. */
  readonly ambiguous: number;
  /** The name contradicts the id; see `contradictions`. */
  readonly contradicted: number;
  /** Rows without a day. */
  readonly noDay: number;
  /** Speakers whose name contradicts their id, most rows first; at most 1,000. */
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
}

type Contradiction = MembersReport["contradictions"][number];

/** A frame may have a different name in every row. */
const MAX_LISTED = 1_000;

export class MembersRecorder {
  readonly #counts = new Map<MatchOutcome, number>();
  readonly #contradictions = new Map<string, Contradiction>();
  /** The first day of the Congress in which the data becomes complete. */
  readonly #firstDay: string;
  #earlyRows = 0;
  #identifiedRows = 0;
  #joinedById = 0;

  constructor(readonly legislators: Legislators) {
    const { completeSince } = legislators.source;
    this.#firstDay = completeSince === null ? "" : congressDates(congressOn(completeSince)).mindate;
  }

  add({ outcome, contradictedMember, officeholder }: Match, { personid, person, day }: RowSpeaker): void {
    this.#counts.set(outcome, this.#count(outcome) + 1);
    if (personid !== null) this.#identifiedRows++;
    if (personid !== null && officeholder !== undefined) this.#joinedById++;
    if (day !== null && day < this.#firstDay) this.#earlyRows++;
    if (contradictedMember === undefined) return;
    const { bioguide, name } = contradictedMember;
    const key = `${outcome} ${bioguide} ${personid} ${person}`;
    const rows = this.#contradictions.get(key)?.rows ?? 0;
    if (rows === 0 && this.#contradictions.size >= MAX_LISTED) return;
    const reason = outcome as Contradiction["reason"];
    this.#contradictions.set(key, { reason, personid, person, bioguide, name, rows: rows + 1 });
  }

  /** The report on the rows so far. */
  report(): MembersReport {
    return {
      legislators: this.legislators.source,
      rows: this.#rows,
      byId: this.#count("id"),
      byName: this.#count("name"),
      noMember: this.#count("no member"),
      notInOffice: this.#count("not in office"),
      ambiguous: this.#count("ambiguous"),
      contradicted: this.#count("other name", "other id"),
      noDay: this.#count("no day"),
      contradictions: [...this.#contradictions.values()].sort((a, b) => b.rows - a.rows),
    };
  }

  /** Warns of rows before the data, or if fewer than half of the rows with an identified speaker (or of all rows) were joined. */
  warn(): void {
    const { source, date, completeSince } = this.legislators.source;
    const isIdentified = this.#identifiedRows > 0;
    const [joined, total] = isIdentified ? [this.#joinedById, this.#identifiedRows] : [this.#count("name"), this.#rows];
    if (this.#earlyRows === 0 && joined * 2 >= total) return;
    const what = isIdentified ? "rows with an identified speaker" : "rows";
    let why = "No row has an identified speaker: personid is null or 999999.";
    if (this.#earlyRows > 0)
      why = `${this.#earlyRows} of ${this.#rows} rows are before ${this.#firstDay}, and the data has members who sat on ${completeSince} or later. ${HISTORICAL}`;
    else if (isIdentified)
      why = `Former members are missing, or rows and members are of different archives. ${HISTORICAL}`;
    const data = `${source}${date === null ? "" : ` of ${date}`}`;
    warn("FEW_MEMBERS", `withMembers joined ${joined} of ${total} ${what} to ${data}. ${why}`);
  }

  get #rows(): number {
    return sum([...this.#counts.values()]);
  }

  #count(...outcomes: readonly MatchOutcome[]): number {
    return sum(outcomes.map((outcome) => this.#counts.get(outcome) ?? 0));
  }
}

const reports = new WeakMap<object, () => MembersReport | undefined>();

export function setMembersReport<T extends object>(result: T, report: () => MembersReport | undefined): T {
  reports.set(result, report);
  return result;
}

/**
 * Returns the report of a result of `withMembers`, which is also `provenanceOf(result).members`. For batches it covers the rows so far.
 *
 * @returns the report, or `undefined` for anything else
 * @example
 * const joined = await withMembers(frame);
 * membersReport(joined)?.contradicted; //=> 0
 */
export function membersReport(result: unknown): MembersReport | undefined {
  return typeof result === "object" && result !== null ? reports.get(result)?.() : undefined;
}
