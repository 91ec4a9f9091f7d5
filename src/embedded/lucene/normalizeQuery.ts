import { LuceneError } from "./clause.js";

/** The grammar's name for a missing field. */
export const NO_FIELD = "<implicit>";

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
export function normalizeQuery(query: string): string {
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
