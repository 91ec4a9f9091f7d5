import { escapeHtml } from "../display/escapeHtml.js";
import { visibleLines } from "../display/visible.js";

const LANGUAGES = /^(?:ts|js|typescript|javascript)$/i;
const WORDS =
  "as async await break case catch class const continue default delete do else enum export extends false finally for from function if import in instanceof interface let new null of return static super switch this throw true try type typeof undefined var void while yield";
const PARTS = new RegExp(
  [
    "(?<comment>//[^\\n]*|/\\*[^]*?\\*/)",
    "(?<string>\"(?:[^\"\\\\\\n]|\\\\.)*\"|'(?:[^'\\\\\\n]|\\\\.)*'|`(?:[^`\\\\]|\\\\[^])*`)",
    `(?<word>(?<![\\w$.])(?:${WORDS.replaceAll(" ", "|")})(?![\\w$]))`,
  ].join("|"),
  "g",
);

/** Source code as a block; comments, texts and words of TypeScript and JavaScript are told apart. */
export function codeHtml(code: string, language: string): string {
  const text = visibleLines(code);
  return `<pre><code>${LANGUAGES.test(language) ? highlighted(text) : escapeHtml(text)}</code></pre>`;
}

function highlighted(code: string): string {
  let html = "";
  let at = 0;
  for (const part of code.matchAll(PARTS)) {
    const kind = Object.entries(part.groups ?? {}).find(([, value]) => value !== undefined)?.[0];
    html += `${escapeHtml(code.slice(at, part.index))}<span class="af-${kind}">${escapeHtml(part[0])}</span>`;
    at = part.index + part[0].length;
  }
  return html + escapeHtml(code.slice(at));
}
