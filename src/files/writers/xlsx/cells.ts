import { dateText, parseExact, stringifyExact } from "../../../frames/exactJson.js";
import { pl } from "../../../frames/polars.js";
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

/** How the values of a dtype become cells. */
interface Conversion<T> {
  read(series: pl.Series): (T | null)[];
  // Written as methods, so that one table can hold conversions of all types.
  cell(value: T): Cell | LinkCell;
  /** The displayed width of a value, in characters. Default: the length of its text. */
  width?(value: T): number;
}

const DAY = 86_400_000;
/** Days from Excel's day 0 to 1970. */
const EPOCH = 25_569;
/** Earlier dates are off by one: Excel believes in 29 February 1900. */
const MIN_TIME = Date.UTC(1900, 2, 1);
const MAX_TIME = Date.UTC(10_000, 0, 1) - 1;
/** Excel rounds numbers to 15 digits. */
const MAX_EXACT = 999_999_999_999_999;
/** A link is clicked, not read. */
const LINK_WIDTH = 30;
const MIN_WIDTH = 8;
const MAX_WIDTH = 60;
/** Rows to measure. */
const SAMPLE_ROWS = 100;
/** Space for the filter button. */
const BUTTON_WIDTH = 3;

const toValues = <T>(series: pl.Series) => series.toArray() as unknown as (T | null)[];
const toTexts = (series: pl.Series) => toValues<string>(series.cast(pl.Utf8));
const numberCell = (value: number | bigint | string): Cell => `><v>${value}</v></c>`;

const text: Conversion<string> = {
  read: toValues,
  cell(value) {
    const cell = textCell(value);
    const plain = ` s="${STYLES.text}"${cell}`;
    return isAddress(value) ? { address: value, linked: ` s="${STYLES.link}"${cell}`, plain } : plain;
  },
  width(value) {
    if (isAddress(value)) return Math.min(value.length, LINK_WIDTH);
    return value.split("\n", SAMPLE_ROWS).reduce((widest, line) => Math.max(widest, line.length), 0);
  },
};
const integer: Conversion<number | bigint> = {
  read(series) {
    const values = toValues<number | bigint>(series);
    // polars rounds integers beyond 2^53, and never to a safe integer.
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
const duration: Conversion<string> = {
  read: (series) =>
    toValues<number>(series.cast(pl.Duration("us"))).map((value) => (value === null ? null : durationText(value))),
  cell: textCell,
};
/** As JSON, written by polars: toArray() would lose null structs and round large integers. */
const nested: Conversion<string> = {
  read(series) {
    const lines = String(pl.DataFrame([series.rename("v")]).writeJSON({ format: "lines" })).split("\n");
    return lines.slice(0, series.length).map((line) => {
      const { v } = parseExact(line) as { v: unknown };
      return v === null ? null : stringifyExact(v);
    });
  },
  cell: text.cell,
};

/** Dates; those outside the range of Excel become text: `formatIso` of their ISO 8601 form. */
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

/** Other dtypes are nested. */
const BY_DTYPE: ReadonlyArray<readonly [RegExp, Conversion<unknown>]> = [
  [/^(?:String|Utf8|Categorical|Time)$/, text],
  [/^U?Int/, integer],
  [/^Float/, float],
  [/^Bool$/, boolean],
  [/^Decimal$/, decimal],
  [/^Date$/, date],
  [/^Duration$/, duration],
];

function conversionOf({ dtype }: pl.Series): Conversion<unknown> {
  const { variant, inner } = dtype as unknown as { variant: string; inner?: unknown };
  const found = variant === "Datetime" ? (Array.isArray(inner) && inner[1] ? utc : naive) : undefined;
  return (found ?? BY_DTYPE.find(([pattern]) => pattern.test(variant))?.[1] ?? nested) as Conversion<unknown>;
}

/**
 * The cells of a column, by row. Dtypes without a counterpart in Excel become text, nested ones JSON text.
 *
 * @param onCut called for each text that does not fit into a cell
 */
export function cellsOf(series: pl.Series, onCut: () => void): (row: number) => Cell | LinkCell {
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
  // Readers strip white space at the ends, some of them more than XML defines.
  const space = /^[\s\0-\x20]|[\s\0-\x20]$/.test(shown) ? ' xml:space="preserve"' : "";
  return ` t="inlineStr"><is><t${space}>${xmlText(shown)}</t></is></c>`;
}

/** Whether a cell cannot hold the whole text. */
function isTooLong(text: string): boolean {
  return text.length > MAX_CELL_LENGTH && withLineFeeds(text).length > MAX_CELL_LENGTH;
}

function withLineFeeds(text: string): string {
  return text.includes("\r") ? text.replace(/\r\n?/g, "\n") : text;
}

/** Excel opens no longer addresses. */
const MAX_ADDRESS = 2079;

/** Only what RFC 3986 allows, because Excel calls a workbook with any other address damaged. No user names: they disguise the host. */
const ADDRESS =
  /^https?:\/\/[\w.:[\]-]+(?:[/?](?:[\w\-.~:/?[\]@!$&'()*+,;=]|%[\da-f]{2})*)?(?:#(?:[\w\-.~:/?@!$&'()*+,;=]|%[\da-f]{2})*)?$/i;

/** Whether a text is an http or https address that a cell can link to. */
function isAddress(text: string): boolean {
  return text.length <= MAX_ADDRESS && ADDRESS.test(text) && URL.canParse(text);
}

/**
 * A duration as hours, minutes and seconds.
 *
 * @example
 * durationText(93_784_500_000); //=> "26:03:04.5"
 */
function durationText(microseconds: number): string {
  const absolute = Math.abs(microseconds);
  const seconds = Math.floor(absolute / 1e6);
  const two = (part: number) => String(part % 60).padStart(2, "0");
  const clock = `${Math.floor(seconds / 3600)}:${two(Math.floor(seconds / 60))}:${two(seconds)}`;
  const fraction = String(absolute % 1e6)
    .padStart(6, "0")
    .replace(/0+$/, "");
  return `${microseconds < 0 ? "-" : ""}${clock}${fraction === "" ? "" : `.${fraction}`}`;
}
