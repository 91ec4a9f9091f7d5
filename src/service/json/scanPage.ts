import {
  BACKSLASH,
  CLOSE_LIST,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  isName,
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
import { idAt, idOf, isInteger, isTimestamp } from "./scalarBytes.js";

/** What one pass over the bytes of a response finds, without building values. */
export interface PageScan {
  /** The offsets of the rows: start and end of row 0, start and end of row 1, … */
  readonly offsets: readonly number[];
  /** The `id` of each row: a number for integers, quoted or not; otherwise a string as spelled on the wire. */
  readonly ids: ReadonlyArray<number | string | undefined>;
  /** Whether every row has only members of the shape, without repetition, each of its type or null: no parser is needed. */
  readonly uniform: boolean;
  /** The start offsets of rows that did not match a known layout as a whole. They may turn out not to be JSON. */
  readonly unverified: readonly number[];
  /** Whether the white space may contain line breaks. */
  readonly hasNewlines: boolean;
  /** The cursor of the next page, under any of its names. */
  readonly cursor: string | undefined;
  /** Whether the body has the rows member. */
  readonly found: boolean;
  /** The name of the member that reports a failure. */
  readonly failure: string | undefined;
}

/**
 * Finds the rows and the cursor of a response in its bytes, and checks each row against a shape.
 *
 * @param rowsMember the member that holds the rows; `undefined` if the whole body is one row
 * @throws NotScannable if the body is not an object, or its rows are not a list of objects
 */
export function scanPage(bytes: Buffer, rowsMember: string | undefined, shape: RowShape): PageScan {
  const scan = new Scan(bytes, shape);
  scan.body(rowsMember);
  return scan;
}

/** Bytes that are decoded as text at a time. */
const WINDOW = 2 ** 16;
/** Up to this many members, a name is compared to each of them. Beyond, it is looked up in the index. */
const MAX_COMPARED_KEYS = 40;
/** Longer rows may miss the fast path. */
const MAX_FAST_ROW = 2 ** 13;

class Scan implements PageScan {
  offsets: number[] = [];
  ids: Array<number | string | undefined> = [];
  unverified: number[] = [];
  uniform = true;
  cursor: string | undefined;
  found = false;
  failure: string | undefined;
  #cursorRank = 0;
  /** For each member of the shape, the last row that had it. Detects repeated members. */
  readonly #seen: Int32Array;
  /** The member of the shape at each position of the last row. Rows nearly always have the same order. */
  readonly #order: number[] = [];
  #hasNewlines: boolean | undefined;
  /** A window of the bytes as text, and its start. */
  #text = "";
  #textStart = 0;
  #mayHaveOddStrings: boolean | undefined;

  constructor(
    readonly bytes: Buffer,
    readonly shape: RowShape,
  ) {
    this.#seen = new Int32Array(shape.names.length).fill(-1);
  }

  get hasNewlines(): boolean {
    this.#hasNewlines ??= this.bytes.includes(NEWLINE) || this.bytes.includes(RETURN);
    return this.#hasNewlines;
  }

  /** Escapes and line breaks are rare. Only if a page has one are its strings checked byte by byte. */
  get #checksStrings(): boolean {
    this.#mayHaveOddStrings ??= this.hasNewlines || this.bytes.includes("\\u");
    return this.#mayHaveOddStrings;
  }

  body(rowsMember: string | undefined): void {
    const { bytes } = this;
    const start = skipSpace(bytes, 0);
    let p: number;
    if (rowsMember === undefined) {
      this.found = true;
      p = this.#row(start);
    } else p = this.#envelope(start, rowsMember);
    if (skipSpace(bytes, p) < bytes.length) throw new NotScannable("there is more text after the body");
  }

  #envelope(start: number, rowsMember: string): number {
    const { bytes } = this;
    if (bytes[start] !== OPEN_OBJECT) throw new NotScannable("the body is not an object");
    let p = skipSpace(bytes, start + 1);
    if (bytes[p] === CLOSE_OBJECT) return p + 1;
    for (;;) {
      if (bytes[p] !== QUOTE) throw new NotScannable("a member has no name");
      const nameEnd = stringEnd(bytes, p + 1);
      const name = parse(bytes, p, nameEnd + 1) as string;
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
      if (bytes[p] !== COMMA) throw new NotScannable("members are not separated by commas");
      p = skipSpace(bytes, p + 1);
    }
  }

  #member(name: string, start: number, end: number): void {
    if (mayReportError(name) && reportsError(name, parse(this.bytes, start, end))) this.failure ??= name;
    const rank = cursorRank(name);
    if (rank === 0 || rank < this.#cursorRank) return;
    const value = parse(this.bytes, start, end);
    // A number is returned as spelled on the wire: beyond 2^53 its value would change.
    if (typeof value === "number") this.cursor = this.bytes.toString("latin1", start, end);
    else this.cursor = typeof value === "string" && value !== "" ? value : undefined;
    this.#cursorRank = rank;
  }

  #rows(start: number): number {
    const { bytes } = this;
    // If the rows member is repeated, the last one wins, as in every parser.
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
      if (bytes[p] !== COMMA) throw new NotScannable("rows are not separated by commas");
      p = skipSpace(bytes, p + 1);
    }
  }

  /** Skips rows in a known layout, except for the last row. Returns the position of the first row not skipped. */
  #compactRows(start: number): number {
    const patterns = rowPatterns(this.shape);
    if (patterns.length === 0) return start;
    let text = this.#text;
    let p = start;
    let at = 0;
    for (let misses = 0; misses < patterns.length; ) {
      const { row, hasId } = patterns[at] as RowPattern;
      const windowEnd = this.#textStart + text.length;
      if (p + MAX_FAST_ROW > windowEnd && windowEnd < this.bytes.length) {
        this.#textStart = p;
        text = this.#text = this.bytes.toString("latin1", p, p + WINDOW);
      }
      row.lastIndex = p - this.#textStart;
      if (!row.test(text)) {
        at = (at + 1) % patterns.length;
        misses++;
        continue;
      }
      const end = this.#textStart + row.lastIndex;
      if (this.bytes[end] !== COMMA || this.bytes[end + 1] !== OPEN_OBJECT) return p;
      // Without nested values this can only be the member name: inside a string the quotes would be escaped.
      this.ids.push(
        hasId ? idAt(this.bytes, this.#textStart + text.indexOf('"id":', p - this.#textStart) + 5) : undefined,
      );
      this.offsets.push(p, end);
      p = end + 1;
      misses = 0;
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
    const wasUniform = this.uniform;
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
      if (bytes[p] !== COMMA) throw new NotScannable("members are not separated by commas");
      p = skipSpace(bytes, p + 1);
    }
    this.offsets.push(start, p + 1);
    if (this.uniform) learnPattern(shape, this.#order.slice(0, place + 1));
    this.uniform &&= wasUniform;
    return p + 1;
  }

  /** The index of the member named at `p` in the shape; -1 if it is not in the shape. */
  #nameAt(p: number, place: number): number {
    const { bytes } = this;
    const { keys } = this.shape;
    const expected = this.#order[place];
    if (expected !== undefined && isName(bytes, p, keys[expected] as Uint8Array)) return expected;
    const at = keys.length > MAX_COMPARED_KEYS ? this.#lookup(p) : keys.findIndex((key) => isName(bytes, p, key));
    if (at >= 0) this.#order[place] = at;
    return at;
  }

  #lookup(p: number): number {
    const name = this.bytes.toString("latin1", p, stringEnd(this.bytes, p));
    return this.shape.index.get(name) ?? -1;
  }

  /** The end of a value. Clears `uniform` if the value does not have its type. */
  #value(p: number, type: MemberType): number {
    const { bytes } = this;
    const first = bytes[p];
    if (first === QUOTE) {
      const end = stringEnd(bytes, p + 1);
      if (type === "datetime") {
        if (!isTimestamp(bytes, p + 1, end)) this.uniform = false;
      } else if (type !== "string" || (this.#checksStrings && isOddString(bytes, p + 1, end))) this.uniform = false;
      return end + 1;
    }
    if (first === OPEN_OBJECT || first === OPEN_LIST) {
      this.uniform = false;
      return skipValue(bytes, p);
    }
    const end = scalarEnd(bytes, p);
    if (first === 0x6e) return end;
    if (first === 0x74 || first === 0x66) {
      if (type !== "bool") this.uniform = false;
    } else if (type === "int" ? !isInteger(bytes, p, end) : type !== "float" || end - p > 15) this.uniform = false;
    return end;
  }
}

function parse(bytes: Buffer, start: number, end: number): unknown {
  try {
    return JSON.parse(bytes.toString("utf8", start, end));
  } catch (error) {
    throw new NotScannable("a member cannot be parsed", { cause: error });
  }
}

/** The length of `id` with both characters escaped. */
const MAX_ID_NAME = 12;

/** Whether a name is `id`, escaped or not. */
function isIdName(bytes: Buffer, start: number, end: number): boolean {
  if (end - start === 2) return bytes[start] === 0x69 && bytes[start + 1] === 0x64;
  if (end - start < 7 || end - start > MAX_ID_NAME || !bytes.subarray(start, end).includes(BACKSLASH)) return false;
  return parse(bytes, start - 1, end + 1) === "id";
}
