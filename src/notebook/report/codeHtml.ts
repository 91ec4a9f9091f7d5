import { createRequire } from "node:module";
import { escapeHtml, printableLines } from "../display/displayText.js";

type TypeScript = typeof import("typescript");

const require = createRequire(import.meta.url);

/** The languages that TypeScript's classifier reads. */
const LANGUAGES = /^(?:typescript|javascript|ts|js|tsx|jsx|mts|mjs)$/i;

/**
 * Code as HTML. TypeScript and JavaScript are highlighted: keywords, strings, numbers and comments are in spans of these classes.
 *
 * @param language of the code; code in another language stays plain
 */
export function codeHtml(code: string, language: string): string {
  const text = printableLines(code);
  const html = LANGUAGES.test(language) ? highlighted(text) : escapeHtml(text);
  return `<pre tabindex="0"><code>${html}</code></pre>`;
}

function highlighted(code: string): string {
  // Loading it takes a quarter of a second.
  const ts = require("typescript") as TypeScript;
  const { ClassificationType: type, EndOfLineState: state } = ts;
  const classes = new Map<number, string>([
    [type.keyword, "keyword"],
    [type.stringLiteral, "string"],
    [type.regularExpressionLiteral, "string"],
    [type.numericLiteral, "number"],
    [type.bigintLiteral, "number"],
    [type.comment, "comment"],
  ]);
  const { spans } = ts.createClassifier().getEncodedLexicalClassifications(code, state.None, true);
  const parts: string[] = [];
  let end = 0;
  for (let at = 0; at < spans.length; at += 3) {
    const [start = 0, length = 0, kind = 0] = spans.slice(at, at + 3);
    const name = classes.get(kind);
    if (name === undefined) continue;
    parts.push(escapeHtml(code.slice(end, start)));
    end = start + length;
    parts.push(`<span class="${name}">${escapeHtml(code.slice(start, end))}</span>`);
  }
  return [...parts, escapeHtml(code.slice(end))].join("");
}
