import { bareName } from "../service/json/metadata.js";
import type { Row } from "../service/operations/rows.js";
import { type Chamber, isOfChamber } from "./chamber.js";
import type { Speech } from "./mergeSpeeches.js";

/** A speaker, as described by the rows of all speeches. */
export interface Speaker {
  /** Identifies the speaker across rows. */
  readonly key: string;
  /** As the first row has it; null if no row has one. */
  readonly personid: unknown;
  /** The id to look up; undefined for a placeholder, which is no particular person. */
  readonly id: string | undefined;
  /** The `person` of the row up to the first comma. */
  readonly name: string | null;
  readonly title: string | null;
}

/** The id that the service gives to all speakers whom nobody identified. */
export const UNIDENTIFIED = "999999";

/**
 * The member of a mention that may hold the title of the speaker, ignoring case, `_` and `-`. A plain `title` is the title
 * of something else.
 */
const TITLE_MEMBER = "persontitle";

/** Identifies the speaker of a row: by id, or by id and name for a placeholder, since many people share its id. */
export function speakerKey(row: Row): string {
  const id = personId(row);
  return id === undefined || id === UNIDENTIFIED ? JSON.stringify([id ?? null, nameOf(row)]) : id;
}

/** The speakers of all speeches by key, in order of first appearance. */
export function speakersOf(speeches: Iterable<Speech>, chamber: Chamber): Map<string, Speaker> {
  const speakers = new Map<string, Speaker>();
  for (const { row } of speeches) {
    const key = speakerKey(row);
    const id = personId(row);
    const known = speakers.get(key);
    const isPlaceholder = id === undefined || id === UNIDENTIFIED;
    speakers.set(key, {
      key,
      personid: known?.personid ?? (id === undefined ? null : row.personid),
      id: isPlaceholder ? undefined : id,
      name: known?.name ?? nameOf(row),
      title: isPlaceholder ? null : betterTitle(known?.title ?? null, titleOf(row), chamber),
    });
  }
  return speakers;
}

/** Titles change over the years: a title of the chamber takes precedence over an earlier row. */
function betterTitle(known: string | null, next: string | null, chamber: Chamber): string | null {
  if (known === null || next === null) return known ?? next;
  return !isOfChamber(known, chamber) && isOfChamber(next, chamber) ? next : known;
}

/** The personid as a string; undefined if it is missing or cannot be looked up. */
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
