import { cutText } from "./cutText.js";
import { CELL_LENGTH } from "./limits.js";
import { xmlText } from "./xmlText.js";

/** A cell from the end of its address on, as XML; empty where there is nothing to write. */
export type Cell = string;

const DAY = 86_400_000;
/** Days from Excel's day 0 to 1970. */
const EPOCH = 25_569;
/** Before, Excel counts a 29 February 1900 that never was. */
const FIRST_MOMENT = Date.UTC(1900, 2, 1);
const LAST_MOMENT = Date.UTC(10_000, 0, 1) - 1;
/** Excel keeps 15 digits of a number. */
const EXACT = 999_999_999_999_999;

/** Text, cut to what a cell holds. Line breaks are LF, as Excel has them: other programs show a CR as `_x000D_`. */
export function textCell(whole: string): Cell {
  const text = withLineFeeds(whole);
  const shown = text.length > CELL_LENGTH ? cutText(text, CELL_LENGTH) : text;
  const space = isSpace(shown.charCodeAt(0)) || isSpace(shown.charCodeAt(shown.length - 1));
  return ` t="inlineStr"><is><t${space ? ' xml:space="preserve"' : ""}>${xmlText(shown)}</t></is></c>`;
}

/** Whether a cell holds less than the whole text. */
export function isCut(text: string): boolean {
  return text.length > CELL_LENGTH && withLineFeeds(text).length > CELL_LENGTH;
}

function withLineFeeds(text: string): string {
  return text.includes("\r") ? text.replace(/\r\n?/g, "\n") : text;
}

/** Readers may strip space at the ends, some of them more than XML's own. */
function isSpace(unit: number): boolean {
  return unit <= 0x20 || (unit >= 0x85 && /\s/.test(String.fromCharCode(unit)));
}

/** A floating number; none for NaN. */
export function floatCell(value: number): Cell {
  if (Number.isFinite(value)) return numberCell(value);
  return Number.isNaN(value) ? "" : textCell(String(value));
}

/** A whole number, as text where Excel would round it. */
export function integerCell(value: number | bigint): Cell {
  return value <= EXACT && value >= -EXACT ? numberCell(value) : textCell(String(value));
}

/** A number in decimal notation, as text where Excel would round it. */
export function decimalCell(value: string): Cell {
  return value.replace(/\D/g, "").replace(/^0+/, "").length <= 15 ? numberCell(value) : textCell(value);
}

function numberCell(value: number | bigint | string): Cell {
  return `><v>${value}</v></c>`;
}

/** `true` or `false`. */
export function booleanCell(value: boolean): Cell {
  return ` t="b"><v>${value ? 1 : 0}</v></c>`;
}

/** A moment in a style of dates; where Excel has no such date, what `text` makes of it. None for an invalid one. */
export function dateCell(date: Date, style: number, text: (date: Date) => string): Cell {
  const time = date.getTime();
  if (Number.isNaN(time)) return "";
  if (time < FIRST_MOMENT || time > LAST_MOMENT) return textCell(text(date));
  return ` s="${style}"><v>${time / DAY + EPOCH}</v></c>`;
}
