import lucene, { type GrammarNode } from "lucene";
import { type Clause, isQueryField, LuceneError, QUERY_FIELDS, type QueryField } from "./clause.js";
import { NO_FIELD, normalizeQuery } from "./normalizeQuery.js";

/**
 * Parses a Lucene query. AND binds tighter than OR and juxtaposition. Of juxtaposed operands, all with "+" must match, none
 * with "-" may match, and without a "+" at least one must match.
 *
 * @throws LuceneError if the query is invalid, names an unknown field or contains a range
 */
export function parseLucene(query: string): Clause {
  const normalized = normalizeQuery(query);
  try {
    return group(lucene.parse(normalized), undefined);
  } catch (error) {
    if (error instanceof LuceneError) throw error;
    throw new LuceneError("syntax", "the query is not valid Lucene");
  }
}

/** The clause for `*:*`. */
const MATCH_ALL: Clause = { type: "all", clauses: [] };

interface Operand {
  /** How it is joined to the operand before it. */
  join: "and" | "or" | "implicit";
  negated: boolean;
  required: boolean;
  clause: Clause;
}

/** Flattens the right-nested chain of operands and groups it by operator precedence. */
function group(first: GrammarNode, field: QueryField | undefined): Clause {
  const runs: Operand[][] = [];
  for (const operand of operands(first, field)) {
    const run = runs[runs.length - 1];
    if (operand.join === "and" && run) run.push(operand);
    else runs.push([operand]);
  }
  const must: Clause[] = [];
  const mustNot: Clause[] = [];
  const should: Clause[] = [];
  for (const run of runs) {
    const [only, ...more] = run;
    if (!only) continue;
    if (more.length > 0) should.push({ type: "all", clauses: run.map(applySign) });
    else if (only.negated && only.join !== "or") mustNot.push(only.clause);
    else if (only.required) must.push(only.clause);
    else should.push(applySign(only));
  }
  return { type: "group", must, mustNot, should };
}

function applySign(operand: Operand): Clause {
  return operand.negated ? { type: "not", clause: operand.clause } : operand.clause;
}

function* operands(first: GrammarNode, field: QueryField | undefined): Generator<Operand> {
  let operator = first.start ?? NO_FIELD;
  let node: GrammarNode | undefined = first;
  let isChain = true;
  while (node) {
    const operand: GrammarNode = isChain ? (node.left ?? {}) : node;
    const { clause, sign } = parseOperand(operand, field);
    yield {
      join: operator.startsWith("AND") ? "and" : operator.startsWith("OR") ? "or" : "implicit",
      negated: operator.endsWith("NOT") !== (sign === "-"),
      required: sign === "+",
      clause,
    };
    if (!isChain) return;
    operator = node.operator ?? NO_FIELD;
    node = node.right;
    isChain = node?.left !== undefined && node.right !== undefined && node.parenthesized !== true;
  }
}

/** One operand with its sign. The grammar leaves a sign before a field in the field's name. */
function parseOperand(node: GrammarNode, outer: QueryField | undefined): { clause: Clause; sign: "+" | "-" | "" } {
  const match = /^([+\-!]?)(.*)$/s.exec(node.field ?? NO_FIELD);
  const name = match?.[2] ?? NO_FIELD;
  const isEverything = name === "*" && node.term === "*" && node.quoted !== true;
  if (name !== NO_FIELD && !isEverything && !isQueryField(name)) {
    throw new LuceneError("field", `the query names an unknown field; the fields are ${QUERY_FIELDS.join(", ")}`);
  }
  const field = isQueryField(name) ? name : outer;
  const sign = match?.[1] || node.prefix || "";
  return {
    sign: sign === "!" || sign === "-" ? "-" : sign === "+" ? "+" : "",
    clause: isEverything ? MATCH_ALL : node.left ? group(node, field) : term(node, field),
  };
}

function term(node: GrammarNode, field: QueryField | undefined): Clause {
  if (node.term === undefined) throw new LuceneError("syntax", "the query is not valid Lucene: an operand is missing");
  if (node.regex) throw new LuceneError("syntax", "regular expressions are not supported; escape the slash");
  if (typeof node.similarity === "number" || typeof node.proximity === "number") {
    throw new LuceneError("syntax", "fuzzy and proximity searches (~) are not supported");
  }
  return { type: "term", field, value: node.term, quoted: node.quoted === true };
}
