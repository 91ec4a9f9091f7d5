/** Name and number of each video type: requests take the name, rows carry the number. */
export const VIDEO_TYPES = {
  Speech: 16,
  Debate: 18,
  Hearing: 9,
  Interview: 11,
  "Call-In": 4,
  "News Conference": 13,
  Forum: 7,
  Remarks: 15,
  Ceremony: 5,
} as const;

/** The name of a video type. */
export type VideoType = keyof typeof VIDEO_TYPES;

/** The number of a video type named in any letter case, or undefined. //=> videoTypeId("debate") is 18 */
export function videoTypeId(name: string): number | undefined {
  const wanted = name.trim().toLowerCase();
  for (const [known, id] of Object.entries(VIDEO_TYPES)) if (known.toLowerCase() === wanted) return id;
  return undefined;
}
