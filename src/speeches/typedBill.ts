import { congressNumber } from "../util/congress.js";
import { readBillNumber } from "./judge/billKinds.js";

const ID = /^([^-/(]*\d) ?[-/(] ?(\d{2,3}(?:st|nd|rd|th)?)(?: congress)? ?\)?$/i;
/** The first Congress of which there are recordings. */
const MIN_CONGRESS = 93;

/**
 * Reads the id of a bill, which ends with its Congress.
 *
 * @returns undefined for anything else
 * @example
 * readBillId("hr5376-117");      //=> { number: "hr5376", congress: 117 }
 * readBillId("H.R. 5376 (117)"); //=> { number: "H.R. 5376", congress: 117 }
 */
export function readBillId(text: string): { readonly number: string; readonly congress: number } | undefined {
  const [, number = "", last = ""] = ID.exec(text.trim()) ?? [];
  const congress = congressNumber(last);
  if (congress === undefined || congress < MIN_CONGRESS || !readBillNumber(number)?.kinds.length) return undefined;
  return { number, congress };
}

/** "H.R. 5376: …", "H.R.5376 - …", "S. 5 — …" */
const NUMBER_FIRST = /^([\p{L}. ]{1,40}[\d,]*\d) ?(?::|[–—]|- ) ?(?=\S)/u;
/** "(IRA) …", "(H.R. 5376) …" */
const IN_BRACKETS_FIRST = /^\(([^()]{1,40})\) ?(?=\S)/;
/** "… (IRA)", "… (H.R. 5376)" */
const IN_BRACKETS_LAST = /\(([^()]{1,40})\)$/;
const ACRONYM = /^(?:\p{Lu}[.&-]?){2,12}s?$/u;

/**
 * Takes the number and the acronym off a title, as sites write them beside it: nobody says them together.
 *
 * @returns undefined if the title has neither
 * @example
 * readTitle("H.R. 5376: Inflation Reduction Act"); //=> { title: "Inflation Reduction Act", number: "H.R. 5376" }
 * readTitle("Inflation Reduction Act (IRA)");      //=> { title: "Inflation Reduction Act", number: undefined }
 */
export function readTitle(text: string): { readonly title: string; readonly number: string | undefined } | undefined {
  const typed = text.trim();
  const [before = "", first = ""] = NUMBER_FIRST.exec(typed) ?? IN_BRACKETS_FIRST.exec(typed) ?? [];
  const [behind = "", last = ""] = IN_BRACKETS_LAST.exec(typed) ?? [];
  const number = [first, last].find(isNumber)?.trim();
  const start = isNumber(first) || ACRONYM.test(first) ? before.length : 0;
  const end = isNumber(last) || ACRONYM.test(last) ? typed.length - behind.length : typed.length;
  const title = typed.slice(start, end).trim();
  return title === typed ? undefined : { title, number };
}

function isNumber(part: string): boolean {
  return (readBillNumber(part)?.kinds.length ?? 0) > 0;
}
