import pMap from "p-map";
import type { ClientContext } from "../call/clientContext.js";
import type { CombinedRecorder } from "../call/combinedRecorder.js";
import type { RowLookups } from "../call/rowLookups.js";
import { APIError, ArchiveError } from "../errors/index.js";
import { legislatorsFor } from "../members/legislators.js";
import { UNIDENTIFIED_SPEAKER } from "../members/speakerId.js";
import { matcherOf } from "../members/speakerMatcher.js";
import { CHAMBER_TITLES, type Chamber, isOfChamber, type Speaker } from "../members/speakers.js";
import { declaredShape } from "../pages/rows.js";
import type { Row } from "../service/operations/interfaces.js";
import { operations } from "../service/operations/operations.js";
import { buildRequest } from "../service/operations/request.js";
import { pageRows } from "../service/paging/page.js";
import { paginate } from "../service/paging/pagination.js";
import type { SpeechesPlan } from "./planSpeeches.js";

/** Name and title of a speaker, empty if a person record has none; or why they are unknown. */
type Resolution =
  | { readonly name: string; readonly title: string; readonly isMember?: boolean }
  | { readonly unresolved: string }
  | typeof UNLISTED;

/** Results of the lookups so far, by the id of the speaker. */
export type Resolutions = Map<string, Resolution>;

/** Why a speaker is unresolved if the request budget did not allow the lookup. */
export const CUT = "maxRequests";
/** The speaker is not in the complete list of people with a title of the chamber. */
const UNLISTED = { unlisted: true } as const;

/** Queries for people: together, their lists have everyone with a title of the chamber. */
const LISTS: Readonly<Record<Chamber, readonly string[]>> = {
  senate: ["Senator"],
  house: ["Representative", "Delegate"],
  any: ["Senator", "Representative"],
};
/** Fewer speakers than this are looked up one by one. */
const MIN_SPEAKERS = 16;
/** A list is read on while its pages have this many of the unknown speakers on average. */
const MIN_FOUND = 2;
const PEOPLE = declaredShape(operations.people.columns);
const MEMBER_TITLES = { senate: "U.S. Senator", house: "U.S. Representative" };

/** The chambers whose lists a client has read to the end. */
const listed = new WeakMap<RowLookups, Set<Chamber>>();

/** What lookups need, and where their results go. */
export interface SpeakerLookups {
  readonly client: ClientContext;
  readonly plan: SpeechesPlan;
  readonly people: RowLookups;
  readonly resolutions: Resolutions;
  readonly combined: CombinedRecorder;
  readonly signal: AbortSignal;
}

/**
 * Finds out the titles of the speakers whose rows carry none. Members of Congress whom the data about members knows by id and name need no
 * request, nor do people whom the client knows already. Of many others, lists of people with a title of the chamber are read as long as
 * that saves requests; who is not in a complete list has no such title. The rest are looked up, a few at a time.
 *
 * @throws ArchiveError of the first lookup that fails, unless unresolved speakers are allowed. No lookup begins after it
 */
export async function resolveSpeakers(lookups: SpeakerLookups, speakers: readonly Speaker[]): Promise<void> {
  const { client, people, resolutions, combined, signal } = lookups;
  const { allowUnresolved, maxRequests, chamber } = lookups.plan;
  const members = matcherOf(await legislatorsFor(client.source));
  const ids: string[] = [];
  for (const { id, title, rows } of speakers) {
    if (id === undefined || title !== null) continue;
    const seated = members.seatedMember(rows);
    const known = resolutions.get(id);
    if (seated !== undefined)
      resolutions.set(id, { name: seated.member.name, title: MEMBER_TITLES[seated.chamber], isMember: true });
    else if (known === undefined || ("isMember" in known && known.isMember)) ids.push(id);
  }
  const resolve = async (id: string) => {
    try {
      const row = await people.find(id, { combined, signal });
      resolutions.set(id, row ? personOf(row) : { unresolved: "not known to the archive" });
    } catch (error) {
      const isCut = error instanceof ArchiveError && error.code === "OUT_OF_REQUESTS";
      if (!isCut && (!allowUnresolved || !(error instanceof APIError))) throw error;
      resolutions.set(id, { unresolved: isCut ? CUT : error.code });
    }
  };
  const unknown = new Set(ids.filter((id) => !people.has(id)));
  const lists = listed.get(people) ?? new Set();
  listed.set(people, lists);
  if (maxRequests === undefined && unknown.size >= MIN_SPEAKERS && !lists.has(chamber)) {
    const read = await Promise.all(LISTS[chamber].map((query) => readList(lookups, query, unknown)));
    const isComplete = read.every(Boolean);
    const first = [...unknown].find((id) => !people.has(id));
    // The service may leave people out: one of those who are missing is looked up as a check.
    if (isComplete && first !== undefined) await resolve(first);
    const found = first === undefined ? undefined : resolutions.get(first);
    const title = found !== undefined && "title" in found ? found.title : null;
    if (isComplete && chamber !== "any" && !isOfChamber(title, chamber)) lists.add(chamber);
  }
  const isLeft = (id: string) => people.has(id) || !lists.has(chamber);
  for (const id of ids) if (!isLeft(id)) resolutions.set(id, UNLISTED);
  // With a budget, the order of the responses must not decide who is looked up.
  await pMap(ids.filter(isLeft), resolve, { concurrency: maxRequests === undefined ? client.concurrency : 1 });
}

function personOf({ name, title }: Row) {
  const text = (value: unknown) => (typeof value === "string" ? value.trim() : "");
  return { name: text(name), title: text(title) };
}

/**
 * Reads a list of people as long as that saves requests: a page has the titles of several speakers, a lookup only that of one.
 *
 * @param unknown the ids of the speakers without a title
 * @returns whether the list was read to its end
 */
async function readList(
  { client, people, combined, signal }: SpeakerLookups,
  query: string,
  unknown: ReadonlySet<string>,
): Promise<boolean> {
  const { requester, redact, output } = client;
  const request = buildRequest("people", { query });
  const bounds = { maxItems: undefined, pageSize: output.pageSize };
  const recorder = combined.add(request);
  const pages = paginate(request, { requester, recorder, redact, shape: () => PEOPLE, signals: [signal], ...bounds });
  const found = new Set<string>();
  try {
    for await (const page of pages) {
      combined.onPage();
      for (const row of pageRows(page)) {
        // A row without a title does not save the lookup.
        if (personOf(row).title === "") continue;
        const id = String(row.id);
        people.add(id, row);
        if (unknown.has(id)) found.add(id);
      }
      const isEnough = found.size === unknown.size;
      if (page.tape.rows > 0 && (isEnough || found.size < MIN_FOUND * recorder.pages)) return false;
    }
  } catch (error) {
    if (signal.aborted) throw error;
    return false;
  }
  return recorder.verdict === "complete" && found.size > 0;
}

/** A speaker with final name and title, and whether the speeches are in the result. */
export interface SpeakerStatus extends Speaker {
  readonly status: "included" | "excluded" | "unresolved";
  /** Unresolved speakers are in the result of everyone's speeches, and in the partial result of a failed call. */
  readonly isIncluded: boolean;
  /** Why the speaker is excluded or unresolved; null for an included speaker. */
  readonly reason: string | null;
}

export function speakerStatus(
  speaker: Speaker,
  resolutions: Resolutions,
  { chamber }: SpeechesPlan,
  failed: boolean,
): SpeakerStatus {
  const { id, personid, nameTitle } = speaker;
  const isKnown = id === undefined || speaker.title !== null;
  const found: Resolution = isKnown ? NO_PERSON : (resolutions.get(id) ?? { unresolved: "not looked up" });
  const person = "title" in found ? found : NO_PERSON;
  const title = speaker.title ?? (person.title || nameTitle);
  const decided = (status: SpeakerStatus["status"], reason: string | null) => {
    const isIncluded = status === "included" || (status === "unresolved" && (failed || chamber === "any"));
    return { ...speaker, name: person.name || speaker.name, title, status, isIncluded, reason };
  };
  if ("unresolved" in found && nameTitle === null) return decided("unresolved", found.unresolved);
  if (isOfChamber(title, chamber)) return decided("included", null);
  if ("unlisted" in found) return decided("excluded", `not among the people with ${CHAMBER_TITLES[chamber][1]}`);
  if (id !== undefined)
    return decided("excluded", title === null ? "no title" : `title without ${CHAMBER_TITLES[chamber][1]}`);
  return decided("excluded", personid === null ? "no personid" : `placeholder speaker ${UNIDENTIFIED_SPEAKER}`);
}

const NO_PERSON = { name: "", title: "" };
