import { contextOf } from "../../call/clientContext.js";
import { invalid } from "../../errors/validators.js";
import { userPath } from "../../fs/userPath.js";
import type { Definition } from "../definition/definition.js";
import { readDefinition } from "../definition/definitionFile.js";
import { runCorpus } from "../run/corpusRun.js";
import { checkRunOptions, type RunOptions } from "../run/runOptions.js";
import type { CorpusSummary } from "../run/summary.js";
import { changeDefinition, checkSource } from "../run/withCorpus.js";
import { checkIdsOnly, type Fidelity, fidelityOf } from "./fidelity.js";

/** Options of {@link hydrateCorpus}. */
export interface HydrateOptions extends RunOptions {
  /** The client that fetches the rows, with a key of your own. */
  archive: object;
}

/** What {@link hydrateCorpus} did. */
export interface Hydration {
  /** How the build ended. */
  readonly summary: CorpusSummary;
  /** How the corpus compares with the export; null until the build is complete. */
  readonly fidelity: Fidelity | null;
}

/**
 * Builds the corpus of an export without text again, with a key of one's own: the same searches over the same days. The service
 * has no lookup of mentions by id. Says how faithful the result is. Resumable like a build, and the same call on a finished corpus sends
 * no request.
 *
 * @param source the directory of an export that was made with `idsOnly`
 * @param dir the directory of the new corpus, created if it does not exist
 * @param options see {@link HydrateOptions}
 * @throws ValidationError if `source` is not such an export, or `dir` another corpus; ArchiveError `OTHER_SERVICE` if the client is of
 *   another service, and as of a build
 * @example
 * const { fidelity } = await hydrateCorpus("inflation-ids/", "inflation/", { archive });
 * fidelity?.changed; //=> 3
 */
export async function hydrateCorpus(source: string, dir: string, options: HydrateOptions): Promise<Hydration> {
  const from = userPath("source", source, "inflation-ids/");
  const to = userPath("dir", dir, "inflation/");
  const checked = checkRunOptions(options, "hydrateCorpus", ["archive"]);
  const client = contextOf(options?.archive);
  if (from.endsWith(".zip")) throw invalid("source", from, "Unpack it, and give the directory.");
  const definition = readDefinition(from);
  if (definition === undefined) throw invalid("source", from, "Give the directory of an export of a corpus.");
  checkSource(definition, client, from);
  checkIdsOnly(from);
  // A corpus that is there has to have the same searches.
  await changeDefinition(to, (existing = definition) => {
    if (searchesOf(existing) === searchesOf(definition)) return existing;
    throw invalid("dir", to, "It is a corpus of other searches. Give a directory that does not exist.");
  });
  const summary = await runCorpus(to, client, checked);
  return { summary, fidelity: summary.verdict === "complete" ? fidelityOf(from, to) : null };
}

function searchesOf({ source, window, until, searches }: Definition): string {
  return JSON.stringify([source, window, until, searches.map(({ id }) => id).sort()]);
}
