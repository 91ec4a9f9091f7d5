import pMap from "p-map";
import type { ClientContext } from "../call/clientContext.js";
import type { CombinedRecorder } from "../call/combinedRecorder.js";
import type { RowLookups } from "../call/rowLookups.js";
import { legislatorsFor } from "../members/legislators.js";
import { matcherOf } from "../members/speakerMatcher.js";
import { CHAMBER_TITLES, isOfChamber, type Speaker } from "../members/speakers.js";
import type { Row } from "../service/operations/operations.js";
import type { SpeechesPlan } from "./planSpeeches.js";

/** Name and title of a speaker, empty if a person record has none. */
interface Person {
  readonly name: string;
  readonly title: string;
}

/** The speakers looked up so far by id; null for one whom the archive does not know. */
export type Resolutions = Map<string, Person | null>;

const MEMBER_TITLES = { senate: "U.S. Senator", house: "U.S. Representative" };

/** What lookups need, and where their results go. */
export interface SpeakerLookups {
  readonly client: ClientContext;
  readonly people: RowLookups;
  readonly resolutions: Resolutions;
  readonly combined: CombinedRecorder;
  readonly signal: AbortSignal;
}

/**
 * Looks up the speakers whose rows carry no title. Members of Congress whom the data about members knows by id and name need no request.
 *
 * @param isFinal no other rows will come, so it is certain whether somebody is a member in all of them
 * @throws ArchiveError of the first lookup that fails. No lookup begins after it
 */
export async function resolveSpeakers(
  { client, people, resolutions, combined, signal }: SpeakerLookups,
  speakers: readonly Speaker[],
  isFinal: boolean,
): Promise<void> {
  const members = matcherOf(await legislatorsFor(client.source));
  const ids: string[] = [];
  for (const { id, title, rows } of speakers) {
    if (id === undefined || title !== null) continue;
    const seated = members.seatedMember(rows);
    if (seated === undefined) ids.push(id);
    else if (isFinal) resolutions.set(id, { name: seated.member.name, title: MEMBER_TITLES[seated.term.chamber] });
  }
  await pMap(
    ids.filter((id) => !resolutions.has(id)),
    async (id) => {
      const row = await people.find(id, { combined, signal });
      resolutions.set(id, row ? personOf(row) : null);
    },
    { concurrency: client.concurrency },
  );
}

function personOf({ name, title }: Row): Person {
  const text = (value: unknown) => (typeof value === "string" ? value.trim() : "");
  return { name: text(name), title: text(title) };
}

/** A speaker with final name and title, and whether the speeches are in the result. */
export interface SpeakerStatus extends Speaker {
  /** "unresolved" if nothing tells the title: included in the result of everyone's speeches, and in the partial result of a failed call. */
  readonly status: "included" | "excluded" | "unresolved";
  /** Why the speaker is excluded, or why the title is unknown; otherwise null. */
  readonly reason: string | null;
}

export function speakerStatus(
  speaker: Speaker,
  resolutions: Resolutions,
  { chamber }: SpeechesPlan,
  failed: boolean,
): SpeakerStatus {
  const { id, nameTitle } = speaker;
  const isClear = id === undefined || speaker.title !== null;
  const person = isClear ? NO_PERSON : resolutions.get(id);
  const title = speaker.title ?? (person?.title || nameTitle);
  const described = { ...speaker, name: person?.name || speaker.name, title };
  if (!person && nameTitle === null) {
    const reason = person === null ? "not known to the archive" : "not looked up";
    return { ...described, status: failed || chamber === "any" ? "included" : "unresolved", reason };
  }
  if (isOfChamber(title, chamber)) return { ...described, status: "included", reason: null };
  return {
    ...described,
    status: "excluded",
    reason: title === null ? "no title" : `title without ${CHAMBER_TITLES[chamber][1]}`,
  };
}

const NO_PERSON: Person = { name: "", title: "" };
