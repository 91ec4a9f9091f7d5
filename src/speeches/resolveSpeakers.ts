import type { ClientContext } from "../call/clientContext.js";
import { APIError } from "../errors/index.js";
import type { CallSignal } from "../util/callSignal.js";
import { isOfChamber, TITLES } from "./chamber.js";
import type { SpeechPlan } from "./checkSpeeches.js";
import type { CombinedRecorder } from "./combinedRecorder.js";
import type { Finding } from "./findSpeeches.js";
import type { People, Person } from "./people.js";
import { readPeopleLists } from "./peopleLists.js";
import { type Speaker, UNIDENTIFIED } from "./speakers.js";
import { together } from "./together.js";

/** Why a speaker's title is not known. */
export interface Unresolved {
  readonly unresolved: string;
}

/** What look-ups have brought so far, by the id of the speaker. */
export type Resolutions = Map<string, Person | Unresolved>;

/** What is known of a speaker, and what follows from it. */
export interface SpeakerStatus {
  readonly speaker: Speaker;
  readonly name: string | null;
  readonly title: string | null;
  readonly fate: "kept" | "leftOut" | "unresolved";
  /** Why the speaker is not kept, or kept without a title. */
  readonly reason: string | null;
}

/** The ids that have to be looked up: speakers whose rows say no title. */
export function unknownIds(speakers: Iterable<Speaker>): string[] {
  return [...speakers].flatMap(({ id, title }) => (id === undefined || title !== null ? [] : [id]));
}

/**
 * Looks up the speakers whose rows say no title, a few at a time; those whom the client knows are not asked for again.
 *
 * @param resolutions is filled as the answers come
 * @throws ArchiveError of the first look-up that fails, unless unresolved speakers are allowed
 */
export async function resolveSpeakers(
  client: ClientContext,
  { allowUnresolved }: SpeechPlan,
  people: People,
  ids: readonly string[],
  resolutions: Resolutions,
  findings: readonly Finding[],
  combined: CombinedRecorder,
  stop: CallSignal,
): Promise<void> {
  const { signal } = stop;
  const wanted = new Set(ids.filter((id) => !people.has(id)));
  await readPeopleLists(client, people, wanted, findings, combined, signal);
  const resolve = async (id: string) => {
    try {
      const person = await people.find(client, id, combined, signal);
      resolutions.set(id, person ?? { unresolved: "not known to the archive" });
    } catch (error) {
      if (!allowUnresolved || !(error instanceof APIError)) throw error;
      resolutions.set(id, { unresolved: error.code });
    }
  };
  await together(
    ids.map((id) => () => resolve(id)),
    client.concurrency,
    stop,
  );
}

/** What becomes of a speaker, after what is known so far. */
export function statusOf(speaker: Speaker, resolutions: Resolutions, { chamber }: SpeechPlan): SpeakerStatus {
  const { id } = speaker;
  const found = id === undefined || speaker.title !== null ? undefined : (resolutions.get(id) ?? NOT_ASKED);
  const unresolved = found !== undefined && "unresolved" in found ? found.unresolved : undefined;
  const person = found === undefined || "unresolved" in found ? undefined : found;
  const name = person?.name ? person.name : speaker.name;
  const title = speaker.title ?? (person?.title ? person.title : null);
  const standing = (fate: SpeakerStatus["fate"], reason: string | null) => ({ speaker, name, title, fate, reason });
  if (unresolved !== undefined) return standing("unresolved", unresolved);
  if (isOfChamber(title, chamber)) return standing("kept", null);
  if (id === undefined) {
    return standing("leftOut", speaker.personid === null ? "no personid" : `placeholder speaker ${UNIDENTIFIED}`);
  }
  return standing("leftOut", title === null ? "no title" : `title without ${TITLES[chamber]}`);
}

const NOT_ASKED: Unresolved = { unresolved: "not looked up" };
