import type { ClientContext } from "../call/clientContext.js";
import { fetchedResult } from "../call/execution.js";
import { notebookHost } from "../call/notebookHost.js";
import { ArchiveError } from "../errors/index.js";
import type { Engine, FrameTypes } from "../frames/engine.js";
import { setProvenance } from "../frames/provenanceOf.js";
import { legislatorsFor } from "../members/legislators.js";
import { matcherOf } from "../members/speakerMatcher.js";
import type { Provenance } from "../service/paging/provenanceRecorder.js";
import { CallSignal } from "../util/callSignal.js";
import { judgeSpeeches } from "./judgeSpeeches.js";
import { decideByTerms, type MemberTerms } from "./memberTerms.js";
import { planSpeeches, type SpeechesPlan } from "./planSpeeches.js";
import { type SpeakerStatus, speakerStatus } from "./resolveSpeakers.js";
import { distinctRuns, mergeSpeeches } from "./runSearches.js";
import { speakersOf } from "./speakers.js";
import { speechesReport } from "./speechesReport.js";
import { type SpeechesMemory, SpeechesRun } from "./speechesRun.js";
import { type BillSpeeches, formatSpeeches, speakersByCount } from "./speechRows.js";

/**
 * Finds the speeches on one bill or several.
 *
 * @throws ValidationError before any request; ArchiveError with `partial`: its frame holds the speeches found so far,
 * including those of speakers whose title is not known yet
 */
export async function speechesOnBill(
  client: ClientContext,
  memory: SpeechesMemory,
  first: unknown,
  second: unknown,
): Promise<unknown> {
  const plan = planSpeeches(first, second, client.output);
  const run = new SpeechesRun(client, memory, plan);
  const { combined } = run;
  const terms = await memberTerms(plan, client.source);
  // Aborted by the first failure, by the caller, or by the notebook.
  const stop = new CallSignal([plan.signal, notebookHost().signal]);
  const turn = memory.people.turn();
  try {
    await run.find(stop.signal, () => turn.wait(stop.signal));
  } catch (error) {
    stop.abort();
    const { bills, rows, provenance } = assembleSpeeches(run, true, terms);
    combined.end(rows, recordersOf(run), error instanceof ArchiveError ? error.code : "failed");
    const frame = () => setProvenance(formatSpeeches({ ...plan, format: "dataframe" }, bills), provenance());
    const fetched = fetchedResult(combined.total, plan.engine, frame as () => FrameTypes[Engine], "speechesOnBill");
    client.remember(fetched);
    if (error instanceof ArchiveError && combined.total.pages > 0) error.partial = fetched;
    throw error;
  } finally {
    turn.end();
    stop.release();
  }
  const { bills, rows, provenance } = assembleSpeeches(run, false, terms);
  combined.end(rows, recordersOf(run), undefined, run.capped);
  const result = setProvenance(formatSpeeches(plan, bills), provenance());
  const frame = () => (plan.format === "dataframe" ? result : formatSpeeches({ ...plan, format: "dataframe" }, bills));
  client.remember(fetchedResult(combined.total, plan.engine, frame as () => FrameTypes[Engine], "speechesOnBill"));
  return result;
}

/** The members that decide the chamber; undefined if titles do. */
async function memberTerms({ members }: SpeechesPlan, source: string): Promise<MemberTerms | undefined> {
  if (members === undefined) return undefined;
  const legislators = members === true ? await legislatorsFor(source) : members;
  return { source: legislators.source, matcher: matcherOf(legislators) };
}

function recordersOf({ searches }: SpeechesRun) {
  return searches.map(({ recorder }) => recorder);
}

/** The speeches found so far, and where they come from. */
export interface AssembledSpeeches {
  readonly bills: readonly BillSpeeches[];
  readonly rows: number;
  readonly provenance: () => Provenance;
}

/**
 * Arranges the rows found so far by bill and speaker.
 *
 * @param failed include the speakers whose title is not known yet
 * @param terms members of Congress, to decide the chamber by the day; without them, titles decide
 */
function assembleSpeeches(run: SpeechesRun, failed: boolean, terms?: MemberTerms): AssembledSpeeches {
  const { plan, captions, searchesByBill, resolutions, combined } = run;
  const merged = searchesByBill.map(mergeSpeeches);
  const judged = merged.map((found, at) => judgeSpeeches(found, plan.bills[at]?.judged, captions, plan));
  const kept = judged.flatMap((each) => each.kept);
  const byTitle = speakersOf(kept, plan);
  const statuses = new Map<string, SpeakerStatus>();
  for (const speaker of byTitle.byKey.values()) {
    statuses.set(speaker.key, speakerStatus(speaker, resolutions, plan));
  }
  const {
    speakers,
    report: members,
    ...decided
  } = terms === undefined || plan.chamber === "any"
    ? { speakers: byTitle, statuses, report: undefined }
    : decideByTerms(kept, byTitle, statuses, plan.chamber, terms);
  const speakersByBill = judged.map((each) => speakersByCount(each.kept, speakers, decided.statuses));
  const isIncluded = ({ status }: SpeakerStatus) =>
    status === "included" || (status === "unresolved" && (failed || plan.chamber === "any"));
  const bills = plan.bills.map(({ bill }, index) => ({
    bill,
    speakers: (speakersByBill[index] ?? []).filter(({ speaker }) => isIncluded(speaker)),
  }));
  const rows = bills.flatMap(({ speakers }) => speakers).reduce((sum, { speeches }) => sum + speeches.length, 0);
  const report = speechesReport(plan, searchesByBill, merged, judged, speakersByBill.flat(), isIncluded);
  const duplicates = distinctRuns(searchesByBill.flat()).reduce((sum, { recorder }) => sum + recorder.duplicates, 0);
  return {
    bills,
    rows,
    provenance: () => ({
      ...combined.provenance("speechesOnBill", parametersOf(plan)),
      duplicates: report.duplicates + duplicates,
      conflicts: merged.reduce((sum, bill) => sum + bill.conflicts, 0),
      speeches: members === undefined ? report : { ...report, members },
    }),
  };
}

/** The arguments of the call as text, for the provenance. */
function parametersOf({ bills, isList, videotypes, chamber, ...limits }: SpeechesPlan): Record<string, string> {
  const [first] = bills;
  const entry = (name: string, value: string | number | null | undefined): [string, string][] =>
    value === null || value === undefined ? [] : [[name, String(value)]];
  const billEntries = isList
    ? entry("bills", JSON.stringify(bills.map(({ bill }) => bill)))
    : Object.entries(first?.bill ?? {}).flatMap(([name, value]) => entry(name, value));
  return Object.fromEntries([
    ...billEntries,
    ...entry("videotypes", videotypes.join(", ")),
    ...(isList ? [] : [...entry("mindate", first?.mindate), ...entry("maxdate", first?.maxdate)]),
    ...entry("chamber", chamber),
    ...entry("minConfidence", limits.minConfidence),
    ...entry("maxItems", limits.maxItems),
    ...entry("maxRequests", limits.maxRequests),
  ]);
}
