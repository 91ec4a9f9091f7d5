import { bareName } from "../service/json/metadata.js";
import type { Row } from "../service/operations/rows.js";
import { type Chamber, isOfChamber } from "./chamber.js";
import type { Speech } from "./mergeSpeeches.js";

/** A speaker, with what the rows of all speeches say. */
export interface Speaker {
  /** The same for all speeches of a speaker. */
  readonly key: string;
  /** As the first row has it; null where none has. */
  readonly personid: unknown;
  /** The id to look up; undefined for a placeholder, who is nobody in particular. */
  readonly id: string | undefined;
  /** From the row: the `person` up to the first comma. */
  readonly name: string | null;
  readonly title: string | null;
}

/** The id that the service gives to speakers whom nobody identified. */
export const UNIDENTIFIED = "999999";

/**
 * The member in which a mention may carry the title of its speaker, without case, `_` and `-`. A plain `title` is that of
 * something else.
 */
const TITLE_MEMBER = "persontitle";

/** What identifies the speaker of a row: the id, or for a placeholder its name with it, since many people share the id. */
export function speakerKey(row: Row): string {
  const id = personId(row);
  return id === undefined || id === UNIDENTIFIED ? JSON.stringify([id ?? null, nameOf(row)]) : id;
}

/** The speakers of all speeches by key, in the order in which they first appear. */
export function speakersOf(speeches: Iterable<Speech>, chamber: Chamber): Map<string, Speaker> {
  const speakers = new Map<string, Speaker>();
  for (const { row } of speeches) {
    const key = speakerKey(row);
    const id = personId(row);
    const known = speakers.get(key);
    const placeholder = id === undefined || id === UNIDENTIFIED;
    speakers.set(key, {
      key,
      personid: known?.personid ?? (id === undefined ? null : row.personid),
      id: placeholder ? undefined : id,
      name: known?.name ?? nameOf(row),
      title: placeholder ? null : betterTitle(known?.title ?? null, titleOf(row), chamber),
    });
  }
  return speakers;
}

/** Titles change over the years: one of the chamber goes before one that only came first. */
function betterTitle(known: string | null, next: string | null, chamber: Chamber): string | null {
  if (known === null || next === null) return known ?? next;
  return !isOfChamber(known, chamber) && isOfChamber(next, chamber) ? next : known;
}

/** The personid as text; undefined where it is absent, or nothing that could be looked up. */
function personId({ personid }: Row): string | undefined {
  if (typeof personid === "bigint") return String(personid);
  if (typeof personid === "number")
    return Number.isSafeInteger(personid) && personid > 0 ? String(personid) : undefined;
  return typeof personid === "string" && /[^\s.0]/.test(personid) ? personid.trim() : undefined;
}

function nameOf({ person }: Row): string | null {
  const name = typeof person === "string" ? (person.split(",", 1)[0] as string).trim() : "";
  return name === "" ? null : name;
}

function titleOf(row: Row): string | null {
  for (const [member, title] of Object.entries(row)) {
    if (bareName(member) === TITLE_MEMBER && typeof title === "string" && title.trim() !== "") return title.trim();
  }
  return null;
}
