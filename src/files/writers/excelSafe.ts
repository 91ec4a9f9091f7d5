import type { pl } from "../../frames/polars.js";

/** Signs that begin a formula: `= + - @`, and all characters that NFKC maps to one of them. */
const SIGN = String.raw`=+\-@﬩﹢﹣﹦﹫＋－＝＠⁺⁻⁼₊₋₌`;
/** Where a cell may begin for readers that split at `;`, at tabs, or at line breaks in quoted fields. */
const BREAK = String.raw`;\p{Cc}\u2028\u2029`;
/** What readers strip from the start of a cell. */
const IGNORED = String.raw`\s\p{Cc}\p{Cf}"`;

/** Converts code points to the regular expression syntax of polars. */
const toRustRegex = (text: string): string => text.replace(/\\u(\w{4})/g, String.raw`\x{$1}`);
const FORMULA = toRustRegex(`(^|[${BREAK}])([${IGNORED}]*)([${SIGN}])`);

const isSign = new RegExp(`[${SIGN}]`, "u");
const isBreak = new RegExp(`[${BREAK}]`, "u");
const isIgnored = new RegExp(`[${IGNORED}]`, "u");
const CONTROL_FIRST = /^\p{Cc}/u;

/**
 * Escapes a column of text so that no spreadsheet executes it: puts a `'` before each sign that begins a formula at the start
 * of a cell, or where readers that do not split at commas may see one, and before text that begins with a control character.
 */
export function excelSafeColumn(text: pl.Expr): pl.Expr {
  return text.str.replaceAll(FORMULA, "$1$2'$3").str.replace(String.raw`^\p{Cc}`, "'$0");
}

/** Escapes a string like {@link excelSafeColumn}, in linear time. */
export function excelSafeText(text: string): string {
  let safe = "";
  let atStart = true;
  for (const character of text) {
    if (atStart && isSign.test(character)) safe += "'";
    safe += character;
    atStart = isBreak.test(character) || (atStart && isIgnored.test(character));
  }
  return CONTROL_FIRST.test(safe) ? `'${safe}` : safe;
}
