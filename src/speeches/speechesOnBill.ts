import type { ClientContext } from "../call/clientContext.js";
import { harvestOf } from "../call/harvest.js";
import { notebookHost } from "../call/notebookHost.js";
import { ArchiveError } from "../errors/index.js";
import type { Engine, FrameTypes } from "../frames/engine.js";
import { setProvenance } from "../frames/provenanceOf.js";
import type { Provenance } from "../service/paging/provenanceRecorder.js";
import { CallSignal } from "../util/callSignal.js";
import { CombinedRecorder } from "./combinedRecorder.js";
import { type BillSpeeches, formatSpeeches } from "./formatSpeeches.js";
import { mergeSpeeches } from "./mergeSpeeches.js";
import type { PersonLookup } from "./personLookup.js";
import { planSpeeches, type SpeechesPlan } from "./planSpeeches.js";
import {
  idsToLookUp,
  type Resolutions,
  resolveSpeakers,
  type SpeakerStatus,
  speakerStatus,
} from "./resolveSpeakers.js";
import { prepareSearches, runSearches, type SearchRun } from "./runSearches.js";
import { speakersOf } from "./speakers.js";
import { speechesReport } from "./speechesReport.js";
import { speakersByCount } from "./speechRows.js";

/**
 * Finds the speeches on one bill or several.
 *
 * @param people the people that the client knows already
 * @throws ValidationError before any request; ArchiveError with `partial`: its frame holds the speeches found so far,
 * including those of speakers whose title is not known yet
 */
export async function speechesOnBill(
  client: ClientContext,
  people: PersonLookup,
  first: unknown,
  second: unknown,
): Promise<unknown> {
  const plan = planSpeeches(first, second, client.output);
  const combined = new CombinedRecorder(client);
  const searchesByBill = prepareSearches(plan, combined);
  const searches = [...new Set(searchesByBill.flat())];
  const recorders = searches.map(({ recorder }) => recorder);
  const resolutions: Resolutions = new Map();
  // Aborted by the first failure, by the caller, or by the notebook.
  const stop = new CallSignal([plan.signal, notebookHost().signal]);
  const turn = people.turn();
  try {
    await runSearches(client, plan, searches, combined, stop.signal);
    const speakers = speakersOf(
      searchesByBill.flatMap((runs) => mergeSpeeches(runs).speeches),
      plan.chamber,
    );
    await turn.wait(stop.signal);
    const ids = idsToLookUp(speakers.values());
    await resolveSpeakers(client, plan, people, ids, resolutions, searches, combined, stop.signal);
  } catch (error) {
    stop.abort();
    const { bills, rows, provenance } = assemble(plan, searchesByBill, resolutions, combined, true);
    combined.end(rows, recorders, error instanceof ArchiveError ? error.code : "failed");
    const frame = () => setProvenance(formatSpeeches({ ...plan, format: "dataframe" }, bills), provenance());
    const harvest = harvestOf(combined.total, plan.engine, frame as () => FrameTypes[Engine], "speechesOnBill");
    client.remember(harvest);
    if (error instanceof ArchiveError && combined.total.pages > 0) error.partial = harvest;
    throw error;
  } finally {
    turn.end();
    stop.release();
  }
  const { bills, rows, provenance } = assemble(plan, searchesByBill, resolutions, combined, false);
  combined.end(rows, recorders);
  const result = setProvenance(formatSpeeches(plan, bills), provenance());
  const frame = () => (plan.format === "dataframe" ? result : formatSpeeches({ ...plan, format: "dataframe" }, bills));
  client.remember(harvestOf(combined.total, plan.engine, frame as () => FrameTypes[Engine], "speechesOnBill"));
  return result;
}

interface Assembled {
  readonly bills: readonly BillSpeeches[];
  readonly rows: number;
  readonly provenance: () => Provenance;
}

/**
 * Arranges the rows found so far by bill and speaker.
 *
 * @param failed include the speakers whose title is not known yet
 */
function assemble(
  plan: SpeechesPlan,
  searchesByBill: readonly SearchRun[][],
  resolutions: Resolutions,
  combined: CombinedRecorder,
  failed: boolean,
): Assembled {
  const merged = searchesByBill.map(mergeSpeeches);
  const allSpeeches = merged.flatMap(({ speeches }) => speeches);
  const statuses = new Map<string, SpeakerStatus>();
  for (const speaker of speakersOf(allSpeeches, plan.chamber).values()) {
    statuses.set(speaker.key, speakerStatus(speaker, resolutions, plan));
  }
  const speakersByBill = merged.map(({ speeches }) => speakersByCount(speeches, statuses));
  const isIncluded = ({ status }: SpeakerStatus) =>
    status === "included" || (status === "unresolved" && (failed || plan.chamber === "any"));
  const bills = plan.bills.map(({ bill }, index) => ({
    bill,
    speakers: (speakersByBill[index] ?? []).filter(({ speaker }) => isIncluded(speaker)),
  }));
  const rows = bills.flatMap(({ speakers }) => speakers).reduce((sum, { speeches }) => sum + speeches.length, 0);
  const report = speechesReport(plan, searchesByBill, merged, speakersByBill.flat(), isIncluded);
  return {
    bills,
    rows,
    provenance: () => ({
      ...combined.provenance(parametersOf(plan)),
      duplicates: report.duplicates + duplicatesWithinSearches(searchesByBill),
      conflicts: merged.reduce((sum, bill) => sum + bill.conflicts, 0),
      speeches: report,
    }),
  };
}

function duplicatesWithinSearches(searchesByBill: readonly SearchRun[][]): number {
  return [...new Set(searchesByBill.flat())].reduce((sum, { recorder }) => sum + recorder.duplicates, 0);
}

/** The arguments of the call as text, for the provenance. */
function parametersOf({ bills, isList, videotypes, chamber, maxItems }: SpeechesPlan): Record<string, string> {
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
    ...entry("maxItems", maxItems),
  ]);
}
