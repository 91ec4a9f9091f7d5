import pMap from "p-map";
import type { ClientContext } from "../call/clientContext.js";
import type { CombinedRecorder } from "../call/combinedRecorder.js";
import type { RowLookup } from "../call/rowLookup.js";
import { APIError, ArchiveError } from "../errors/index.js";
import { UNIDENTIFIED_SPEAKER } from "../util/speakerId.js";
import type { SpeechesPlan } from "./planSpeeches.js";
import { readPeopleLists } from "./readPeopleLists.js";
import type { SearchRun } from "./runSearches.js";
import { isOfChamber, type Person, personOf, type Speaker, TITLE_WORDS } from "./speakers.js";

/** Why the title of a speaker is unknown. */
export interface Unresolved {
  readonly unresolved: string;
}

/** Results of the lookups so far, by the id of the speaker. */
export type Resolutions = Map<string, Person | Unresolved>;

/** A speaker with the final name and title, and whether the speeches belong into the result. */
export interface SpeakerStatus extends Speaker {
  readonly status: "included" | "excluded" | "unresolved";
  /** Why the speaker is excluded or unresolved; null for an included speaker. */
  readonly reason: string | null;
  /** Where the title comes from; null without one. */
  readonly titleFrom: "record" | "row" | "name" | null;
}

/** The ids that have to be looked up: those of speakers whose rows carry no title. */
export function idsToLookUp(speakers: Iterable<Speaker>): string[] {
  return [...speakers].flatMap(({ id, title }) => (id === undefined || title !== null ? [] : [id]));
}

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
  ids: readonly string[],
  resolutions: Resolutions,
  searches: readonly SearchRun[],
  combined: CombinedRecorder,
  signal: AbortSignal,
): Promise<void> {
  const unknown = new Set(ids.filter((id) => !people.has(id)));
  if (maxRequests === undefined) await readPeopleLists(client, people, unknown, searches, combined, signal);
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

/** Decides about a speaker from what is known so far. */
export function speakerStatus(speaker: Speaker, resolutions: Resolutions, { chamber }: SpeechesPlan): SpeakerStatus {
  const { id } = speaker;
  const found = id === undefined || speaker.title !== null ? undefined : (resolutions.get(id) ?? NOT_LOOKED_UP);
  const unresolved = found !== undefined && "unresolved" in found ? found.unresolved : undefined;
  const person = found === undefined || "unresolved" in found ? undefined : found;
  const name = person?.name ? person.name : speaker.name;
  const record = person?.title ? person.title : null;
  const title = speaker.title ?? record ?? speaker.nameTitle;
  const titleFrom = title === null ? null : speaker.title !== null ? "row" : record !== null ? "record" : "name";
  const decided = (status: SpeakerStatus["status"], reason: string | null): SpeakerStatus => ({
    ...speaker,
    name,
    title,
    status,
    reason,
    titleFrom,
  });
  if (unresolved !== undefined && speaker.nameTitle === null) return decided("unresolved", unresolved);
  if (isOfChamber(title, chamber)) return decided("included", null);
  if (id === undefined) {
    return decided(
      "excluded",
      speaker.personid === null ? "no personid" : `placeholder speaker ${UNIDENTIFIED_SPEAKER}`,
    );
  }
  return decided("excluded", title === null ? "no title" : `title without ${TITLE_WORDS[chamber]}`);
}

/** Why a speaker is unresolved whose lookup the request budget did not allow. */
export const CUT = "maxRequests";
const NOT_LOOKED_UP: Unresolved = { unresolved: "not looked up" };
