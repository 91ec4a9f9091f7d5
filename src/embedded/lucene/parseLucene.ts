import lucene, { type GrammarNode } from "lucene";
import { type Clause, isQueryField, LuceneError, QUERY_FIELDS, type QueryField } from "./clause.js";
import { NO_FIELD, normalizeQuery } from "./normalizeQuery.js";

/**
 * Reads a Lucene query. AND binds closer than OR and than standing side by side; of parts that stand side by side one
 * must match, all those with "+" must, and none with "-" may.
 *
 * @throws LuceneFault where the query is badly written, names an unknown field, or holds a range
 */
export function parseLucene(query: string): Clause {
  const tidy = normalizeQuery(query);
  let node: GrammarNode;
  try {
    node = lucene.parse(tidy);
    return group(node, undefined);
  } catch (error) {
    if (error instanceof LuceneError) throw error;
    throw new LuceneError("syntax", "the query is not valid Lucene");
  }
}

/** What `*:*` asks for. */
const EVERYTHING: Clause = { type: "all", clauses: [] };

interface Operand {
  /** How it joins what stands before it. */
  join: "and" | "or" | "beside";
  negated: boolean;
  required: boolean;
  clause: Clause;
}

/** A chain of parts, as the grammar nests it to the right, is laid out flat and then grouped by its operators. */
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
    if (more.length > 0) should.push({ type: "all", clauses: run.map(signed) });
    else if (only.negated && only.join !== "or") mustNot.push(only.clause);
    else if (only.required) must.push(only.clause);
    else should.push(signed(only));
  }
  return { type: "group", must, mustNot, should };
}

function signed(operand: Operand): Clause {
  return operand.negated ? { type: "not", clause: operand.clause } : operand.clause;
}

function* operands(first: GrammarNode, field: QueryField | undefined): Generator<Operand> {
  let operator = first.start ?? NO_FIELD;
  let node: GrammarNode | undefined = first;
  let isChain = true;
  while (node) {
    const part: GrammarNode = isChain ? (node.left ?? {}) : node;
    const { clause, sign } = single(part, field);
    yield {
      join: operator.startsWith("AND") ? "and" : operator.startsWith("OR") ? "or" : "beside",
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

/** One part with its sign; the grammar leaves a sign before a field in the field's name. */
function single(node: GrammarNode, outer: QueryField | undefined): { clause: Clause; sign: "+" | "-" | "" } {
  const written = /^([+\-!]?)(.*)$/s.exec(node.field ?? NO_FIELD);
  const name = written?.[2] ?? NO_FIELD;
  const everything = name === "*" && node.term === "*" && node.quoted !== true;
  if (name !== NO_FIELD && !everything && !isQueryField(name)) {
    throw new LuceneError(
      "field",
      `the query names a field that does not exist; fields are ${QUERY_FIELDS.join(", ")}`,
    );
  }
  const field = isQueryField(name) ? name : outer;
  const sign = written?.[1] || node.prefix || "";
  return {
    sign: sign === "!" || sign === "-" ? "-" : sign === "+" ? "+" : "",
    clause: everything ? EVERYTHING : node.left ? group(node, field) : term(node, field),
  };
}

function term(node: GrammarNode, field: QueryField | undefined): Clause {
  if (node.term === undefined) throw new LuceneError("syntax", "the query is not valid Lucene: a part is missing");
  if (node.regex) throw new LuceneError("syntax", "regular expressions are not supported: escape the slash");
  if (typeof node.similarity === "number" || typeof node.proximity === "number") {
    throw new LuceneError("syntax", "fuzzy and proximity searches (~) are not supported");
  }
  return { type: "term", field, value: node.term, quoted: node.quoted === true };
}
