import { dateText, parseExact, stringifyExact } from "../../../frames/exactJson.js";
import { pl } from "../../../frames/polars.js";

export const STYLES = { header: 1, timestamp: 2, date: 3, text: 4 } as const;

/** Maximum length of text in a cell, in UTF-16 units. */
export const MAX_CELL_LENGTH = 32_767;

/** The XML of a cell after its address; empty for no cell. */
export type Cell = string;

interface Conversion<T> {
  read(series: pl.Series): (T | null)[];
  // Written as methods, so that one table can hold conversions of all types.
  cell(value: T): Cell;
  /** The displayed width of a value, in characters. Default: the length of its text. */
  width?(value: T): number;
}

const DAY = 86_400_000;
/** Days from Excel's day 0 to 1970. */
const EPOCH = 25_569;
/** Earlier dates are off by one, because Excel has a 29 February 1900. */
const MIN_TIME = Date.UTC(1900, 2, 1);
const MAX_TIME = Date.UTC(10_000, 0, 1) - 1;
/** Excel rounds numbers to 15 digits. */
const MAX_EXACT = 999_999_999_999_999;
const MIN_WIDTH = 8;
const MAX_WIDTH = 60;
const SAMPLE_ROWS = 100;
/** Space for the filter button. */
const BUTTON_WIDTH = 3;

const toValues = <T>(series: pl.Series) => series.toArray() as unknown as (T | null)[];
const toTexts = (series: pl.Series) => toValues<string>(series.cast(pl.Utf8));
const numberCell = (value: number | bigint | string): Cell => `><v>${value}</v></c>`;

const text: Conversion<string> = {
  read: toValues,
  cell: (value) => ` s="${STYLES.text}"${textCell(value)}`,
  width: (value) => value.split("\n", SAMPLE_ROWS).reduce((widest, line) => Math.max(widest, line.length), 0),
};
const integer: Conversion<number | bigint> = {
  read(series) {
    const values = toValues<number | bigint>(series);
    // polars rounds integers beyond 2^53, but never to a safe integer.
    const isExact = values.every((value) => typeof value !== "number" || Number.isSafeInteger(value));
    return isExact ? values : toTexts(series).map((value) => (value === null ? null : BigInt(value)));
  },
  cell: (value) => (value <= MAX_EXACT && value >= -MAX_EXACT ? numberCell(value) : textCell(String(value))),
};
const float: Conversion<number> = {
  read: toValues,
  cell(value) {
    if (Number.isFinite(value)) return numberCell(value);
    return Number.isNaN(value) ? "" : textCell(String(value));
  },
};
const boolean: Conversion<boolean> = { read: toValues, cell: (value) => ` t="b"><v>${value ? 1 : 0}</v></c>` };
const decimal: Conversion<string> = {
  read: toTexts,
  cell: (value) => (value.replace(/\D/g, "").replace(/^0+/, "").length <= 15 ? numberCell(value) : textCell(value)),
};
/** JSON written by polars: toArray() would lose null structs and round large integers. Durations become ISO 8601 text. */
const nested: Conversion<string> = {
  read(series) {
    const lines = String(pl.DataFrame([series.rename("v")]).writeJSON({ format: "lines" })).split("\n");
    return lines.slice(0, series.length).map((line) => {
      const { v } = parseExact(line) as { v: unknown };
      return typeof v === "string" || v === null ? v : (stringifyExact(v) ?? null);
    });
  },
  cell: text.cell,
};

/** Dates; those that Excel cannot represent become text: their ISO 8601 form, passed through `formatIso`. */
function dates(style: number, width: number, formatIso: (iso: string) => string): Conversion<Date> {
  return {
    read: toValues,
    cell(date) {
      const time = date.getTime();
      if (Number.isNaN(time)) return "";
      if (time < MIN_TIME || time > MAX_TIME) return textCell(formatIso(dateText(date) ?? ""));
      return ` s="${style}"><v>${time / DAY + EPOCH}</v></c>`;
    },
    width: () => width,
  };
}
const utc = dates(STYLES.timestamp, 19, (iso) => iso);
const naive = dates(STYLES.timestamp, 19, (iso) => iso.replace("Z", ""));
const date = dates(STYLES.date, 10, (iso) => iso.replace(/T.*/, ""));

const BY_DTYPE: ReadonlyArray<readonly [RegExp, Conversion<unknown>]> = [
  [/^(?:String|Utf8|Categorical|Time)$/, text],
  [/^U?Int/, integer],
  [/^Float/, float],
  [/^Bool$/, boolean],
  [/^Decimal$/, decimal],
  [/^Date$/, date],
];

function conversionOf({ dtype }: pl.Series): Conversion<unknown> {
  const { variant, inner } = dtype as unknown as { variant: string; inner?: unknown };
  const found = variant === "Datetime" ? (Array.isArray(inner) && inner[1] ? utc : naive) : undefined;
  return (found ?? BY_DTYPE.find(([pattern]) => pattern.test(variant))?.[1] ?? nested) as Conversion<unknown>;
}

/**
 * The cells of a column, by row. Dtypes that Excel does not have become text, nested ones JSON text.
 * @param onCut called for each text that does not fit into a cell
 */
export function cellsOf(series: pl.Series, onCut: () => void): (row: number) => Cell {
  const { read, cell } = conversionOf(series);
  const values = read(series);
  return (row) => {
    const value = values[row];
    if (value === null || value === undefined) return "";
    if (typeof value === "string" && isTooLong(value)) onCut();
    return cell(value);
  };
}

/** The width of a column in characters, from its name and its first values. */
export function columnWidth(series: pl.Series): number {
  const { read, width = (value: unknown) => String(value).length } = conversionOf(series);
  const values = read(series.slice(0, Math.min(SAMPLE_ROWS, series.length)));
  const widths = values.map((value) => (value === null ? 0 : width(value) + 1));
  return Math.min(Math.max(MIN_WIDTH, series.name.length + BUTTON_WIDTH, ...widths), MAX_WIDTH);
}

/** A text cell, truncated to the maximum length. Line breaks become LF, as in Excel; other programs show CR as `_x000D_`. */
export function textCell(fullText: string): Cell {
  const shown = truncateText(withLineFeeds(fullText), MAX_CELL_LENGTH);
  // Readers strip white space at the ends, some of them more than XML allows.
  const space = /^[\s\0-\x20]|[\s\0-\x20]$/.test(shown) ? ' xml:space="preserve"' : "";
  return ` t="inlineStr"><is><t${space}>${xmlText(shown)}</t></is></c>`;
}

function isTooLong(text: string): boolean {
  return text.length > MAX_CELL_LENGTH && withLineFeeds(text).length > MAX_CELL_LENGTH;
}

function withLineFeeds(text: string): string {
  return text.includes("\r") ? text.replace(/\r\n?/g, "\n") : text;
}

/** Control characters that XML does not allow, even escaped. Tab and line feed are allowed. */
const CONTROL = String.raw`\0-\x08\x0b-\x1f`;

// Escapes an underscore that readers would take for the start of an escaped character, also once its neighbours are escaped. With the u
// flag, the surrogate range matches only lone surrogates.
const SPECIAL = new RegExp(String.raw`[<>&${CONTROL}\ud800-\udfff\ufffe\uffff]|_(?=x[\dA-Fa-f]{4}[_${CONTROL}])`, "gu");

const ESCAPED: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", _: "_x005F_" };

/**
 * Escapes text for XML like Office: `_x000D_` for a control character, `_x005F_` for an underscore that begins such a sequence. Lone
 * surrogates and non-characters become U+FFFD.
 * @example
 * xmlText("R&D\r\n"); //=> "R&amp;D_x000D_\n"
 * xmlText("_x0041_"); //=> "_x005F_x0041_"
 */
export function xmlText(text: string): string {
  return text.replace(
    SPECIAL,
    (char) =>
      ESCAPED[char] ??
      (char > "\u001f" ? "\ufffd" : `_x${char.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}_`),
  );
}

/** The first `length` UTF-16 units of a text, or one less to avoid splitting a surrogate pair. */
function truncateText(text: string, length: number): string {
  if (text.length <= length) return text;
  const last = text.charCodeAt(length - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? length - 1 : length);
}
