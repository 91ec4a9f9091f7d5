import { isDeepStrictEqual } from "node:util";
import { expect } from "vitest";
import { numberedColumns } from "../../src/frames/frameColumns.js";
import { pl } from "../../src/index.js";
import { withScanner } from "../../src/pages/scanner.js";
import { FrameBuilder, NotScannable, type PageScan, rowText, scanPage } from "../frames/pages.js";
import { COLUMNS } from "./bodies.js";
import { type Json, JsonObject, parseByTheBook } from "./exactParser.js";

/** What became of a body. `regular`: all of its rows went the fast way. */
export type Outcome = "refused" | "regular" | "irregular";

/** Reads bodies one after another into one frame, and compares each step with the oracle. */
export class BodyChecker {
  builder = new FrameBuilder(COLUMNS);
  rows: JsonObject[] = [];

  /** @param garbage the byte that fills the memory beyond what the scanner is given */
  check(bytes: Buffer, garbage: number): Outcome {
    const expected = expectedRows(bytes);
    const page = this.#scan(bytes, garbage);
    if (expected === undefined || page === undefined) {
      same(page === undefined, expected === undefined, "refused by only one of scanner and oracle");
      return "refused";
    }
    const { rows, cursor } = expected;
    const texts = rows.map(({ text }) => text);
    same(page.records.rows, rows.length);
    same(
      [...rows.keys()].map((at) => rowText(page, at)),
      texts,
    );
    same(page.cursor, cursor);
    const ids = rows.map(expectedId);
    const found = [...page.records.ids()];
    same(
      found.map((id) => id < 0),
      ids.map((id) => id === undefined),
    );
    const keys = rows.map(({ canonical }) => canonical);
    for (let a = 1; a < rows.length; a++) {
      for (let b = 0; b < a; b++) {
        same(hashOf(page, a) === hashOf(page, b), keys[a] === keys[b], `rows ${a} and ${b} are equal`);
        same(found[a] === found[b], ids[a] === ids[b], `rows ${a} and ${b} have the same id`);
      }
    }
    this.builder.add(page);
    this.rows.push(...rows);
    return page.records.isUniform ? "regular" : "irregular";
  }

  #scan(bytes: Buffer, garbage: number): PageScan | undefined {
    const schema = this.builder.schema;
    // Whatever is in memory beyond the body must not matter, and nothing but records may be written there.
    withScanner((scanner) => {
      scanner.useSchema(schema);
      const end = scanner.start + 20 * bytes.length + 2 ** 14;
      scanner.reserve(end);
      scanner.bytes.fill(garbage, scanner.start, end);
    });
    try {
      return scanPage(bytes, "rows", schema);
    } catch (error) {
      if (error instanceof NotScannable) return undefined;
      throw error;
    }
  }

  /** Compares the frame of all rows so far, and begins again. */
  finish(): void {
    const frame = this.builder.take();
    const expected = expectedFrame(this.rows, COLUMNS);
    this.builder = new FrameBuilder(COLUMNS);
    this.rows = [];
    same(frame.columns, [...expected.keys()]);
    const columns = [...expected.values()];
    const dtypes = frame.dtypes.map((dtype) => String(dtype).replace(/^DataType\((.*)\)$/s, "$1"));
    same(
      dtypes.map((dtype) => (dtype.startsWith("List") ? "List" : dtype)),
      columns.map(({ type }) => type),
    );
    const exact = columns.flatMap(({ type }, at) => (/^(?:Int64|Datetime)/.test(type) ? [`c${at}`] : []));
    // JavaScript would round long integers, and cut timestamps to milliseconds.
    const rows = numberedColumns(frame).withColumns(pl.col(exact).cast(pl.Int64).cast(pl.Utf8)).rows() as unknown[][];
    columns.forEach(({ type, values }, at) => {
      const found = rows.map((row) => row[at] ?? null);
      same(type === "List" ? found.map((value) => (value as unknown[] | null)?.length ?? null) : found, values);
    });
  }
}

function hashOf({ records }: PageScan, row: number): string {
  return `${records.hashHigh(row)} ${records.hashesLow()[row]}`;
}

/** The rows and the cursor of a body; undefined if it is not a page. */
function expectedRows(bytes: Buffer): { rows: JsonObject[]; cursor: string | undefined } | undefined {
  const text = bytes.toString();
  let body: Json | undefined;
  try {
    body = parseByTheBook(text);
  } catch {
    body = undefined;
  }
  let isJson = true;
  try {
    JSON.parse(text);
  } catch {
    isJson = false;
  }
  same(isJson, body !== undefined, "the oracle agrees with JSON.parse");
  if (!(body instanceof JsonObject)) return undefined;
  let rows: JsonObject[] = [];
  let cursor: string | undefined;
  let rank = 0;
  for (const [at, [name, value]] of body.members.entries()) {
    if (name === "rows" && Array.isArray(value)) {
      if (!value.every((row) => row instanceof JsonObject)) return undefined;
      rows = value as JsonObject[];
      continue;
    }
    const own =
      ["cursor", "continuation", "continuationtoken", "nextcursor"].indexOf(name.toLowerCase().replace(/[_-]/g, "")) +
      1;
    if (own === 0 || own < rank) continue;
    rank = own;
    if (typeof value === "number" || typeof value === "bigint") cursor = body.values[at];
    else cursor = typeof value === "string" && value !== "" ? value : undefined;
  }
  return { rows, cursor };
}

function expectedId({ names, values }: JsonObject): string | undefined {
  const spelled = values[names.lastIndexOf('"id"')]?.replace(/^"|"$/g, "");
  return spelled === "" || spelled === "null" ? undefined : spelled;
}

/** Much faster than `expect` where nothing differs. */
function same(actual: unknown, expected: unknown, what = "the scanner agrees with the oracle"): void {
  if (!isDeepStrictEqual(actual, expected)) expect(actual, what).toStrictEqual(expected);
}

// The rules of columns and their types, in plain words of code, for rows of any form. Written for the tests of the page scanner.

type Declared = Readonly<Record<string, string>>;
type Kind = "int" | "long" | "huge" | "float" | "bool" | "text" | "datetime" | "list";

/** A column: its name, its type, and its values as they are compared. */
interface ExpectedColumn {
  readonly type: string;
  readonly values: unknown[];
}

/** The frame that rows should become: columns in order. */
function expectedFrame(rows: readonly JsonObject[], declared: Declared): Map<string, ExpectedColumn> {
  const cells = new Map<string, Map<number, Json>>(Object.keys(declared).map((name) => [name, new Map()]));
  const types = new Map(Object.entries(declared));
  rows.forEach((row, at) => {
    for (const [member, value] of row.entries) {
      const name = member.isWellFormed() ? member : JSON.stringify(member);
      if (!cells.has(name)) cells.set(name, new Map());
      if (value !== null) cells.get(name)?.set(at, value);
    }
  });
  return new Map(
    [...cells].map(([name, values]) => [
      name,
      expectedColumn(
        [...rows.keys()].map((at) => values.get(at)),
        types.get(name),
      ),
    ]),
  );
}

function expectedColumn(values: ReadonlyArray<Json | undefined>, declared: string | undefined): ExpectedColumn {
  const kinds = new Set<Kind>();
  const known = values.map((value) => {
    const kind = value === undefined ? undefined : kindOf(value, declared);
    if (kind !== undefined) kinds.add(kind);
    return kind === undefined ? null : (value as Json);
  });
  if (declared !== undefined) kinds.add(declared === "string" ? "text" : (declared as Kind));
  const type = typeOf(kinds);
  return { type, values: known.map((value) => (value === null ? null : cellOf(value, type))) };
}

function kindOf(value: Json, declared: string | undefined): Kind | undefined {
  if (typeof value === "bigint") {
    if (value >= 2n ** 63n || value < -(2n ** 63n)) return "huge";
    return value > 2n ** 53n - 1n || value < 1n - 2n ** 53n ? "long" : "int";
  }
  if (typeof value === "number") {
    if (Math.abs(value) === Number.POSITIVE_INFINITY) return "huge";
    return Number.isSafeInteger(value) ? "int" : "float";
  }
  if (typeof value === "boolean") return "bool";
  if (Array.isArray(value)) return "list";
  if (value instanceof JsonObject) return "text";
  if (value === "" && declared !== undefined && declared !== "string") return undefined;
  return declared === "datetime" && microseconds(value as string) !== undefined ? "datetime" : "text";
}

function typeOf(kinds: ReadonlySet<Kind>): string {
  const only = (...allowed: Kind[]) => kinds.size > 0 && [...kinds].every((kind) => allowed.includes(kind));
  if (only("int", "long")) return "Int64";
  if (only("int", "float")) return "Float64";
  if (only("bool")) return "Bool";
  if (only("datetime")) return "Datetime(us,UTC)";
  return only("list") ? "List" : "String";
}

/** A value in its column, in the form in which columns are compared. */
function cellOf(value: Json, type: string): unknown {
  if (type === "Int64") return String(typeof value === "bigint" ? value : (value as number) + 0);
  if (type === "Float64") return Number(value) + 0;
  if (type === "Bool") return value;
  if (type === "Datetime(us,UTC)") return String(microseconds(value as string));
  if (type === "List") return (value as Json[]).length;
  return typeof value === "string" ? wellFormed(value) : typeof value === "number" ? String(value) : writeJson(value);
}

/** Lone surrogates cannot be written as UTF-8. */
function wellFormed(text: string): string {
  return Buffer.from(text).toString();
}

function writeJson(value: Json): string {
  if (typeof value === "bigint") return String(value);
  if (Array.isArray(value)) return `[${value.map(writeJson).join(",")}]`;
  if (value instanceof JsonObject)
    return `{${[...value.entries].map(([name, item]) => `${JSON.stringify(name)}:${writeJson(item)}`).join(",")}}`;
  if (typeof value === "string") return JSON.stringify(wellFormed(value));
  return JSON.stringify(value);
}

/** Microseconds since 1970 of a timestamp that a column of them accepts. */
function microseconds(text: string): bigint | undefined {
  const match =
    /^(\d{4})-(\d\d)-(\d\d)(?:T(\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,6})0*)?)?(?:Z|([+-])(\d\d):?(\d\d))?)?$/.exec(text);
  if (match === null) return undefined;
  const [, y, mo, d, h = "0", mi = "0", s = "0", fraction = "", sign, oh = "0", om = "0"] = match;
  const part = (value: string | undefined) => Number(value);
  const isLeapYear = part(y) % 4 === 0 && (part(y) % 100 !== 0 || part(y) % 400 === 0);
  const days = [31, isLeapYear ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
  if (part(mo) < 1 || part(mo) > 12 || part(d) < 1 || part(d) > (days[part(mo) - 1] as number)) return undefined;
  if (part(h) > 23 || part(mi) > 59 || part(s) > 59 || part(oh) > 23 || part(om) > 59) return undefined;
  const date = new Date(0);
  date.setUTCFullYear(part(y), part(mo) - 1, part(d));
  date.setUTCHours(part(h), part(mi), part(s));
  const offset = (sign === "-" ? -1 : 1) * (part(oh) * 60 + part(om)) * 60_000;
  return BigInt(date.getTime() - (sign === undefined ? 0 : offset)) * 1000n + BigInt(fraction.padEnd(6, "0"));
}
