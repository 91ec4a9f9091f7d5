/** One word, phrase or pattern. Without a `field` it is searched in the default fields. */
export interface TermClause {
  type: "term";
  field: QueryField | undefined;
  /** As typed, with escapes. */
  value: string;
  quoted: boolean;
}

/** A parsed Lucene query. */
export type Clause =
  | TermClause
  | { type: "not"; clause: Clause }
  | { type: "all"; clauses: readonly Clause[] }
  /** Matches every `must` and no `mustNot`; without a `must`, at least one `should` if there are any. */
  | { type: "group"; must: readonly Clause[]; mustNot: readonly Clause[]; should: readonly Clause[] };

/** The fields of a Lucene query. */
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

/** Whether a field exists. Field names are lower case. */
export function isQueryField(name: string): name is QueryField {
  return (QUERY_FIELDS as readonly string[]).includes(name);
}

/** An invalid Lucene query, or a range, on which the live service fails too. */
export class LuceneError extends Error {
  override readonly name = "LuceneError";
  readonly reason: "syntax" | "field" | "range";

  constructor(reason: "syntax" | "field" | "range", message: string) {
    super(message);
    this.reason = reason;
  }
}
