import type { pl } from "../../frames/polars.js";

/** What begins a formula: `= + - @`, and whatever a spreadsheet may take for one of them (all that NFKC turns into one). */
const SIGN = String.raw`=+\-@﬩﹢﹣﹦﹫＋－＝＠⁺⁻⁼₊₋₌`;
/** Where a cell begins for a reader that splits at `;`, at a tab, or at the line breaks in a quoted field. */
const BREAK = String.raw`;\p{Cc}\u2028\u2029`;
/** What readers drop in front of a cell. */
const IGNORED = String.raw`\s\p{Cc}\p{Cf}"`;

/** The same in the regular expressions of polars, which write code points in another way. */
const inRust = (text: string): string => text.replace(/\\u(\w{4})/g, String.raw`\x{$1}`);
const FORMULA = inRust(`(^|[${BREAK}])([${IGNORED}]*)([${SIGN}])`);

const isSign = new RegExp(`[${SIGN}]`, "u");
const isBreak = new RegExp(`[${BREAK}]`, "u");
const isIgnored = new RegExp(`[${IGNORED}]`, "u");
const CONTROL_FIRST = /^\p{Cc}/u;

/**
 * A column of text that no spreadsheet executes: with a `'` before every sign that begins a formula where a cell begins, or might begin
 * for a reader that splits elsewhere than at commas, and before text that begins with a control character.
 */
export function excelSafeColumn(text: pl.Expr): pl.Expr {
  return text.str.replaceAll(FORMULA, "$1$2'$3").str.replace(String.raw`^\p{Cc}`, "'$0");
}

/** A text as {@link excelSafeColumn} makes it, in time that grows with its length alone. */
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
