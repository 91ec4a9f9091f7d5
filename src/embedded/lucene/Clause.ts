import type { QueryField } from "./fields.js";

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
