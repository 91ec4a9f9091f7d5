import type { ClientContext } from "../call/clientContext.js";
import { fetchedResult } from "../call/execution.js";
import { warnOfNoRows } from "../call/noRows.js";
import { notebookHost } from "../call/notebookHost.js";
import type { RowLookup } from "../call/rowLookup.js";
import { ArchiveError } from "../errors/index.js";
import type { Engine, FrameTypes } from "../frames/engine.js";
import { setProvenance } from "../frames/provenanceOf.js";
import type { Provenance } from "../service/paging/provenanceRecorder.js";
import { CallSignal } from "../util/callSignal.js";
import { sum } from "../util/sum.js";
import { type BillPlan, planSpeeches, type SpeechesPlan } from "./planSpeeches.js";
import { type SpeakerStatus, speakerStatus } from "./resolveSpeakers.js";
import { distinctRuns, isCut, SAME_FORM } from "./runSearches.js";
import { speechesReport } from "./speechesReport.js";
import { SpeechesRun } from "./speechesRun.js";
import { formatSpeeches, speakersByCount } from "./speechRows.js";

/**
 * Finds the speeches on one bill or several.
 *
 * @throws ValidationError before any request; ArchiveError with `partial`: its frame holds the speeches found so far,
 * including those of speakers whose title is not known yet
 */
export async function speechesOnBill(
  client: ClientContext,
  people: RowLookup,
  first: unknown,
  second: unknown,
): Promise<unknown> {
  const plan = planSpeeches(first, second, client.output);
  // Aborted by the first failure, by the caller, or by the notebook.
  const stop = new CallSignal([plan.signal, notebookHost().signal]);
  const turn = people.turns.join();
  const run = new SpeechesRun(client, people, plan, stop.signal, turn.before);
  let failure: { readonly error: unknown } | undefined;
  try {
    await run.find();
  } catch (error) {
    failure = { error };
    stop.abort();
  } finally {
    turn.publish();
    stop.release();
  }
  const error = failure?.error;
  const { bills, rows, provenance } = assembleSpeeches(run, failure !== undefined);
  const stopped = error instanceof ArchiveError ? error.code : failure && "failed";
  const recorders = run.searches.flatMap((search) =>
    isCut(search) || search.recorder.reason === SAME_FORM ? [] : search.recorder,
  );
  run.combined.end(rows, recorders, stopped, stopped === undefined ? run.capped : undefined);
  const types = new Set(run.found.flatMap(({ merged }) => merged.speeches.map(({ videotype }) => videotype)));
  if (failure === undefined && plan.maxItems !== 0)
    for (const type of plan.videotypes)
      if (!types.has(type)) warnOfNoRows({ operation: "mentions", path: "/mentions", query: [["videotype", type]] });
  const formatted = (format: SpeechesPlan["format"]) =>
    setProvenance(formatSpeeches({ ...plan, format }, bills), provenance());
  const result = failure === undefined ? formatted(plan.format) : undefined;
  const frame = () => (plan.format === "dataframe" && result) || formatted("dataframe");
  const fetched = fetchedResult(run.combined.total, plan.engine, frame as () => FrameTypes[Engine], "speechesOnBill");
  client.remember(fetched);
  if (failure === undefined) return result;
  if (error instanceof ArchiveError && run.combined.total.pages > 0) error.partial = fetched;
  throw error;
}

/**
 * Arranges the rows found so far by bill and speaker.
 *
 * @param failed include the speakers whose title is not known yet
 */
function assembleSpeeches(run: SpeechesRun, failed: boolean) {
  const { plan, speakers, searchesByBill, skippedByBill, resolutions, combined } = run;
  const found = run.found.map((stage, at) => {
    const { bill } = plan.bills[at] as BillPlan;
    return { bill, runs: searchesByBill[at] ?? [], skipped: skippedByBill[at] ?? [], ...stage };
  });
  const statuses = [...speakers.byKey.values()].map((speaker) => speakerStatus(speaker, resolutions, plan));
  const byKey = new Map(statuses.map((status) => [status.key, status]));
  const results = found.map((each) => ({ ...each, speakers: speakersByCount(each.judged.kept, speakers, byKey) }));
  const isIncluded = ({ status }: SpeakerStatus) =>
    status === "included" || (status === "unresolved" && (failed || plan.chamber === "any"));
  const bills = results.map(({ bill, speakers }) => ({
    bill,
    speakers: speakers.filter(({ speaker }) => isIncluded(speaker)),
  }));
  const report = speechesReport(results, isIncluded);
  const searches = distinctRuns(searchesByBill.flat());
  return {
    bills,
    rows: sum(bills.flatMap(({ speakers }) => speakers.map(({ speeches }) => speeches.length))),
    provenance: (): Provenance => ({
      ...combined.provenance("speechesOnBill", parametersOf(plan)),
      // The row that shows the number of a type is one that a search of all types found, too.
      duplicates:
        report.duplicates +
        sum([...searches.map(({ recorder }) => recorder.duplicates), ...run.probes.map(({ rows }) => rows.length)]),
      conflicts: sum(results.map(({ merged }) => merged.conflicts)),
      speeches: report,
    }),
  };
}

/** The arguments of the call as text, for the provenance. */
function parametersOf({ bills, isList, videotypes, ...options }: SpeechesPlan): Record<string, string> {
  const [first] = bills;
  const { chamber, minConfidence, maxItems, maxRequests } = options;
  const own = isList
    ? { bills: JSON.stringify(bills.map(({ bill }) => bill)) }
    : { ...first?.bill, mindate: first?.mindate, maxdate: first?.maxdate };
  const all = { ...own, videotypes: videotypes.join(", "), chamber, minConfidence, maxItems, maxRequests };
  const given = Object.entries(all).filter(([, value]) => value !== undefined && value !== null);
  return Object.fromEntries(given.map(([name, value]) => [name, String(value)]));
}
