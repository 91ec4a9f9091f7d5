import { STYLES } from "./parts.js";
import { truncateText, xmlText } from "./xmlText.js";

/** Maximum length of the text of a cell, in UTF-16 units. */
export const MAX_CELL_LENGTH = 32_767;

/** The XML of a cell after its address; an empty string for no cell. */
export type Cell = string;

/** A cell that links to an address. */
export interface LinkCell {
  readonly address: string;
  /** With the style of a link. */
  readonly linked: Cell;
  /** For a sheet with too many links. */
  readonly plain: Cell;
}

const DAY = 86_400_000;
/** Days from Excel's day 0 to 1970. */
const EPOCH = 25_569;
/** Earlier dates are off by one: Excel believes in 29 February 1900. */
const MIN_TIME = Date.UTC(1900, 2, 1);
const MAX_TIME = Date.UTC(10_000, 0, 1) - 1;
/** Excel rounds numbers to 15 digits. */
const MAX_EXACT = 999_999_999_999_999;

/** A text cell, truncated to the maximum length. Line breaks become LF, as in Excel; other programs show CR as `_x000D_`. */
export function textCell(fullText: string): Cell {
  const text = withLineFeeds(fullText);
  const shown = text.length > MAX_CELL_LENGTH ? truncateText(text, MAX_CELL_LENGTH) : text;
  const space = isSpace(shown.charCodeAt(0)) || isSpace(shown.charCodeAt(shown.length - 1));
  return ` t="inlineStr"><is><t${space ? ' xml:space="preserve"' : ""}>${xmlText(shown)}</t></is></c>`;
}

/** A cell of a text column: wrapped, or a link if the text is an address. */
export function wrappedCell(text: string): Cell | LinkCell {
  const cell = textCell(text);
  const plain = ` s="${STYLES.text}"${cell}`;
  return isAddress(text) ? { address: text, linked: ` s="${STYLES.link}"${cell}`, plain } : plain;
}

/** Whether a cell cannot hold the whole text. */
export function isTooLong(text: string): boolean {
  return text.length > MAX_CELL_LENGTH && withLineFeeds(text).length > MAX_CELL_LENGTH;
}

function withLineFeeds(text: string): string {
  return text.includes("\r") ? text.replace(/\r\n?/g, "\n") : text;
}

/** Readers strip white space at the ends, some of them more than XML defines. */
function isSpace(unit: number): boolean {
  return unit <= 0x20 || (unit >= 0x85 && /\s/.test(String.fromCharCode(unit)));
}

/** A floating-point number; no cell for NaN. */
export function floatCell(value: number): Cell {
  if (Number.isFinite(value)) return numberCell(value);
  return Number.isNaN(value) ? "" : textCell(String(value));
}

/** An integer; as text if Excel would round it. */
export function integerCell(value: number | bigint): Cell {
  return value <= MAX_EXACT && value >= -MAX_EXACT ? numberCell(value) : textCell(String(value));
}

/** A number in decimal notation; as text if Excel would round it. */
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

/** A date or timestamp with a style; as `text(date)` outside the range of Excel. No cell for an invalid date. */
export function dateCell(date: Date, style: number, text: (date: Date) => string): Cell {
  const time = date.getTime();
  if (Number.isNaN(time)) return "";
  if (time < MIN_TIME || time > MAX_TIME) return textCell(text(date));
  return ` s="${style}"><v>${time / DAY + EPOCH}</v></c>`;
}

/** Excel opens no longer addresses. */
const MAX_ADDRESS = 2079;

/** Only what RFC 3986 allows, because Excel calls a workbook with any other address damaged. No user names: they disguise the host. */
const ADDRESS =
  /^https?:\/\/[\w.:[\]-]+(?:[/?](?:[\w\-.~:/?[\]@!$&'()*+,;=]|%[\da-f]{2})*)?(?:#(?:[\w\-.~:/?@!$&'()*+,;=]|%[\da-f]{2})*)?$/i;

/**
 * Whether a text is an http or https address that a cell can link to.
 *
 * @example
 * isAddress("https://archive.example/details/a?start=60"); //=> true
 * isAddress("javascript:alert(1)");                        //=> false
 */
export function isAddress(text: string): boolean {
  return text.length <= MAX_ADDRESS && ADDRESS.test(text) && URL.canParse(text);
}
