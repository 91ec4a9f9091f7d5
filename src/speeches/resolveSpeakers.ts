import pMap from "p-map";
import type { ClientContext } from "../call/clientContext.js";
import type { CombinedRecorder } from "../call/combinedRecorder.js";
import type { RowLookup } from "../call/rowLookup.js";
import { APIError, ArchiveError } from "../errors/index.js";
import { declaredShape } from "../pages/rows.js";
import { operations } from "../service/operations/operations.js";
import { buildRequest } from "../service/operations/request.js";
import type { Row } from "../service/operations/rows.js";
import { pageRows } from "../service/paging/page.js";
import { paginate } from "../service/paging/pagination.js";
import { UNIDENTIFIED_SPEAKER } from "../util/speakerId.js";
import { sum } from "../util/sum.js";
import type { SpeechesPlan } from "./planSpeeches.js";
import type { SearchRun } from "./runSearches.js";
import { CHAMBER_TITLES, isOfChamber, type Speaker } from "./speakers.js";

/** Name and title of a speaker from a person record, empty if it has none; or why they are unknown. */
type Resolution = { readonly name: string; readonly title: string } | { readonly unresolved: string };

/** Results of the lookups so far, by the id of the speaker. */
export type Resolutions = Map<string, Resolution>;

/** Why a speaker is unresolved whose lookup the request budget did not allow. */
export const CUT = "maxRequests";

/**
 * Looks up the speakers whose rows carry no title, a few at a time. People that the client knows already cost no request.
 *
 * @param resolutions filled in as the responses arrive
 * @throws ArchiveError of the first lookup that fails, unless unresolved speakers are allowed. No lookup begins after it
 */
export async function resolveSpeakers(
  client: ClientContext,
  { allowUnresolved, maxRequests }: SpeechesPlan,
  people: RowLookup,
  speakers: Iterable<Speaker>,
  resolutions: Resolutions,
  searches: readonly SearchRun[],
  combined: CombinedRecorder,
  signal: AbortSignal,
): Promise<void> {
  const ids = [...speakers].flatMap(({ id, title }) =>
    id === undefined || title !== null || resolutions.has(id) ? [] : [id],
  );
  const unknown = new Set(ids.filter((id) => !people.has(id)));
  if (maxRequests === undefined && unknown.size >= MIN_SPEAKERS && savedRequests(searches) >= MAX_LOSS * LISTS.length) {
    await Promise.all(LISTS.map((query) => readList(client, people, unknown, query, combined, signal)));
  }
  const resolve = async (id: string) => {
    try {
      const row = await people.find(client, id, combined, { signal });
      resolutions.set(id, row ? personOf(row) : { unresolved: "not known to the archive" });
    } catch (error) {
      const isCut = error instanceof ArchiveError && error.code === "OUT_OF_REQUESTS";
      if (!isCut && (!allowUnresolved || !(error instanceof APIError))) throw error;
      resolutions.set(id, { unresolved: isCut ? CUT : error.code });
    }
  };
  // With a budget, who is looked up must not depend on the order of the responses.
  await pMap(ids, resolve, { concurrency: maxRequests === undefined ? client.concurrency : 1 });
}

function personOf({ name, title }: Row) {
  const text = (value: unknown) => (typeof value === "string" ? value.trim() : "");
  return { name: text(name), title: text(title) };
}

/** Searches for people. These titles cover nearly everybody who speaks on a bill. */
const LISTS = ['"U.S. Senator"', '"U.S. Representative"'];
/** Fewer speakers than this are looked up one by one right away. */
const MIN_SPEAKERS = 40;
/** Stop reading a list after it has cost this many more requests than it saved, counted from its best point. */
const MAX_LOSS = 3;
const PEOPLE = declaredShape(operations.people.columns);

/** The number of requests that our page size has saved over the 20 rows of the service. Lists must not cost more. */
function savedRequests(searches: readonly SearchRun[]): number {
  const saved = searches.map(
    ({ recorder: { rows, duplicates, pages } }) => Math.ceil((rows + duplicates) / 20) - pages,
  );
  return sum(saved.map((each) => Math.max(0, each)));
}

/**
 * Reads a list of people as long as that saves requests: a page gives the titles of several speakers, a lookup only that of one.
 * An error ends the list, and the speakers that it did not name are looked up.
 *
 * @param unknown the ids of the speakers without a title
 */
async function readList(
  client: ClientContext,
  people: RowLookup,
  unknown: ReadonlySet<string>,
  query: string,
  combined: CombinedRecorder,
  signal: AbortSignal,
): Promise<void> {
  const { requester, redact, output } = client;
  const request = buildRequest("people", { query });
  const bounds = { maxItems: undefined, pageSize: output.pageSize };
  const recorder = combined.add(request);
  const pages = paginate(request, { requester, recorder, redact, shape: () => PEOPLE, signals: [signal], ...bounds });
  let [gain, best, fullPage] = [0, 0, 0];
  try {
    for await (const page of pages) {
      combined.onPage();
      const rows = pageRows(page);
      // A row without a title does not save the lookup.
      const titled = rows.filter((row) => personOf(row).title !== "");
      for (const row of titled) people.learn(String(row.id), row);
      gain += titled.filter(({ id }) => unknown.has(String(id))).length - 1;
      best = Math.max(best, gain);
      fullPage ||= rows.length;
      // A page that is not full is the last one. The service would confirm it only with another, empty page.
      if (rows.length < fullPage || gain <= best - MAX_LOSS) return;
    }
  } catch (error) {
    if (signal.aborted) throw error;
  }
}

/** A speaker with the final name and title, and whether the speeches belong into the result. */
export interface SpeakerStatus extends Speaker {
  readonly status: "included" | "excluded" | "unresolved";
  /** Why the speaker is excluded or unresolved; null for an included speaker. */
  readonly reason: string | null;
}

/** Decides about a speaker from what is known so far. */
export function speakerStatus(speaker: Speaker, resolutions: Resolutions, { chamber }: SpeechesPlan): SpeakerStatus {
  const { id, personid, nameTitle } = speaker;
  const isKnown = id === undefined || speaker.title !== null;
  const found: Resolution = isKnown ? NO_PERSON : (resolutions.get(id) ?? { unresolved: "not looked up" });
  const person = "unresolved" in found ? NO_PERSON : found;
  const title = speaker.title ?? (person.title || nameTitle);
  const decided = (status: SpeakerStatus["status"], reason: string | null) => {
    return { ...speaker, name: person.name || speaker.name, title, status, reason };
  };
  if ("unresolved" in found && nameTitle === null) return decided("unresolved", found.unresolved);
  if (isOfChamber(title, chamber)) return decided("included", null);
  if (id !== undefined)
    return decided("excluded", title === null ? "no title" : `title without ${CHAMBER_TITLES[chamber][1]}`);
  return decided("excluded", personid === null ? "no personid" : `placeholder speaker ${UNIDENTIFIED_SPEAKER}`);
}

const NO_PERSON = { name: "", title: "" };
