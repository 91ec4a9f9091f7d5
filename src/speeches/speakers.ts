import { bareName } from "../pages/metadata.js";
import type { Row } from "../service/operations/rows.js";
import { isUnidentified, speakerId } from "../util/speakerId.js";

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
  /** The titles behind the name in `person`: "Jane Doe,U.S. Senator". */
  readonly nameTitle: string | null;
}

/**
 * The member of a mention that may hold the title of the speaker, ignoring case, `_` and `-`. A plain `title` is the title
 * of something else.
 */
const TITLE_MEMBER = "persontitle";

/** Identifies the speaker of a row: by id, or by id and name for a placeholder, since many people share its id. */
export function speakerKey(row: Row): string {
  return speakerId(row.personid) ?? JSON.stringify([isUnidentified(row.personid), nameOf(row)]);
}

/** The speakers of some speeches, and which row is whose. */
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
  const keysByName = new Map<string, Set<string>>();
  for (const { row } of speeches) {
    const key = speakerKey(row);
    const id = speakerId(row.personid) ?? undefined;
    const known = speakers.get(key);
    const hasId = id !== undefined || isUnidentified(row.personid);
    // The rows of one speaker may spell the name in several ways.
    const name = id === undefined ? undefined : plainName(nameOf(row));
    if (name !== undefined) keysByName.set(name, (keysByName.get(name) ?? new Set()).add(key));
    speakers.set(key, {
      key,
      personid: known?.personid ?? (hasId ? row.personid : null),
      id,
      name: known?.name ?? nameOf(row),
      title: id === undefined ? null : betterTitle(known?.title ?? null, titleOf(row), chamber),
      nameTitle: inferSpeakers ? betterTitle(known?.nameTitle ?? null, nameTitleOf(row), chamber) : null,
    });
  }
  const inferred = inferSpeakers ? inferredKeys(speakers, keysByName) : new Map<string, string>();
  for (const key of inferred.keys()) speakers.delete(key);
  return {
    byKey: speakers,
    keyOf: (row) => inferred.get(speakerKey(row)) ?? speakerKey(row),
    isInferred: (row) => inferred.has(speakerKey(row)),
  };
}

/** The keys of speakers without an id, with the key of the only speaker who has the same name. */
function inferredKeys(
  speakers: ReadonlyMap<string, Speaker>,
  keysByName: ReadonlyMap<string, ReadonlySet<string>>,
): ReadonlyMap<string, string> {
  const inferred = new Map<string, string>();
  for (const { key, id, name } of speakers.values()) {
    const [match, other] = id === undefined ? (keysByName.get(plainName(name) ?? "") ?? []) : [];
    if (match !== undefined && other === undefined) inferred.set(key, match);
  }
  return inferred;
}

const FORMS_OF_ADDRESS = new Set(
  "senator sen representative rep congressman congresswoman delegate mr mrs ms dr hon honorable the".split(" "),
);

/** A name for comparison; undefined for a single word, which many people share. */
function plainName(name: string | null): string | undefined {
  const words =
    (name ?? "")
      .toLowerCase()
      .normalize("NFKD")
      .replace(/\p{M}/gu, "")
      .match(/[\p{L}'’-]+/gu) ?? [];
  const own = words.filter((word) => !FORMS_OF_ADDRESS.has(word));
  return own.length < 2 ? undefined : own.join(" ");
}

/** Titles change over the years: a title of the chamber takes precedence over an earlier row. */
function betterTitle(known: string | null, next: string | null, chamber: Chamber): string | null {
  if (known === null || next === null) return known ?? next;
  return !isOfChamber(known, chamber) && isOfChamber(next, chamber) ? next : known;
}

function nameOf({ person }: Row): string | null {
  const name = typeof person === "string" ? (person.split(",", 1)[0] as string).trim() : "";
  return name === "" ? null : name;
}

function nameTitleOf({ person }: Row): string | null {
  if (typeof person !== "string" || !person.includes(",")) return null;
  const titles = person.slice(person.indexOf(",") + 1).split(",");
  return (
    titles
      .map((title) => title.trim())
      .filter(Boolean)
      .join(", ") || null
  );
}

function titleOf(row: Row): string | null {
  for (const [member, title] of Object.entries(row)) {
    if (bareName(member) === TITLE_MEMBER && typeof title === "string" && title.trim() !== "") return title.trim();
  }
  return null;
}

/** Whose speeches to return, by the title of the speaker. */
export type Chamber = "senate" | "house" | "any";

/** The chambers, the default first. */
export const CHAMBERS: readonly Chamber[] = ["senate", "house", "any"];

const WORDS: Readonly<Record<Exclude<Chamber, "any">, RegExp>> = {
  senate: /senator/i,
  house: /\b(?:representative|delegate)\b/i,
};

/** What a title has to contain, in words. */
export const TITLE_WORDS: Readonly<Record<Chamber, string>> = {
  senate: "the word Senator",
  house: "the word Representative or Delegate",
  any: "anything",
};

/**
 * Whether a title belongs to a chamber.
 *
 * @example
 * isOfChamber("Attorney, Chair, U.S. SENATOR", "senate"); //=> true
 */
export function isOfChamber(title: string | null, chamber: Chamber): boolean {
  return chamber === "any" || (title !== null && WORDS[chamber].test(title));
}

/** Name and title of a speaker from a person record; empty if the record has none. */
export interface Person {
  readonly name: string;
  readonly title: string;
}

/** Name and title from a row of people. */
export function personOf({ name, title }: Row): Person {
  const text = (value: unknown) => (typeof value === "string" ? value.trim() : "");
  return { name: text(name), title: text(title) };
}

/** Speakers who speak for the chamber, not for themselves. */
export type SpeakerRole = "presiding officer" | "clerk";

const NAMES: ReadonlyArray<readonly [SpeakerRole, RegExp]> = [
  ["clerk", /\b(?:clerk|secretary of the senate)\b/i],
  [
    "presiding officer",
    /\b(?:presiding officer|president pro tempore|speaker pro tempore|acting president|acting chair|the chair)\b/i,
  ],
];
/** What only they say. */
const PHRASES: ReadonlyArray<readonly [SpeakerRole, RegExp]> = [
  ["presiding officer", /\bthe clerk will (?:report|read|call|designate|state)\b/i],
  ["presiding officer", /\b(?:the )?(?:senator|gentleman|gentlewoman|gentlelady) from [a-z ]{4,20} is recognized\b/i],
  ["presiding officer", /\bwithout objection,? (?:it is )?so ordered\b/i],
  ["presiding officer", /\bthe (?:ayes|noes|yeas|nays) (?:appear to )?have it\b/i],
  [
    "clerk",
    /\ba (?:bill|joint resolution|concurrent resolution|resolution) to (?:provide|amend|authorize|make|establish|designate)\b/i,
  ],
];
/** Formulas stand at the beginning. */
const OPENING = 400;

/**
 * Whether a speech is that of a presiding officer or a clerk: by the name or title of the speaker, or, if nobody is named, by
 * formulas such as "the clerk will report". Members preside in turns, so a formula says nothing about an identified speaker.
 *
 * @example
 * speakerRole({ person: "Presiding Officer", text: "…" }, null, false); //=> "presiding officer"
 */
export function speakerRole({ person, text }: Row, title: string | null, isIdentified: boolean): SpeakerRole | null {
  const name = `${typeof person === "string" ? person : ""}, ${title ?? ""}`;
  const byName = NAMES.find(([, pattern]) => pattern.test(name));
  if (byName !== undefined || isIdentified) return byName?.[0] ?? null;
  const opening = typeof text === "string" ? text.slice(0, OPENING) : "";
  return PHRASES.find(([, pattern]) => pattern.test(opening))?.[0] ?? null;
}
