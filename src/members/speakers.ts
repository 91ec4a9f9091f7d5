import { bareName } from "../pages/metadata.js";
import type { Row } from "../service/operations/operations.js";
import { nameWords, personName } from "./names.js";

/** A speaker, as described by the rows of all speeches. */
export interface Speaker {
  /** Identifies the speaker across rows. */
  readonly key: string;
  /** From the first row; null if no row has one. */
  readonly personid: unknown;
  /** The id to look up; undefined for a placeholder, which is not a particular person. */
  readonly id: string | undefined;
  /** The `person` of the row up to the first comma. */
  name: string | null;
  title: string | null;
  /** The titles after the name in `person`: "Jane Doe,U.S. Senator". */
  nameTitle: string | null;
  readonly rows: Row[];
}

/** The speakers of some speeches, and the speaker of each row. */
export interface Speakers {
  readonly byKey: ReadonlyMap<string, Speaker>;
  readonly keyOf: (row: Row) => string;
  /** Whether a row without an id belongs to a speaker because only that speaker has the name. */
  readonly isInferred: (row: Row) => boolean;
}

/**
 * The speakers of all speeches by key, in order of first appearance. A row without an id belongs to the speaker who has its
 * name, if exactly one does.
 */
export function speakersOf(
  speeches: Iterable<{ readonly row: Row }>,
  { chamber, inferSpeakers }: { readonly chamber: Chamber; readonly inferSpeakers: boolean },
): Speakers {
  const speakers = new Map<string, Speaker>();
  const keys = new Map<Row, string>();
  // The rows of one speaker may spell the name in several ways.
  const keysByName = new Map<string | undefined, Set<string>>();
  for (const { row } of speeches) {
    if (keys.has(row)) continue;
    const person = personText(row.person);
    const id = speakerId(row.personid) ?? undefined;
    const personid = id !== undefined || isUnidentified(row.personid) ? row.personid : null;
    // Many people share the id of a placeholder, so their names tell them apart.
    const key = id ?? JSON.stringify([personid !== null, person.name]);
    keys.set(row, key);
    const speaker = speakers.get(key) ?? { key, personid, id, name: null, title: null, nameTitle: null, rows: [] };
    speakers.set(key, speaker);
    speaker.rows.push(row);
    speaker.name ??= person.name;
    if (inferSpeakers && person.titles !== null)
      speaker.nameTitle = betterTitle(speaker.nameTitle, person.titles, chamber);
    if (id === undefined) continue;
    keysByName.set(person.full, (keysByName.get(person.full) ?? new Set()).add(key));
    const title = titleOf(row);
    if (title !== null) speaker.title = betterTitle(speaker.title, title, chamber);
  }
  const inferred = new Map<string, string>();
  for (const { key, id, name } of inferSpeakers ? [...speakers.values()] : []) {
    const full = id === undefined && name !== null ? fullName(name) : undefined;
    const [match, other] = full === undefined ? [] : (keysByName.get(full) ?? []);
    if (match !== undefined && other === undefined) inferred.set(key, match);
  }
  for (const key of inferred.keys()) speakers.delete(key);
  return {
    byKey: speakers,
    keyOf: (row) => {
      const key = keys.get(row) as string;
      return inferred.get(key) ?? key;
    },
    isInferred: (row) => inferred.has(keys.get(row) as string),
  };
}

/** Splits the `person` of a row into the name up to the first comma, the name for comparison, and the titles after it. */
function personText(person: unknown) {
  if (typeof person !== "string") return { name: null, full: undefined, titles: null };
  const name = (person.split(",", 1)[0] as string).trim();
  return { name: name || null, full: fullName(name), titles: personName(person).titles || null };
}

/** A name for comparison; undefined for a single word, which many people share. */
function fullName(name: string): string | undefined {
  const { words } = nameWords(name);
  return words.length < 2 ? undefined : words.join(" ");
}

/** Titles change over the years: a title of the chamber takes precedence over an earlier row. */
function betterTitle(current: string | null, next: string, chamber: Chamber): string {
  if (current === null) return next;
  return !isOfChamber(current, chamber) && isOfChamber(next, chamber) ? next : current;
}

/** The title of the speaker in a row. A plain `title` is that of the program. */
function titleOf(row: Row): string | null {
  for (const [member, title] of Object.entries(row))
    if (typeof title === "string" && title.trim() !== "" && bareName(member) === "persontitle") return title.trim();
  return null;
}

/** Whose speeches to return, by the title of the speaker. */
export type Chamber = "senate" | "house" | "any";

/** The chambers, the default first. */
export const CHAMBERS: readonly Chamber[] = ["senate", "house", "any"];

/** What a title must contain, as a pattern and in words. */
export const CHAMBER_TITLES: Readonly<Record<Chamber, readonly [RegExp, string]>> = {
  senate: [/senator/i, "the word Senator"],
  house: [/\b(?:representative|delegate)\b/i, "the word Representative or Delegate"],
  any: [/^/, "anything"],
};

/** Whether a title belongs to a chamber. */
export function isOfChamber(title: string | null, chamber: Chamber): boolean {
  return chamber === "any" || CHAMBER_TITLES[chamber][0].test(title ?? "");
}

/** The `personid` that the service gives to every unidentified speaker. */
export const UNIDENTIFIED_SPEAKER = 999_999;

/** Whether a `personid` stands for an unidentified speaker: 999999 as a number, a bigint or a string. */
export function isUnidentified(personid: unknown): boolean {
  return idText(personid) === String(UNIDENTIFIED_SPEAKER);
}

/**
 * The id of a speaker as a string, exact and the same for every type that a column may have. Null where nobody is identified: no id, 0,
 * NaN, a fraction, or 999999. Rows with the same id are of the same speaker; rows without one are of nobody in particular.
 * @example
 * [6153, 6153n, "6153", 999999, null].map(speakerId); //=> ["6153", "6153", "6153", null, null]
 */
export function speakerId(personid: unknown): string | null {
  const id = idText(personid);
  return id === String(UNIDENTIFIED_SPEAKER) ? null : id;
}

function idText(personid: unknown): string | null {
  if (typeof personid === "bigint") return personid > 0n ? String(personid) : null;
  if (typeof personid === "number") return Number.isSafeInteger(personid) && personid > 0 ? String(personid) : null;
  // "0" and "0.0" are not ids.
  return typeof personid === "string" && /[^\s.0]/.test(personid) ? personid.trim() : null;
}
