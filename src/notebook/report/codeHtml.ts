import { escapeHtml, printableLines } from "../display/displayText.js";

const LANGUAGES = /^(?:ts|js|typescript|javascript)$/i;
const KEYWORDS =
  "as async await break case catch class const continue default delete do else enum export extends false finally for from function if import in instanceof interface let new null of return static super switch this throw true try type typeof undefined var void while yield";
const TOKENS = new RegExp(
  [
    // Unterminated comments and strings match too; otherwise the search for their end would take quadratic time.
    "(//[^\\n]*|/\\*(?:[^*]|\\*(?!/))*(?:\\*/)?)",
    "(\"(?:[^\"\\\\\\n]|\\\\.)*\"?|'(?:[^'\\\\\\n]|\\\\.)*'?|`(?:[^`\\\\]|\\\\[^])*`?)",
    `((?<![\\w$.])(?:${KEYWORDS.replaceAll(" ", "|")})(?![\\w$]))`,
  ].join("|"),
  "g",
);

/** A code block; highlights comments, strings and keywords of TypeScript and JavaScript. */
export function codeHtml(code: string, language: string): string {
  const text = printableLines(code);
  return `<pre><code>${LANGUAGES.test(language) ? highlighted(text) : escapeHtml(text)}</code></pre>`;
}

function highlighted(code: string): string {
  const html: string[] = [];
  // code.slice(begin, at) is of one kind and not yet written.
  let [begin, at, kind] = [0, 0, ""];
  const write = (next: string, from: number) => {
    const text = escapeHtml(code.slice(begin, at));
    if (text !== "") html.push(kind === "" ? text : `<span class="af-${kind}">${text}</span>`);
    [begin, at, kind] = [at, from, next];
  };
  for (const { 0: text, 1: comment, 2: string, index } of code.matchAll(TOKENS)) {
    const next = comment !== undefined ? "comment" : string !== undefined ? "string" : "word";
    if (index > at) write("", index);
    if (kind !== next) write(next, index);
    at = index + text.length;
  }
  write("", code.length);
  write("", code.length);
  return html.join("");
}
