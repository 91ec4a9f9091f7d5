import lucene, { type GrammarNode } from "lucene";

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
function isQueryField(name: string): name is QueryField {
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

/** The grammar's name for a missing field. */
const NO_FIELD = "<implicit>";

const TOKEN = /(\s+)|("(?:[^"\\]|\\.)*")|([()])|((?:\\.|[^\s()"\\])+)/sy;
const OPERATORS: Readonly<Record<string, string>> = { AND: "AND", "&&": "AND", OR: "OR", "||": "OR", NOT: "NOT" };
const BRACKET = /^(?:\\.|[^\\[{\]}])*([[{\]}])/s;

/** The grammar backtracks: on some queries its time grows with the square of the length. */
const MAX_LENGTH = 4000;

/**
 * Rewrites a query so that the grammar parses it without loss. The grammar silently drops repeated operators, trailing
 * operators and the sign of a group. Here the first two are errors, and the sign moves to an implicit field, which the
 * grammar keeps.
 *
 * @throws LuceneError for a range, an operator without operands, or unbalanced quotes or parentheses
 * @example
 * normalizeQuery("a  &&  NOT b -(c)"); //=> "a AND NOT b -<implicit>:(c)"
 */
function normalizeQuery(query: string): string {
  if (query.length > MAX_LENGTH) throw syntax(`it has more than ${MAX_LENGTH} characters`);
  const tokens: string[] = [];
  let previous: "start" | "operator" | "not" | "operand" = "start";
  let depth = 0;
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < query.length) {
    const begin = TOKEN.lastIndex;
    const match = TOKEN.exec(query);
    if (!match) throw syntax('unbalanced quotation mark (") or trailing backslash (\\)');
    const [token, space, , parenthesis, word] = match;
    const operator = word === undefined ? undefined : OPERATORS[word];
    if (space !== undefined) {
      tokens.push(" ");
    } else if (operator !== undefined) {
      if (operator === "NOT" ? previous === "not" : previous !== "operand")
        throw syntax(`${operator} needs an operand before it`);
      previous = operator === "NOT" ? "not" : "operator";
      tokens.push(` ${operator} `);
    } else if (parenthesis === ")") {
      if (previous !== "operand") throw syntax("a group is incomplete");
      depth--;
      if (depth < 0) throw syntax("unbalanced closing parenthesis");
      tokens.push(")");
    } else if (parenthesis === "(") {
      depth++;
      previous = "start";
      tokens.push("(");
    } else {
      if (word !== undefined) rejectBrackets(query, begin, word);
      const signedGroup = /^[+\-!]$/.test(token) && query[TOKEN.lastIndex] === "(";
      tokens.push(signedGroup ? `${token}${NO_FIELD}:` : token);
      previous = "operand";
    }
  }
  if (depth > 0) throw syntax("unbalanced opening parenthesis");
  if (previous !== "operand") throw syntax("the query is incomplete");
  return tokens.join("").replace(/ +/g, " ").trim();
}

/** An unescaped bracket can only be a range. The live service fails on a lower-case "to" as well. */
function rejectBrackets(query: string, begin: number, word: string): void {
  const bracket = BRACKET.exec(word);
  if (bracket) {
    const from = query.slice(begin + bracket[0].length);
    const inside = /[\]}]/.test(from) ? from.slice(0, from.search(/[\]}]/)) : "";
    if (/\sTO\s/i.test(inside)) throw new LuceneError("range", "Internal server error");
    throw syntax("a bracket must be escaped with a backslash");
  }
  if (word.includes(`${NO_FIELD}:`)) throw new LuceneError("field", "the query names an unknown field");
}

function syntax(what: string): LuceneError {
  return new LuceneError("syntax", `the query is not valid Lucene: ${what}`);
}
