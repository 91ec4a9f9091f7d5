import pMap from "p-map";
import type { ClientContext } from "../call/clientContext.js";
import type { CombinedRecorder } from "../call/combinedRecorder.js";
import type { RowLookups } from "../call/rowLookups.js";
import { APIError } from "../errors/index.js";
import { legislatorsFor } from "../members/legislators.js";
import { UNIDENTIFIED_SPEAKER } from "../members/speakerId.js";
import { matcherOf } from "../members/speakerMatcher.js";
import { CHAMBER_TITLES, isOfChamber, type Speaker } from "../members/speakers.js";
import type { Row } from "../service/operations/interfaces.js";
import type { SpeechesPlan } from "./planSpeeches.js";

/** Name and title of a speaker, empty if a person record has none; or why they are unknown. */
type Resolution = { readonly name: string; readonly title: string } | { readonly unresolved: string };

/** Results of the lookups so far, by the id of the speaker. */
export type Resolutions = Map<string, Resolution>;

const MEMBER_TITLES = { senate: "U.S. Senator", house: "U.S. Representative" };

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
 * Looks up the speakers whose rows carry no title. Members of Congress whom the data about members knows by id and name need no request.
 *
 * @param isFinal no other rows will come, so it is certain whether somebody is a member in all of them
 * @throws ArchiveError of the first lookup that fails, unless unresolved speakers are allowed. No lookup begins after it
 */
export async function resolveSpeakers(
  { client, people, resolutions, combined, signal, plan }: SpeakerLookups,
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
  const resolve = async (id: string) => {
    try {
      const row = await people.find(id, { combined, signal });
      resolutions.set(id, row ? personOf(row) : { unresolved: "not known to the archive" });
    } catch (error) {
      if (!plan.allowUnresolved || !(error instanceof APIError)) throw error;
      resolutions.set(id, { unresolved: error.code });
    }
  };
  await pMap(
    ids.filter((id) => !resolutions.has(id)),
    resolve,
    { concurrency: client.concurrency },
  );
}

function personOf({ name, title }: Row): Resolution {
  const text = (value: unknown) => (typeof value === "string" ? value.trim() : "");
  return { name: text(name), title: text(title) };
}

/** A speaker with final name and title, and whether the speeches are in the result. */
export interface SpeakerStatus extends Speaker {
  /** Unresolved speakers are in the result of everyone's speeches, and in the partial result of a failed call. */
  readonly isIncluded: boolean;
  /** Nothing tells the title. */
  readonly isUnresolved: boolean;
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
  const isClear = id === undefined || speaker.title !== null;
  const person: Resolution = isClear ? NO_PERSON : (resolutions.get(id) ?? { unresolved: "not looked up" });
  const { name, title: titleOfPerson } = "title" in person ? person : NO_PERSON;
  const title = speaker.title ?? (titleOfPerson || nameTitle);
  const status = { ...speaker, name: name || speaker.name, title };
  if ("unresolved" in person && nameTitle === null)
    return { ...status, isIncluded: failed || chamber === "any", isUnresolved: true, reason: person.unresolved };
  const isIncluded = isOfChamber(title, chamber);
  const noTitle = title === null ? "no title" : `title without ${CHAMBER_TITLES[chamber][1]}`;
  const nobody = personid === null ? "no personid" : `placeholder speaker ${UNIDENTIFIED_SPEAKER}`;
  return {
    ...status,
    isIncluded,
    isUnresolved: false,
    reason: isIncluded ? null : id === undefined ? nobody : noTitle,
  };
}

const NO_PERSON = { name: "", title: "" };
