/** The fields that a Lucene query may name. */
export const QUERY_FIELDS = [
  "abstract",
  "category",
  "date",
  "format",
  "isbn",
  "location",
  "person",
  "personid",
  "series",
  "sponsor",
  "subject",
  "tag",
  "text",
] as const;

/** The name of a field. */
export type QueryField = (typeof QUERY_FIELDS)[number];

/** Whether a name is one of the thirteen; field names are lower case. */
export function isQueryField(name: string): name is QueryField {
  return (QUERY_FIELDS as readonly string[]).includes(name);
}
