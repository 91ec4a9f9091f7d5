import type { ClientContext } from "../call/clientContext.js";
import { harvestOf } from "../call/harvest.js";
import { notebookHost } from "../call/notebookHost.js";
import { ArchiveError } from "../errors/index.js";
import type { Engine, FrameTypes } from "../frames/engine.js";
import { setProvenance } from "../frames/provenanceOf.js";
import { legislatorsFor } from "../members/legislators.js";
import { matcherOf } from "../members/speakerMatcher.js";
import { CallSignal } from "../util/callSignal.js";
import { assembleSpeeches } from "./assembleSpeeches.js";
import { formatSpeeches } from "./formatSpeeches.js";
import type { MemberTerms } from "./memberTerms.js";
import { planSpeeches, type SpeechesPlan } from "./planSpeeches.js";
import { type SpeechesMemory, SpeechesRun } from "./speechesRun.js";

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
    const harvest = harvestOf(combined.total, plan.engine, frame as () => FrameTypes[Engine], "speechesOnBill");
    client.remember(harvest);
    if (error instanceof ArchiveError && combined.total.pages > 0) error.partial = harvest;
    throw error;
  } finally {
    turn.end();
    stop.release();
  }
  const { bills, rows, provenance } = assembleSpeeches(run, false, terms);
  combined.end(rows, recordersOf(run), undefined, run.capped);
  const result = setProvenance(formatSpeeches(plan, bills), provenance());
  const frame = () => (plan.format === "dataframe" ? result : formatSpeeches({ ...plan, format: "dataframe" }, bills));
  client.remember(harvestOf(combined.total, plan.engine, frame as () => FrameTypes[Engine], "speechesOnBill"));
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
