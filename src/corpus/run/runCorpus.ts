import type { ClientContext } from "../../call/clientContext.js";
import { corpusInfo } from "../corpusInfo.js";
import { removeOrphans } from "../database/followDefinition.js";
import { today } from "../definition/definition.js";
import { type OpenCorpus, withCorpus } from "../withCorpus.js";
import { CorpusRun } from "./corpusRun.js";
import { areLookupsMissing, lookUp } from "./lookUp.js";
import type { CheckedRunOptions, CorpusSummary } from "./runOptions.js";

/**
 * Fetches the windows that are due, looks up what is missing, and publishes the tables.
 *
 * @param lag for a refresh: windows are due again that ended within so many days before they were fetched
 */
export async function runCorpus(
  dir: string,
  client: ClientContext,
  options: CheckedRunOptions,
  lag?: number,
): Promise<CorpusSummary> {
  const isRefresh = lag !== undefined;
  const day = client.recorded?.[isRefresh ? "last" : "first"] ?? today();
  const action = async (corpus: OpenCorpus) => {
    const { database, definition } = corpus;
    if (lag !== undefined) await beginRefresh(corpus, lag);
    const run = new CorpusRun(corpus, client, options);
    const fetch = async () => {
      await run.fetchAll(await run.dueGroups());
      await removeOrphans(database, corpus.run, day);
      for (const table of definition.lookups) await lookUp(table, run, day);
    };
    const isOpen = async () =>
      (await run.dueGroups()).length > 0 || (await areLookupsMissing(database, definition.lookups));
    return run.end(fetch, isOpen);
  };
  const result = await withCorpus(dir, client, isRefresh ? "refresh" : "build", action, isRefresh ? day : undefined);
  const { windows, mentions, hits, people, programs } = corpusInfo(dir);
  return { ...result, windows, mentions, hits, people, programs };
}

/** Makes windows due again, unless an earlier refresh has left some. Days may begin elsewhere in the time zone of the service. */
async function beginRefresh({ database, run }: OpenCorpus, lag: number): Promise<void> {
  await database.run(`update windows set due = true where retrieved is not null
    and (maxdate is null or maxdate + ${lag + 1} >= retrieved)
    and not exists (from windows where due and error is null and run < (select max(run) from runs where verb = 'refresh' and run < ${run}))`);
}
