import type { ClientContext } from "../call/clientContext.js";
import { remember, withPartial } from "../call/execution.js";
import type { RowLookups } from "../call/rowLookups.js";
import { ArchiveError } from "../errors/index.js";
import { isPolarsFrame } from "../frames/engine.js";
import { deriveProvenance, type Step } from "../frames/lineage/derived.js";
import type { PolarsFrame } from "../frames/polars.js";
import { setProvenance } from "../frames/provenanceOf.js";
import type { Provenance, Verdict } from "../service/paging/provenanceRecorder.js";
import { sha256Of } from "../util/hash.js";
import { groupBy, sum } from "../util/lists.js";
import { escaped, formatCount, joinWords, pluralize } from "../util/text.js";
import { planSpeeches, type SpeechesPlan } from "./planSpeeches.js";
import { speakerStatus } from "./resolveSpeakers.js";
import { type BillResult, type SpeechesReport, speechesReport } from "./speechesReport.js";
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
  people: RowLookups,
  billsOrBill: unknown,
  options: unknown,
): Promise<unknown> {
  const plan = planSpeeches(billsOrBill, options, client.output);
  const run = new SpeechesRun(client, people, plan);
  const failure = await run.searchAll();
  const { bills, rows, provenance } = assembleSpeeches(run, failure !== undefined);
  const stopped = failure?.error instanceof ArchiveError ? failure.error.code : failure && "failed";
  const recorderWith = (verdict: Verdict) =>
    run.searches.find(({ reader }) => reader.recorder.verdict === verdict)?.reader.recorder;
  const isOutOfRequests = stopped === "OUT_OF_REQUESTS";
  const reasons = { stopped: stopped ?? recorderWith("stopped")?.reason, capped: recorderWith("capped")?.reason };
  run.combined.end(isOutOfRequests ? { capped: "maxRequests" } : reasons, rows);
  const formatted = (output: Pick<SpeechesPlan, "format" | "engine">) =>
    setProvenance(formatSpeeches({ ...plan, ...output }, bills), provenance());
  const method = "speechesOnBill";
  const frame = () => formatted({ format: "dataframe", engine: "polars" }) as PolarsFrame;
  if (failure !== undefined && !isOutOfRequests)
    throw withPartial(client, run.combined.total, frame, failure.error, method);
  const result = formatted(plan);
  remember(client, run.combined.total, () => (isPolarsFrame(result) ? result : frame()), method);
  return result;
}

/**
 * Groups the rows found so far by bill and speaker.
 *
 * @param includeUnresolved whether to include the speakers whose title is not known yet
 */
function assembleSpeeches(run: SpeechesRun, includeUnresolved: boolean) {
  const { plan, speakers, resolutions, combined } = run;
  const statuses = [...speakers.byKey.values()].map((one) => speakerStatus(one, resolutions, plan, includeUnresolved));
  const byKey = new Map(statuses.map((status) => [status.key, status]));
  const results = run.bills.map((each): BillResult => {
    const all = speakersByCount(each.judged.accepted, speakers, byKey);
    return { ...each, bill: each.plan.bill, all, speakers: all.filter(({ speaker }) => speaker.status === "included") };
  });
  const report = speechesReport(results);
  return {
    bills: results,
    rows: sum(report.bills.map(({ speeches }) => speeches)),
    provenance: (): Provenance => {
      const searches = {
        ...combined.provenance("speechesOnBill", parametersOf(plan)),
        // Without lookups, which a client sends only once, so that the same call always has the same digest.
        sha256: sha256Of(run.searches.map(({ reader }) => reader.recorder.provenance().sha256).join("")),
        // Rows that several bills share count for each of them, like their speeches.
        rows: sum(report.variants.map((variant) => variant.rows)),
        duplicates: report.duplicates,
        conflicts: sum(results.map(({ merged }) => merged.conflicts)),
      };
      return { ...deriveProvenance(searches, reductionStep(report)), speeches: report };
    },
  };
}

function parametersOf(plan: SpeechesPlan): Record<string, string> {
  const { bills, isList, videotypes, chamber, minConfidence, maxItems, budget } = plan;
  const [first] = bills;
  const billParameters = isList
    ? { bills: JSON.stringify(bills.map(({ bill }) => bill)) }
    : { ...first?.bill, mindate: first?.mindate, maxdate: first?.maxdate };
  const all = {
    ...billParameters,
    videotypes: videotypes.join(", "),
    chamber,
    minConfidence,
    maxItems,
    maxRequests: budget?.maxRequests,
  };
  const members = Object.entries(all).filter(([, value]) => value !== undefined && value !== null);
  return Object.fromEntries(members.map(([name, value]) => [name, String(value)]));
}

/** The step from all speeches found to those of the result. Its counts add up. */
function reductionStep({ included, excluded, unresolved, rejected }: SpeechesReport): Step {
  const countOf = (parts: ReadonlyArray<{ readonly speeches: number }>) => sum(parts.map(({ speeches }) => speeches));
  const reasons = [...groupBy(rejected, ({ reason }) => reason)].map(
    ([reason, parts]) => `${formatCount(countOf(parts))}: ${reason}`,
  );
  const omitted = [
    [countOf(rejected), `that the rules for the bill left out (${reasons.join(", ")})`],
    [countOf(excluded), "of other speakers"],
    [countOf(unresolved), "of speakers whose title is unknown"],
  ] as const;
  const without = omitted.flatMap(([count, what]) => (count === 0 ? [] : [`${formatCount(count)} ${what}`]));
  const count = countOf(included);
  const total = count + sum(omitted.map(([count]) => count));
  const text = `reduced to ${pluralize(count, "speech", "speeches")} by ${pluralize(included.length, "speaker")}`;
  const fullText = without.length > 0 ? `${text}, without ${joinWords(without)}` : text;
  return { verb: "speechesOnBill", text: fullText, rows: [total, count] };
}

const MAX_LINE = 2000;

/** The queries of `speechesOnBill` with the same arguments, one per line, in the order in which they are sent. Sends none. */
export function explainSpeeches({ output }: ClientContext, billsOrBill: unknown, options: unknown): string {
  const variants = planSpeeches(billsOrBill, options, output).bills.flatMap((bill) => bill.variants);
  const queries = (isLater: boolean) =>
    variants.filter((one) => Boolean(one.isLater) === isLater).map(({ query }) => escaped(query, MAX_LINE));
  const [firstQueries, laterQueries] = [new Set(queries(false)), new Set(queries(true))];
  return [...firstQueries, ...(laterQueries.size > 0 ? ["If these find something:", ...laterQueries] : [])].join("\n");
}
