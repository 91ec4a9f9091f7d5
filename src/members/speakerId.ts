/** The `personid` that the service gives to every speaker whom nobody identified. */
export const UNIDENTIFIED_SPEAKER = 999_999;

/** Whether a `personid` stands for a speaker whom nobody identified: 999999 as a number, a bigint or a string. */
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
