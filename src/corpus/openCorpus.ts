import { resolve } from "node:path";
import { type ClientContext, contextOf } from "../call/clientContext.js";
import { checkedOptions, faulty, oneOf, show } from "../errors/validators.js";
import { userPath } from "../fs/paths.js";
import { PERIODS, type Period } from "../util/period.js";
import { Corpus } from "./corpus.js";
import { checkLookups, type Definition, type Lookup, readDefinition, today } from "./definition/definition.js";
import { type CorpusSearches, checkSearches, searchRows } from "./definition/searches.js";
import { windowsOf } from "./definition/windows.js";
import { changeDefinition, checkSource } from "./withCorpus.js";

/** Options of {@link openCorpus}. */
export interface OpenCorpusOptions {
  /** The client that fetches the rows. Without one, the corpus can only be read. */
  archive?: object | undefined;
  /**
   * The searches: a list, {@link cross}, a frame with a column per parameter, or the path of a CSV file. Any other column is kept as a
   * label. Those of an existing corpus stay, and further ones are added; see {@link Corpus.remove}. Default: those of the corpus.
   */
  searches?: CorpusSearches | undefined;
  /**
   * Split every search by "congress", "year", "quarter", "month", "week" or "day", so that none is too long for the service, and a refresh
   * only fetches the newest windows. Every search then needs `mindate` or `congress`; its windows end today, in a replay on the first day of
   * the recording. After a change, the corpus is fetched again. Default: no windows, or those of the corpus.
   */
  window?: Period | undefined;
  /** Tables to fill by lookups, `["people", "programs"]`: a request for each person and program. Default: none, or those of the corpus. */
  lookups?: readonly Lookup[] | undefined;
}

/**
 * Opens a corpus: many searches of mentions that become one dataset in a directory. Sends no request.
 *
 * @param dir the directory of the corpus, created if it does not exist
 * @throws ValidationError for searches that are not valid, before any request; ArchiveError `OTHER_SERVICE` for a corpus of another service;
 *   ArchiveError if the directory cannot be used
 * @example
 * const searches = cross({ query: ['"inflation"', '"cost of living"'], congress: [117, 118] });
 * const corpus = await openCorpus("inflation/", { archive, searches, window: "month" });
 * await corpus.build({ maxRequests: 500 });
 * const again = await openCorpus("inflation/", { archive }); // the searches are on disk
 * const reader = await openCorpus("inflation/");             // the tables only
 */
export async function openCorpus(dir: string, options?: OpenCorpusOptions): Promise<Corpus> {
  // Whatever the working directory is later.
  const path = resolve(userPath("dir", dir, "inflation/"));
  const checked = checkedOptions(options, ["archive", "searches", "window", "lookups"], "option of openCorpus");
  const client = checked.archive === undefined ? undefined : contextOf(checked.archive);
  const searches = checked.searches === undefined ? undefined : checkSearches(await searchRows(checked.searches));
  const window = checked.window === undefined ? undefined : oneOf("window", checked.window, PERIODS);
  const lookups = checked.lookups === undefined ? undefined : checkLookups(checked.lookups);
  const existing = readDefinition(path);
  if (existing !== undefined && client !== undefined) checkSource(existing, client, path);
  const hint =
    'To create one, give archive and searches: openCorpus(dir, { archive, searches: [{ query: "inflation" }] }).';
  if (existing === undefined && (client === undefined || searches === undefined))
    throw faulty("dir", `${show(dir)}. There is no corpus`, hint);
  /** Searches that the corpus already has get the new labels. */
  const withOptions = (before: Definition | undefined): Definition => ({
    source: before?.source ?? (client as ClientContext).source,
    window: window ?? before?.window,
    until: before?.until ?? client?.recorded?.first ?? today(),
    lookups: lookups ?? before?.lookups ?? [],
    searches: [...new Map([...(before?.searches ?? []), ...(searches ?? [])].map((one) => [one.id, one])).values()],
  });
  windowsOf(withOptions(existing));
  if (JSON.stringify(withOptions(existing)) !== JSON.stringify(existing)) await changeDefinition(path, withOptions);
  return new Corpus(path, client);
}
