import type { LegislatorsSource } from "../members/legislators.js";
import type { SpeakerMatcher } from "../members/speakerMatcher.js";
import { speakerAndDay } from "../members/speakersOf.js";
import type { Row } from "../service/operations/rows.js";
import type { JudgedSpeech } from "./judgeSpeeches.js";
import type { SpeakerStatus } from "./resolveSpeakers.js";
import type { Chamber, Speakers } from "./speakers.js";

/** Members of Congress, to decide the chamber of a speaker by the day. */
export interface MemberTerms {
  readonly source: LegislatorsSource;
  readonly matcher: SpeakerMatcher;
}

/** How terms and titles decide the chamber of speeches, before either selects any. */
export interface MemberTermsReport {
  /** The data about members. */
  legislators: LegislatorsSource;
  /** Speeches that terms decided, because the data knows the speaker. */
  byTerm: number;
  /** Speeches that titles decided, because the data does not know the speaker. */
  byTitle: number;
  /** Of `byTerm`: speeches that titles decide in the same way. */
  agree: number;
  /** Of `byTerm`: speeches in the result that titles would leave out. */
  onlyByTerm: number;
  /** Of `byTerm`: speeches left out that titles would include. */
  onlyByTitle: number;
}

/** The speakers, with those split whose terms decide differently from day to day. */
export interface DecidedSpeakers {
  readonly speakers: Speakers;
  readonly statuses: ReadonlyMap<string, SpeakerStatus>;
  readonly report: MemberTermsReport;
}

/**
 * Decides about speeches by the terms of the day where the data knows the speaker, and leaves the others to the titles.
 *
 * @param chamber not "any", which needs no decision
 */
export function decideByTerms(
  speeches: readonly JudgedSpeech[],
  speakers: Speakers,
  statuses: ReadonlyMap<string, SpeakerStatus>,
  chamber: Chamber,
  { source, matcher }: MemberTerms,
): DecidedSpeakers {
  const decided = new Map(statuses);
  const keys = new Map<Row, string>();
  const report: MemberTermsReport = {
    legislators: source,
    byTerm: 0,
    byTitle: 0,
    agree: 0,
    onlyByTerm: 0,
    onlyByTitle: 0,
  };
  for (const { row } of speeches) {
    const key = speakers.keyOf(row);
    const byTitle = statuses.get(key) as SpeakerStatus;
    const decision = decisionOf(
      row,
      speakers.isInferred(row) ? byTitle.personid : row.personid,
      byTitle,
      chamber,
      matcher,
    );
    if (decision === undefined) {
      report.byTitle++;
      continue;
    }
    report.byTerm++;
    if (decision.status === byTitle.status) report.agree++;
    else if (decision.status === "included") report.onlyByTerm++;
    else if (byTitle.status === "included") report.onlyByTitle++;
    const decidedKey = JSON.stringify([key, decision.status, decision.reason]);
    keys.set(row, decidedKey);
    decided.set(decidedKey, { ...byTitle, ...decision, key: decidedKey });
  }
  return { speakers: { ...speakers, keyOf: (row) => keys.get(row) ?? speakers.keyOf(row) }, statuses: decided, report };
}

type Decision = Pick<SpeakerStatus, "status" | "reason">;

/** The decision by the terms of the day; undefined if the data does not know the speaker. */
function decisionOf(
  { person, begintime }: Row,
  personid: unknown,
  { title, name }: SpeakerStatus,
  chamber: Chamber,
  matcher: SpeakerMatcher,
): Decision | undefined {
  const speaker = speakerAndDay(personid, person ?? name, begintime, title);
  const { outcome, service } = matcher.match(speaker, speaker.day);
  if (outcome === "not in office") return { status: "excluded", reason: "not in office on that day" };
  if (service === undefined) return undefined;
  const { chamber: ofDay } = service.term;
  return ofDay === chamber
    ? { status: "included", reason: null }
    : { status: "excluded", reason: `member of the ${ofDay === "senate" ? "Senate" : "House"} on that day` };
}
