import { LuceneError } from "./clause.js";

/** How the grammar names the field of a part that has none. */
export const NO_FIELD = "<implicit>";

const PIECE = /(\s+)|("(?:[^"\\]|\\.)*")|([()])|((?:\\.|[^\s()"\\])+)/sy;
const OPERATORS: Readonly<Record<string, string>> = { AND: "AND", "&&": "AND", OR: "OR", "||": "OR", NOT: "NOT" };
const BRACKET = /^(?:\\.|[^\\[{\]}])*([[{\]}])/s;

/** The grammar goes back and forth in some queries: the time that it takes grows with the square of their length. */
const MAX_LENGTH = 4000;

/**
 * Brings a query into the form that the grammar reads without loss. The grammar drops a second operator in a row,
 * an operator at the end and the sign of a group without a word; here the first two are faults, and a signed group
 * becomes a signed field, which the grammar keeps.
 *
 * @throws LuceneFault for a range, an operator without its operands, or a quotation mark without a partner
 * @example
 * tidyQuery("a  &&  NOT b -(c)"); //=> "a AND NOT b -<implicit>:(c)"
 */
export function normalizeQuery(query: string): string {
  if (query.length > MAX_LENGTH) throw syntax(`it has more than ${MAX_LENGTH} characters`);
  const pieces: string[] = [];
  let before: "start" | "operator" | "not" | "part" = "start";
  let depth = 0;
  PIECE.lastIndex = 0;
  while (PIECE.lastIndex < query.length) {
    const begin = PIECE.lastIndex;
    const match = PIECE.exec(query);
    if (!match) throw syntax('a quotation mark (") or a backslash (\\) has no partner');
    const [piece, space, , parenthesis, word] = match;
    const operator = word === undefined ? undefined : OPERATORS[word];
    if (space !== undefined) {
      pieces.push(" ");
    } else if (operator !== undefined) {
      if (operator === "NOT" ? before === "not" : before !== "part")
        throw syntax(`${operator} needs something before it`);
      before = operator === "NOT" ? "not" : "operator";
      pieces.push(` ${operator} `);
    } else if (parenthesis === ")") {
      if (before !== "part") throw syntax("a group ends too early");
      depth--;
      if (depth < 0) throw syntax("a closing parenthesis has no partner");
      pieces.push(")");
    } else if (parenthesis === "(") {
      depth++;
      before = "start";
      pieces.push("(");
    } else {
      if (word !== undefined) refuseBrackets(query, begin, word);
      const signedGroup = /^[+\-!]$/.test(piece) && query[PIECE.lastIndex] === "(";
      pieces.push(signedGroup ? `${piece}${NO_FIELD}:` : piece);
      before = "part";
    }
  }
  if (depth > 0) throw syntax("an opening parenthesis has no partner");
  if (before !== "part") throw syntax("the query ends too early");
  return pieces.join("").replace(/ +/g, " ").trim();
}

/** An unescaped bracket is a range, if it is anything; "to" in small letters is meant as one, too. */
function refuseBrackets(query: string, begin: number, word: string): void {
  const bracket = BRACKET.exec(word);
  if (bracket) {
    const from = query.slice(begin + bracket[0].length);
    const inside = /[\]}]/.test(from) ? from.slice(0, from.search(/[\]}]/)) : "";
    if (/\sTO\s/i.test(inside)) throw new LuceneError("range", "Internal server error");
    throw syntax("a bracket must be escaped with a backslash");
  }
  if (word.includes(`${NO_FIELD}:`)) throw new LuceneError("field", "the query names a field that does not exist");
}

function syntax(what: string): LuceneError {
  return new LuceneError("syntax", `the query is not valid Lucene: ${what}`);
}
