/** Video types: requests use the name, rows the number. */
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

/** The canonical spelling of a video type. Unknown names are returned unchanged. */
export function canonicalVideoType(name: string | undefined): string | undefined {
  const known = Object.keys(VIDEO_TYPES).find((candidate) => candidate.toLowerCase() === name?.toLowerCase());
  return known ?? name;
}

/** The number of a video type by exact name, or undefined. //=> videoTypeId("Debate") is 18 */
export function videoTypeId(name: string): number | undefined {
  return Object.hasOwn(VIDEO_TYPES, name) ? VIDEO_TYPES[name as VideoType] : undefined;
}

const NAMES = new Map<number, string>(Object.entries(VIDEO_TYPES).map(([name, id]) => [id, name]));

/** The name of a video type by number. //=> videoTypeName(18) is "Debate" */
export function videoTypeName(id: number): string {
  return NAMES.get(id) ?? "";
}
