import type { PolarsFrame } from "../../frames/polars.js";
import { speakerId } from "../../util/speakerId.js";
import { spokenText } from "../captions.js";
import { valuesOf } from "./columns.js";

/**
 * A key for the speaker of each row: the id, without one the name that another row has with an id, otherwise the name. Null for
 * unidentified speakers.
 */
export function speakersOf(frame: PolarsFrame): readonly (string | null)[] {
  const ids = valuesOf(frame, "personid").map(speakerId);
  const names = valuesOf(frame, "person").map(nameOf);
  const idOf = new Map<string, string>();
  ids.forEach((id, row) => {
    const name = names[row] ?? null;
    if (id !== null && name !== null && !idOf.has(name)) idOf.set(name, id);
  });
  return ids.map((id, row) => {
    const name = names[row] ?? null;
    return id ?? (name === null ? null : (idOf.get(name) ?? null));
  });
}

/** A name without titles, initials and capitals; null for what is no name. */
function nameOf(person: unknown): string | null {
  if (typeof person !== "string") return null;
  const name = spokenText(person.split(",")[0] as string)
    .replace(/(?<![a-z])[a-z]\. /g, "")
    .trim();
  return name === "" ? null : name;
}
