import { invalid } from "../../errors/validators.js";
import { escaped } from "../../util/quoted.js";

/** Typographic quotation marks of every language, and single ones in pairs. None of them makes a phrase. */
export const TYPOGRAPHIC = /(?!["'‘’‚‛＇])[\p{Quotation_Mark}❝❞]|['‘’‚‛＇]{2}|`{2}/gu;
/** Any quotation mark at all. */
const MARK = /[\p{Quotation_Mark}❝❞`]/u;
/** Single quotes around words. An apostrophe is within a word or ends one; before a letter, “‘” opens a quotation. */
const OPENING = /(?<![\p{L}\p{N}])[‘‚‛](?=\p{L})/u;
const CLOSING = /(?<=\p{L})[‘’](?![\p{L}\p{N}])/u;
/** A query within single quotes, which the shell of Windows passes on. */
const WRAPPED = /^['‘’‚‛＇`](?=\p{L}.*['‘’＇`]$)/su;
const SINGLE = /(?<![\p{L}\p{N}])['‘’‚‛＇`]|['‘’＇`](?![\p{L}\p{N}])/gu;

/**
 * Refuses quotation marks that make no phrase: the service would search for the words one by one, and find many more rows.
 *
 * @param hasEscapes a backslash takes the meaning from the next character, as in Lucene
 */
export function checkQuotes(name: string, text: string, hasEscapes = false): string {
  const fault = MARK.test(text) ? faultOf(text, hasEscapes) : undefined;
  if (fault === undefined) return text;
  const meant = [straightened(text), `${text}"`, `"${text}`, text.replace(/"\s*"/g, '"')].find(
    (each) => each !== text && each.length <= 80 && faultOf(each, hasEscapes) === undefined,
  );
  throw invalid(name, text, `${fault} Type ${name}: ${literal(meant ?? '"climate change"')}.`);
}

function faultOf(text: string, hasEscapes: boolean): string | undefined {
  const plain = hasEscapes ? text.replace(/\\./gs, "") : text;
  const parts = plain.split('"');
  const loose = parts.filter((_, at) => at % 2 === 0).join(" ");
  const opening = OPENING.exec(loose);
  const isSingle = opening !== null && CLOSING.test(loose.slice(opening.index));
  const [mark] = plain.match(TYPOGRAPHIC) ?? (isSingle ? opening : null) ?? WRAPPED.exec(loose.trim()) ?? [];
  if (mark !== undefined) return `Only straight double quotes make a phrase, not ${mark}.`;
  if (parts.length % 2 === 0) return "A quotation mark is not closed.";
  const isEmpty = parts.some((part, at) => at % 2 === 1 && part.trim() === "");
  return isEmpty ? "A phrase has no words." : undefined;
}

/** The text with straight double quotes. */
function straightened(text: string): string {
  const marks = text.replace(TYPOGRAPHIC, '"');
  const straight = (marks === text ? text.replace(SINGLE, '"') : marks).replace(/^"\s+/, '"');
  return straight.endsWith('"') ? `${straight.slice(0, -1).trimEnd()}"` : straight;
}

/** As a string literal. */
function literal(text: string): string {
  return text.includes("'") ? JSON.stringify(text) : `'${escaped(text)}'`;
}
