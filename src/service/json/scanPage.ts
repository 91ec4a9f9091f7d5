import {
  BACKSLASH,
  CLOSE_LIST,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  isOddString,
  NEWLINE,
  NotScannable,
  OPEN_LIST,
  OPEN_OBJECT,
  QUOTE,
  RETURN,
  scalarEnd,
  skipSpace,
  skipValue,
  stringEnd,
} from "./jsonBytes.js";
import { cursorRank } from "./metadata.js";
import { mayReportError, reportsError } from "./reportsError.js";
import { learnPattern, type RowPattern, rowPatterns } from "./rowPattern.js";
import type { MemberType, RowShape } from "./rowShape.js";

/** What one look over the bytes of a response finds, without building a value. */
export interface PageScan {
  /** Where the rows stand: start and end of row 0, start and end of row 1, … */
  readonly offsets: readonly number[];
  /** The `id` of each row as it stands on the wire: a number for whole numbers in either spelling, else text. */
  readonly ids: ReadonlyArray<number | string | undefined>;
  /** Every row has only members of the shape, once each, each of its kind or null: the bytes can become columns as they are. */
  readonly uniform: boolean;
  /** Where those rows begin that were only walked over, not matched as a whole: they may turn out not to be JSON. */
  readonly unverified: readonly number[];
  /** White space between or inside rows holds line breaks. */
  readonly hasNewlines: boolean;
  /** The continuation cursor, in whichever spelling. */
  readonly cursor: string | undefined;
  /** Whether the rows member is there. */
  readonly found: boolean;
  /** The member beside the rows that reports a failure. */
  readonly failure: string | undefined;
}

/**
 * Finds the rows and the cursor of a response in its bytes, and checks each row against a shape.
 *
 * @param rowsMember the member that holds the rows; `undefined` where the whole body is one row
 * @throws NotScannable where the body is not an object, or its rows are not a list of objects
 */
export function scanPage(bytes: Buffer, rowsMember: string | undefined, shape: RowShape): PageScan {
  const scan = new Scan(bytes, shape);
  scan.body(rowsMember);
  return scan;
}

const WINDOW = 2 ** 16;
/** Of more members a name is looked up, and not compared with each of them. */
const FEW_KEYS = 40;
/** A longer row may be read the slow way. */
const LONGEST_ROW = 2 ** 13;

class Scan implements PageScan {
  offsets: number[] = [];
  ids: Array<number | string | undefined> = [];
  unverified: number[] = [];
  uniform = true;
  cursor: string | undefined;
  found = false;
  failure: string | undefined;
  #cursorRank = 0;
  /** For each member of the shape the last row that had it, so that a member given twice is noticed. */
  readonly #seen: Int32Array;
  /** Which member of the shape stood in each place of the last row: rows nearly always keep one order. */
  readonly #order: number[] = [];
  #broken: boolean | undefined;
  /** So much of the bytes as text as is cheap to throw away, and where it begins. */
  #text = "";
  #textStart = 0;
  #careful: boolean | undefined;

  constructor(
    readonly bytes: Buffer,
    readonly shape: RowShape,
  ) {
    this.#seen = new Int32Array(shape.names.length).fill(-1);
  }

  get hasNewlines(): boolean {
    this.#broken ??= this.bytes.includes(NEWLINE) || this.bytes.includes(RETURN);
    return this.#broken;
  }

  /** Escapes and line breaks are rare; where there is one, strings are looked through byte by byte. */
  get #mustLook(): boolean {
    this.#careful ??= this.hasNewlines || this.bytes.includes("\\u");
    return this.#careful;
  }

  body(rowsMember: string | undefined): void {
    const { bytes } = this;
    const start = skipSpace(bytes, 0);
    let p: number;
    if (rowsMember === undefined) {
      this.found = true;
      p = this.#row(start);
    } else p = this.#envelope(start, rowsMember);
    if (skipSpace(bytes, p) < bytes.length) throw new NotScannable("something follows the body");
  }

  #envelope(start: number, rowsMember: string): number {
    const { bytes } = this;
    if (bytes[start] !== OPEN_OBJECT) throw new NotScannable("the body is not an object");
    let p = skipSpace(bytes, start + 1);
    if (bytes[p] === CLOSE_OBJECT) return p + 1;
    for (;;) {
      if (bytes[p] !== QUOTE) throw new NotScannable("a member has no name");
      const nameEnd = stringEnd(bytes, p + 1);
      const name = parsed(bytes, p, nameEnd + 1) as string;
      p = skipSpace(bytes, nameEnd + 1);
      if (bytes[p] !== COLON) throw new NotScannable("a member has no value");
      p = skipSpace(bytes, p + 1);
      if (name === rowsMember && bytes[p] === OPEN_LIST) p = this.#rows(p);
      else {
        const end = skipValue(bytes, p);
        this.#member(name, p, end);
        p = end;
      }
      p = skipSpace(bytes, p);
      if (bytes[p] === CLOSE_OBJECT) return p + 1;
      if (bytes[p] !== COMMA) throw new NotScannable("members are not parted by commas");
      p = skipSpace(bytes, p + 1);
    }
  }

  #member(name: string, start: number, end: number): void {
    if (mayReportError(name) && reportsError(name, parsed(this.bytes, start, end))) this.failure ??= name;
    const rank = cursorRank(name);
    if (rank === 0 || rank < this.#cursorRank) return;
    const value = parsed(this.bytes, start, end);
    // A number is sent as it stands on the wire: beyond 2^53 its value would be another one.
    if (typeof value === "number") this.cursor = this.bytes.toString("latin1", start, end);
    else this.cursor = typeof value === "string" && value !== "" ? value : undefined;
    this.#cursorRank = rank;
  }

  #rows(start: number): number {
    const { bytes } = this;
    // A rows member given twice: as in every parser the last one holds.
    this.found = true;
    this.offsets = [];
    this.ids = [];
    this.unverified = [];
    this.#seen.fill(-1);
    let p = skipSpace(bytes, start + 1);
    if (bytes[p] === CLOSE_LIST) return p + 1;
    for (;;) {
      p = this.#compactRows(p);
      p = skipSpace(bytes, this.#row(p));
      if (bytes[p] === CLOSE_LIST) return p + 1;
      if (bytes[p] !== COMMA) throw new NotScannable("rows are not parted by commas");
      p = skipSpace(bytes, p + 1);
    }
  }

  /** Passes over rows in a known layout, but for the last; gives the position of the first that is not passed. */
  #compactRows(start: number): number {
    const patterns = rowPatterns(this.shape);
    if (patterns.length === 0) return start;
    let text = this.#text;
    let p = start;
    let at = 0;
    for (let missed = 0; missed < patterns.length; ) {
      const { row, hasId } = patterns[at] as RowPattern;
      const windowEnd = this.#textStart + text.length;
      if (p + LONGEST_ROW > windowEnd && windowEnd < this.bytes.length) {
        this.#textStart = p;
        text = this.#text = this.bytes.toString("latin1", p, p + WINDOW);
      }
      row.lastIndex = p - this.#textStart;
      if (!row.test(text)) {
        at = (at + 1) % patterns.length;
        missed++;
        continue;
      }
      const end = this.#textStart + row.lastIndex;
      if (this.bytes[end] !== COMMA || this.bytes[end + 1] !== OPEN_OBJECT) return p;
      // In a row without nested values this can only be the name: inside text its quotes would be escaped.
      this.ids.push(
        hasId ? idAt(this.bytes, this.#textStart + text.indexOf('"id":', p - this.#textStart) + 5) : undefined,
      );
      this.offsets.push(p, end);
      p = end + 1;
      missed = 0;
    }
    return p;
  }

  #row(start: number): number {
    const { bytes, shape } = this;
    if (bytes[start] !== OPEN_OBJECT) throw new NotScannable("a row is not an object");
    const row = this.ids.length;
    this.ids.push(undefined);
    this.unverified.push(start);
    let p = skipSpace(bytes, start + 1);
    if (bytes[p] === CLOSE_OBJECT) {
      this.offsets.push(start, p + 1);
      return p + 1;
    }
    const before = this.uniform;
    this.uniform = true;
    let place = 0;
    for (; ; place++) {
      if (bytes[p] !== QUOTE) throw new NotScannable("a member has no name");
      const nameStart = ++p;
      const at = this.#nameAt(p, place);
      let nameEnd: number;
      if (at < 0) {
        nameEnd = stringEnd(bytes, p);
        this.uniform = false;
      } else {
        nameEnd = p + (shape.keys[at] as Uint8Array).length;
        if (this.#seen[at] === row) this.uniform = false;
        this.#seen[at] = row;
      }
      p = skipSpace(bytes, nameEnd + 1);
      if (bytes[p] !== COLON) throw new NotScannable("a member has no value");
      p = skipSpace(bytes, p + 1);
      const end = at < 0 ? skipValue(bytes, p) : this.#value(p, shape.types[at] as MemberType);
      if (isIdName(bytes, nameStart, nameEnd)) this.ids[row] = idOf(bytes, p, end);
      p = skipSpace(bytes, end);
      if (bytes[p] === CLOSE_OBJECT) break;
      if (bytes[p] !== COMMA) throw new NotScannable("members are not parted by commas");
      p = skipSpace(bytes, p + 1);
    }
    this.offsets.push(start, p + 1);
    if (this.uniform) learnPattern(shape, this.#order.slice(0, place + 1));
    this.uniform &&= before;
    return p + 1;
  }

  /** Which member of the shape is named at `p`; -1 where it is none. */
  #nameAt(p: number, place: number): number {
    const { bytes } = this;
    const { keys } = this.shape;
    const expected = this.#order[place];
    if (expected !== undefined && isName(bytes, p, keys[expected] as Uint8Array)) return expected;
    const at = keys.length > FEW_KEYS ? this.#lookUp(p) : keys.findIndex((key) => isName(bytes, p, key));
    if (at >= 0) this.#order[place] = at;
    return at;
  }

  #lookUp(p: number): number {
    const name = this.bytes.toString("latin1", p, stringEnd(this.bytes, p));
    return this.shape.index.get(name) ?? -1;
  }

  /** The end of a value; clears `plain` where it is not of its kind. */
  #value(p: number, kind: MemberType): number {
    const { bytes } = this;
    const first = bytes[p];
    if (first === QUOTE) {
      const end = stringEnd(bytes, p + 1);
      if (kind === "datetime") {
        if (!isInstant(bytes, p + 1, end)) this.uniform = false;
      } else if (kind !== "string" || (this.#mustLook && isOddString(bytes, p + 1, end))) this.uniform = false;
      return end + 1;
    }
    if (first === OPEN_OBJECT || first === OPEN_LIST) {
      this.uniform = false;
      return skipValue(bytes, p);
    }
    const end = scalarEnd(bytes, p);
    if (first === 0x6e) return end;
    if (first === 0x74 || first === 0x66) {
      if (kind !== "bool") this.uniform = false;
    } else if (kind === "int" ? !isWhole(bytes, p, end) : kind !== "float" || end - p > 15) this.uniform = false;
    return end;
  }
}

function parsed(bytes: Buffer, start: number, end: number): unknown {
  try {
    return JSON.parse(bytes.toString("utf8", start, end));
  } catch (error) {
    throw new NotScannable("a member cannot be parsed", { cause: error });
  }
}

function isName(bytes: Uint8Array, p: number, key: Uint8Array): boolean {
  const { length } = key;
  if (bytes[p + length] !== QUOTE) return false;
  for (let at = 0; at < length; at++) if (bytes[p + at] !== key[at]) return false;
  return true;
}

/** With every character escaped, `id` is this long. */
const LONGEST_ID_NAME = 12;

/** Whether a name is `id`, escaped or not. */
function isIdName(bytes: Buffer, start: number, end: number): boolean {
  if (end - start === 2) return bytes[start] === 0x69 && bytes[start + 1] === 0x64;
  if (end - start < 7 || end - start > LONGEST_ID_NAME || !bytes.subarray(start, end).includes(BACKSLASH)) return false;
  return parsed(bytes, start - 1, end + 1) === "id";
}

// Fifteen digits are exact in every number type that the value can meet on its way.
const SAFE_DIGITS = 15;

function isWhole(bytes: Uint8Array, start: number, end: number): boolean {
  let p = bytes[start] === 0x2d ? start + 1 : start;
  if (end - p > SAFE_DIGITS) return false;
  for (; p < end; p++) if (!isDigit(bytes[p])) return false;
  return true;
}

function isDigit(c: number | undefined): boolean {
  return c !== undefined && c >= 0x30 && c <= 0x39;
}

/** The id whose value begins at `p`. */
function idAt(bytes: Buffer, p: number): number | string | undefined {
  return idOf(bytes, p, bytes[p] === QUOTE ? stringEnd(bytes, p + 1) + 1 : scalarEnd(bytes, p));
}

/** A row's id: whole numbers as numbers, in either spelling, so that a set of many ids stays small. */
function idOf(bytes: Buffer, start: number, end: number): number | string | undefined {
  const quoted = bytes[start] === QUOTE;
  const from = quoted ? start + 1 : start;
  const to = quoted ? end - 1 : end;
  if (to === from || bytes[start] === 0x6e) return undefined;
  let value = 0;
  if (to - from <= SAFE_DIGITS && (bytes[from] !== 0x30 || to - from === 1)) {
    let p = from;
    for (; p < to && isDigit(bytes[p]); p++) value = value * 10 + (bytes[p] as number) - 0x30;
    if (p === to) return value;
  }
  return bytes.toString("utf8", start, end);
}

const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Whether the text is a moment as the service writes it, `2024-04-27T02:35:35Z`, on a day that exists. */
function isInstant(bytes: Uint8Array, p: number, end: number): boolean {
  if (end - p !== 20 || bytes[p + 19] !== 0x5a || bytes[p + 10] !== 0x54) return false;
  if (bytes[p + 4] !== 0x2d || bytes[p + 7] !== 0x2d || bytes[p + 13] !== 0x3a || bytes[p + 16] !== 0x3a) return false;
  const year = two(bytes, p) * 100 + two(bytes, p + 2);
  const month = two(bytes, p + 5);
  const day = two(bytes, p + 8);
  const leap = month === 2 && year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 1 : 0;
  return (
    year >= 1000 && // NaN, from anything but digits, fails every comparison
    day >= 1 &&
    day <= (DAYS[month - 1] ?? 0) + leap &&
    two(bytes, p + 11) < 24 &&
    two(bytes, p + 14) < 60 &&
    two(bytes, p + 17) < 60
  );
}

function two(bytes: Uint8Array, p: number): number {
  const tens = bytes[p] as number;
  const ones = bytes[p + 1] as number;
  return isDigit(tens) && isDigit(ones) ? (tens - 0x30) * 10 + ones - 0x30 : Number.NaN;
}
