import { ANY_ONE, ANY_RUN, type GlobPart } from "../search/glob.js";
import { fold } from "../search/tokens.js";
import type { Clause, QueryField, TermClause } from "./clause.js";
import type { FieldIndex } from "./fieldIndex.js";

/** The indexes that a query is evaluated on. */
export interface SearchableFields {
  /** Number of documents. */
  size: number;
  fields: Readonly<Record<QueryField, FieldIndex>>;
  /** Searched by terms without a field. */
  defaults: readonly FieldIndex[];
}

/** One byte per document: 1 if the clause matches it, otherwise 0. */
export function evaluate(clause: Clause, over: SearchableFields): Uint8Array {
  switch (clause.type) {
    case "term":
      return evaluateTerm(clause, over);
    case "not":
      return invert(evaluate(clause.clause, over));
    case "all":
      return matchAll(clause.clauses, over, new Uint8Array(over.size).fill(1));
    case "group": {
      const { must, mustNot, should } = clause;
      const hasNoShould = must.length > 0 || should.length === 0;
      const start = hasNoShould ? new Uint8Array(over.size).fill(1) : matchAny(should, over);
      const found = matchAll(must, over, start);
      if (mustNot.length > 0) {
        const excluded = matchAny(mustNot, over);
        for (let i = 0; i < found.length; i++) if (excluded[i] === 1) found[i] = 0;
      }
      return found;
    }
  }
}

function matchAll(clauses: readonly Clause[], over: SearchableFields, found: Uint8Array): Uint8Array {
  for (const clause of clauses) {
    const one = evaluate(clause, over);
    for (let i = 0; i < found.length; i++) if (one[i] === 0) found[i] = 0;
  }
  return found;
}

function matchAny(clauses: readonly Clause[], over: SearchableFields): Uint8Array {
  const found = new Uint8Array(over.size);
  for (const clause of clauses) {
    const one = evaluate(clause, over);
    for (let i = 0; i < found.length; i++) if (one[i] === 1) found[i] = 1;
  }
  return found;
}

function invert(mask: Uint8Array): Uint8Array {
  return mask.map((bit) => 1 - bit);
}

function evaluateTerm(term: TermClause, over: SearchableFields): Uint8Array {
  const found = new Uint8Array(over.size);
  const pattern = term.quoted ? undefined : wildcardPattern(term.value);
  for (const index of term.field === undefined ? over.defaults : [over.fields[term.field]]) {
    const documents = pattern ? index.matchingPattern(pattern) : index.matchingText(unescapeTerm(term.value));
    for (const document of documents) found[document] = 1;
  }
  return found;
}

/** Removes the escapes of a term. //=> unescapeTerm("a\\:b") is "a:b" */
export function unescapeTerm(value: string): string {
  return value.replace(/\\(.)/gs, "$1");
}

/** The pattern of a term with an unescaped wildcard, otherwise undefined. */
export function wildcardPattern(value: string): GlobPart[] | undefined {
  const parts: GlobPart[] = [];
  let hasWildcard = false;
  for (const [piece] of value.matchAll(/\\?./gsu)) {
    if (piece === "*" || piece === "?") {
      parts.push(piece === "*" ? ANY_RUN : ANY_ONE);
      hasWildcard = true;
    } else {
      parts.push(...fold(unescapeTerm(piece)));
    }
  }
  return hasWildcard ? parts : undefined;
}
