import { escapeHtml, printableLines } from "../display/displayText.js";

const LANGUAGES = /^(?:ts|js|typescript|javascript)$/i;
const WORDS =
  "as async await break case catch class const continue default delete do else enum export extends false finally for from function if import in instanceof interface let new null of return static super switch this throw true try type typeof undefined var void while yield";
const PARTS = new RegExp(
  [
    // Whatever begins is a part, also where it does not end: otherwise its end would be looked for again and again.
    "(//[^\\n]*|/\\*(?:[^*]|\\*(?!/))*(?:\\*/)?)",
    "(\"(?:[^\"\\\\\\n]|\\\\.)*\"?|'(?:[^'\\\\\\n]|\\\\.)*'?|`(?:[^`\\\\]|\\\\[^])*`?)",
    `((?<![\\w$.])(?:${WORDS.replaceAll(" ", "|")})(?![\\w$]))`,
  ].join("|"),
  "g",
);

/** Source code as a block; comments, texts and words of TypeScript and JavaScript are told apart. */
export function codeHtml(code: string, language: string): string {
  const text = printableLines(code);
  return `<pre><code>${LANGUAGES.test(language) ? highlighted(text) : escapeHtml(text)}</code></pre>`;
}

function highlighted(code: string): string {
  const html: string[] = [];
  // From `begin` to `at` the code is of one kind; before that it is written.
  let [begin, at, kind] = [0, 0, ""];
  const write = (next: string, from: number) => {
    const text = escapeHtml(code.slice(begin, at));
    if (text !== "") html.push(kind === "" ? text : `<span class="af-${kind}">${text}</span>`);
    [begin, at, kind] = [at, from, next];
  };
  for (const { 0: text, 1: comment, 2: string, index } of code.matchAll(PARTS)) {
    const next = comment !== undefined ? "comment" : string !== undefined ? "string" : "word";
    if (index > at) write("", index);
    if (kind !== next) write(next, index);
    at = index + text.length;
  }
  write("", code.length);
  write("", code.length);
  return html.join("");
}
