import pMap from "p-map";
import type { ClientContext } from "../call/clientContext.js";
import type { CombinedRecorder } from "../call/combinedRecorder.js";
import type { RowLookups } from "../call/rowLookups.js";
import { legislatorsFor } from "../members/legislators.js";
import { matcherOf } from "../members/speakerMatcher.js";
import { CHAMBER_TITLES, isOfChamber, type Speaker } from "../members/speakers.js";
import type { Row } from "../service/operations/operations.js";
import type { SpeechesPlan } from "./planSpeeches.js";

/** A person record. Missing members are empty. */
interface Person {
  readonly name: string;
  readonly title: string;
}

/** Person records by id; null for a person whom the archive does not know. */
export type Resolutions = Map<string, Person | null>;

const MEMBER_TITLES = { senate: "U.S. Senator", house: "U.S. Representative" };

export interface SpeakerLookups {
  readonly client: ClientContext;
  readonly people: RowLookups;
  readonly resolutions: Resolutions;
  readonly combined: CombinedRecorder;
  readonly signal: AbortSignal;
}

/**
 * Looks up the speakers whose rows have no title. Members of Congress whom the members data has by id and name need no request.
 *
 * @param isFinal all rows are there, so it is certain whether somebody was a member in all of them
 * @throws ArchiveError of the first lookup that fails. No further lookup starts
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
  /** "unresolved" if the title is unknown; but with `chamber: "any"`, and in the partial result of a failed call, "included". */
  readonly status: "included" | "excluded" | "unresolved";
  /** Why the speaker is excluded, or why the title is unknown; otherwise null. */
  readonly reason: string | null;
}

export function speakerStatus(
  speaker: Speaker,
  resolutions: Resolutions,
  { chamber }: SpeechesPlan,
  includeUnresolved: boolean,
): SpeakerStatus {
  const { id, nameTitle } = speaker;
  const isClear = id === undefined || speaker.title !== null;
  const person = isClear ? NO_PERSON : resolutions.get(id);
  const title = speaker.title ?? (person?.title || nameTitle);
  const identity = { ...speaker, name: person?.name || speaker.name, title };
  if (!person && nameTitle === null) {
    const reason = person === null ? "not known to the archive" : "not looked up";
    return { ...identity, status: includeUnresolved || chamber === "any" ? "included" : "unresolved", reason };
  }
  if (isOfChamber(title, chamber)) return { ...identity, status: "included", reason: null };
  return {
    ...identity,
    status: "excluded",
    reason: title === null ? "no title" : `title without ${CHAMBER_TITLES[chamber][1]}`,
  };
}

const NO_PERSON: Person = { name: "", title: "" };
