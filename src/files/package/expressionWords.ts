const METHODS: ReadonlyArray<readonly [RegExp, string]> = [
  [/\.(?:strict_)?cast\(\w+(?:\([^()]*\))?\)/g, ""],
  [/\.is_null\(\)\.not\(\)|\.is_not_null\(\)/g, " is not null"],
  [/\.is_null\(\)/g, " is null"],
  [/\.is_in\(\[\[?([^[\]()]*)\]?\]\)/g, " is one of $1"],
  [/\.str\.contains\(\["([^[\]()]*)"\]\)/g, ' contains "$1"'],
  [/\.str\.contains\(\["(.*?)"\]\)/g, ' matches "$1"'],
  [/\.alias\("([^"]*)"\)/g, " as $1"],
];

const OPERATORS: Readonly<Record<string, string>> = { "==": "is", "!=": "is not", "&": "and", "|": "or" };
/** An operator between two operands that have no operators of their own any more. */
const OPERATION = /\[\(([^()[\]]*)\) ([^\s()[\]]+) \(([^()[\]]*)\)\]/g;
/** Stand for parentheses, brackets and so on, in literals and in what has been put into words. */
const PLAIN = "()[]";
const HIDDEN = "\uE000\uE001\uE002\uE003";

/**
 * The text of a polars expression in plain words. Parts that it does not know stay as polars writes them.
 * @example
 * expressionWords('[([(col("length")) > (60.0)]) & ([(col("party")) == ("Democrat")])]'); //=> 'length > 60 and party is "Democrat"'
 */
export function expressionWords(text: string): string {
  let words = text.replace(/\bcol\("([^"]*)"\)/g, "$1");
  for (const [method, word] of METHODS) words = words.replace(method, word);
  words = words.replace(/"[^"]*"|(\d)\.0\b|( 00:00:00)\b/g, (match, digit?: string, midnight?: string) =>
    midnight === undefined ? (digit ?? swapped(match, PLAIN, HIDDEN)) : "",
  );
  for (let before = ""; before !== words; ) {
    before = words;
    words = words.replace(OPERATION, (_match, left: string, operator: string, right: string) => {
      const operand = (side: string) =>
        operator === "&" && side.includes(" or ") ? `${HIDDEN[0]}${side}${HIDDEN[1]}` : side;
      return `${operand(left)} ${OPERATORS[operator] ?? operator} ${operand(right)}`;
    });
  }
  return swapped(words, HIDDEN, PLAIN);
}

function swapped(text: string, from: string, to: string): string {
  return text.replace(/./gsu, (character) => to[from.indexOf(character)] ?? character);
}
