/** One word, phrase or pattern, in a field or, where `field` is absent, in the default fields. */
export interface TermClause {
  type: "term";
  field: QueryField | undefined;
  /** As typed, escapes included. */
  value: string;
  quoted: boolean;
}

/** What a Lucene query asks for. */
export type Clause =
  | TermClause
  | { type: "not"; clause: Clause }
  | { type: "all"; clauses: readonly Clause[] }
  /** Every `must`, no `mustNot`, and, where there is no `must`, one `should` if there are any. */
  | { type: "group"; must: readonly Clause[]; mustNot: readonly Clause[]; should: readonly Clause[] };

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

/** A Lucene query that cannot be answered: badly written, or a range, which this service has never survived. */
export class LuceneError extends Error {
  override readonly name = "LuceneFault";
  readonly reason: "syntax" | "field" | "range";

  constructor(reason: "syntax" | "field" | "range", message: string) {
    super(message);
    this.reason = reason;
  }
}
