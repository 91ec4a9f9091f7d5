import type { Verdict } from "../service/paging/provenanceRecorder.js";
import { sum } from "../util/lists.js";
import type { BillName } from "./planSpeeches.js";
import type { SpeakerStatus } from "./resolveSpeakers.js";
import type { BillRun } from "./speechesRun.js";
import type { BillSpeaker, BillSpeeches } from "./speechRows.js";

declare module "../service/paging/provenanceRecorder.js" {
  interface Provenance {
    /** Only for results of `archive.speechesOnBill`: what each query found, and which speakers were included or excluded. */
    speeches?: SpeechesReport;
  }
}

/**
 * How the speeches on a bill were found: `provenanceOf(frame)?.speeches`. Every speech that was found is counted once, in `included`,
 * `excluded`, `unresolved` or `rejected`.
 *
 * @example
 * const frame = await archive.speechesOnBill({ title: "Inflation Reduction Act", congress: 117 });
 * const report = provenanceOf(frame)?.speeches;
 * report?.variants[0]; //=> { bill: { title: "Inflation Reduction Act", … }, query: '"Inflation Reduction Act"', … }
 */
export interface SpeechesReport {
  /** One entry per query and video type. */
  variants: VariantReport[];
  /** The bills with what the result has on each. `typed` is the title or the number as given, if a part was taken off. */
  bills: Array<{ bill: BillName; typed: string | null; speeches: number; speakers: number }>;
  /** Rows that several searches found. */
  duplicates: number;
  /** Speeches with too little `confidence`, by bill and reason. */
  rejected: Array<{ bill: BillName; reason: string; speeches: number }>;
  /** Speakers whose speeches are in the result. */
  included: SpeakerReport[];
  /** Speakers of another chamber or title. */
  excluded: SpeakerReport[];
  /** Speakers left out because their title could not be determined. */
  unresolved: SpeakerReport[];
}

/** One search for speeches on a bill: a query in one video type, or in all of them. */
export interface VariantReport {
  /** The bill that the search was for. */
  bill: BillName;
  query: string;
  /** The type that was searched; null for a search of all types, whose rows say theirs. */
  videotype: string | null;
  /** Rows that the search found. */
  rows: number;
  /** Rows that no earlier search had found. */
  newRows: number;
  /** Whether the search returned everything: "complete", "capped" or "stopped". */
  verdict: Verdict;
}

/** A speaker, with the number of speeches on all bills of the call. */
export interface SpeakerReport {
  /** The id of the person; null if the rows have none. */
  personid: number | string | null;
  name: string | null;
  title: string | null;
  /** Number of speeches. */
  speeches: number;
  /** Of these, speeches without an id that were attributed to the speaker by name. */
  inferred: number;
  /** Why the speaker is excluded, or why the title could not be determined: "not known to the archive"; otherwise null. */
  reason: string | null;
}

export interface BillResult extends BillRun, BillSpeeches {
  readonly all: readonly BillSpeaker[];
}

export function speechesReport(bills: readonly BillResult[]): SpeechesReport {
  const report: SpeechesReport = {
    variants: bills.flatMap(({ bill, runs, merged }) =>
      runs.map(({ search: { query, videotype = null }, reader: { recorder, rows } }, at) => ({
        bill: { ...bill },
        query,
        videotype,
        rows: rows.length + recorder.duplicates,
        newRows: merged.newRows[at] ?? 0,
        verdict: recorder.verdict,
      })),
    ),
    bills: bills.map(({ bill, plan, speakers }) => ({
      bill: { ...bill },
      typed: plan.typedText ?? null,
      speeches: sum(speakers.map(({ speeches }) => speeches.length)),
      speakers: speakers.length,
    })),
    duplicates: sum(
      bills.flatMap(({ merged, runs }) => [merged.duplicates, ...runs.map(({ reader }) => reader.recorder.duplicates)]),
    ),
    rejected: bills.flatMap(rejections),
    included: [],
    excluded: [],
    unresolved: [],
  };
  for (const { speaker, speeches, inferred } of speakerTotals(bills.flatMap(({ all }) => all))) {
    const { personid, name, title, status, reason } = speaker;
    report[status].push({ personid: personid as SpeakerReport["personid"], name, title, speeches, inferred, reason });
  }
  return report;
}

/** Counts the rejected speeches by their first conflict, most frequent first. */
function rejections({ bill, judged, merged }: BillResult): SpeechesReport["rejected"] {
  const counts = new Map(merged.otherTypes > 0 ? [["another video type", merged.otherTypes]] : []);
  for (const { judgement } of judged.rejected) {
    const reason = judgement.conflicts[0] ?? "below minConfidence";
    counts.set(reason, (counts.get(reason) ?? 0) + 1);
  }
  const sorted = [...counts].sort(([, a], [, b]) => b - a);
  return sorted.map(([reason, speeches]) => ({ bill: { ...bill }, reason, speeches }));
}

/** The speakers with their speeches on all bills; most speeches first, ties in the order of the result. */
function speakerTotals(speakers: readonly BillSpeaker[]) {
  const byKey = new Map<string, { readonly speaker: SpeakerStatus; speeches: number; inferred: number }>();
  for (const { speaker, speeches, inferred } of speakers) {
    const total = byKey.get(speaker.key) ?? { speaker, speeches: 0, inferred: 0 };
    total.speeches += speeches.length;
    total.inferred += inferred.size;
    byKey.set(speaker.key, total);
  }
  return [...byKey.values()].sort((a, b) => b.speeches - a.speeches);
}
