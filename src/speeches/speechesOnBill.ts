import type { ClientContext } from "../call/clientContext.js";
import { harvestOf } from "../call/harvest.js";
import { notebookHost } from "../call/notebookHost.js";
import { ArchiveError } from "../errors/index.js";
import type { Engine, FrameTypes } from "../frames/engine.js";
import { setProvenance } from "../frames/provenanceOf.js";
import type { Provenance } from "../service/paging/provenanceRecorder.js";
import { CallSignal } from "../util/callSignal.js";
import { checkSpeeches, type SpeechPlan } from "./checkSpeeches.js";
import { CombinedRecorder } from "./combinedRecorder.js";
import { type Finding, findingsOf, findSpeeches } from "./findSpeeches.js";
import { mergeSpeeches } from "./mergeSpeeches.js";
import type { People } from "./people.js";
import { type Resolutions, resolveSpeakers, type SpeakerStatus, statusOf, unknownIds } from "./resolveSpeakers.js";
import { speakersOf } from "./speakers.js";
import { speechesAccount } from "./speechesAccount.js";
import { type BillSpeakers, speechResult } from "./speechResult.js";
import { speakersOfBill } from "./speechRows.js";

/**
 * Finds the speeches on one bill or several.
 *
 * @param people whom the client knows already
 * @throws ValidationError before anything is sent; ArchiveError with `partial`, which keeps what came: in its frame are
 * also the speeches of those whose title is not known yet
 */
export async function speechesOnBill(
  client: ClientContext,
  people: People,
  first: unknown,
  second: unknown,
): Promise<unknown> {
  const plan = checkSpeeches(first, second, client.output);
  const combined = new CombinedRecorder(client);
  const findings = findingsOf(plan, combined);
  const searches = [...new Set(findings.flat())];
  const accounts = searches.map(({ recorder }) => recorder);
  const resolutions: Resolutions = new Map();
  // What stops a build: the failure of one of its requests, the caller, or the notebook.
  const stop = new CallSignal([plan.signal, notebookHost().signal]);
  const turn = people.turn();
  try {
    await findSpeeches(client, plan, searches, combined, stop);
    const speakers = speakersOf(
      findings.flatMap((some) => mergeSpeeches(some).speeches),
      plan.chamber,
    );
    await turn.wait(stop.signal);
    await resolveSpeakers(client, plan, people, unknownIds(speakers.values()), resolutions, searches, combined, stop);
  } catch (error) {
    stop.abort();
    const { bills, rows, provenance } = assemble(plan, findings, resolutions, combined, true);
    await combined.end(rows, accounts, error instanceof ArchiveError ? error.code : "failed");
    const frame = () => setProvenance(speechResult({ ...plan, format: "dataframe" }, bills), provenance());
    const harvest = harvestOf(combined.total, plan.engine, frame as () => FrameTypes[Engine]);
    client.remember(harvest);
    if (error instanceof ArchiveError && combined.total.pages > 0) error.partial = harvest;
    throw error;
  } finally {
    turn.end();
    stop.release();
  }
  const { bills, rows, provenance } = assemble(plan, findings, resolutions, combined, false);
  await combined.end(rows, accounts);
  const result = setProvenance(speechResult(plan, bills), provenance());
  const frame = () => (plan.format === "dataframe" ? result : speechResult({ ...plan, format: "dataframe" }, bills));
  client.remember(harvestOf(combined.total, plan.engine, frame as () => FrameTypes[Engine]));
  return result;
}

interface Assembled {
  readonly bills: readonly BillSpeakers[];
  readonly rows: number;
  readonly provenance: () => Provenance;
}

/** What has come, by bill and speaker; of a build that failed with the speakers whose fate is not known yet. */
function assemble(
  plan: SpeechPlan,
  findings: readonly Finding[][],
  resolutions: Resolutions,
  combined: CombinedRecorder,
  failed: boolean,
): Assembled {
  const merged = findings.map(mergeSpeeches);
  const standings = new Map<string, SpeakerStatus>();
  for (const speaker of speakersOf(
    merged.flatMap(({ speeches }) => speeches),
    plan.chamber,
  ).values()) {
    standings.set(speaker.key, statusOf(speaker, resolutions, plan));
  }
  const everyone = merged.map(({ speeches }) => speakersOfBill(speeches, standings));
  const isIn = ({ fate }: SpeakerStatus) =>
    fate === "kept" || (fate === "unresolved" && (failed || plan.chamber === "any"));
  const bills = plan.bills.map(({ bill }, at) => ({
    bill,
    speakers: (everyone[at] ?? []).filter(({ standing }) => isIn(standing)),
  }));
  const rows = bills.reduce(
    (sum, { speakers }) => speakers.reduce((more, { speeches }) => more + speeches.length, sum),
    0,
  );
  const speeches = speechesAccount(plan, findings, merged, everyone.flat(), isIn);
  return {
    bills,
    rows,
    provenance: () => {
      const books = combined.provenance(parametersOf(plan));
      const conflicts = merged.reduce((sum, bill) => sum + bill.conflicts, 0);
      return { ...books, duplicates: speeches.duplicates + duplicatesOf(findings), conflicts, speeches };
    },
  };
}

/** Rows that came twice in one search. */
function duplicatesOf(findings: readonly Finding[][]): number {
  return [...new Set(findings.flat())].reduce((sum, { recorder }) => sum + recorder.duplicates, 0);
}

function parametersOf({ bills, many, videotypes, chamber, maxItems }: SpeechPlan): Record<string, string> {
  const [only] = bills;
  const about = (name: string, value: string | number | null | undefined): [string, string][] =>
    value === null || value === undefined ? [] : [[name, String(value)]];
  const named = many
    ? about("bills", JSON.stringify(bills.map(({ bill }) => bill)))
    : Object.entries(only?.bill ?? {}).flatMap(([name, value]) => about(name, value));
  return Object.fromEntries([
    ...named,
    ...about("videotypes", videotypes.join(", ")),
    ...(many ? [] : [...about("mindate", only?.mindate), ...about("maxdate", only?.maxdate)]),
    ...about("chamber", chamber),
    ...about("maxItems", maxItems),
  ]);
}
