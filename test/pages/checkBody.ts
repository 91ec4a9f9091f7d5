import { isDeepStrictEqual } from "node:util";
import { expect } from "vitest";
import { FrameBuilder } from "../../src/frames/frameBuilder.js";
import { numberedColumns } from "../../src/frames/frameColumns.js";
import { pl } from "../../src/index.js";
import { rowText } from "../../src/pages/rows.js";
import { withScanner } from "../../src/pages/scanner.js";
import { NotScannable, type PageScan, scanPage } from "../../src/pages/scanPage.js";
import { COLUMNS } from "./bodies.js";
import { canonicalNumber, canonicalObject, type Json, JsonObject, parseByTheBook } from "./exactParser.js";
import { type ExpectedColumn, expectedFrame } from "./expectedFrame.js";

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
    const texts = rows.map((_row, at) => rowText(page, at));
    same(page.tape.rows, rows.length);
    same(
      texts,
      rows.map(({ text }) => text),
    );
    same(page.cursor, cursor);
    const ids = rows.map(expectedId);
    const found = rows.map((_row, at) => page.tape.id(at));
    same(
      found.map((id) => id === undefined),
      ids.map((id) => id === undefined),
    );
    const keys = rows.map(canonicalObject);
    for (let a = 1; a < rows.length; a++) {
      for (let b = 0; b < a; b++) {
        same(hashOf(page, a) === hashOf(page, b), keys[a] === keys[b], `rows ${a} and ${b} are equal`);
        same(found[a] === found[b], ids[a] === ids[b], `rows ${a} and ${b} have the same id`);
      }
    }
    this.builder.add(page);
    this.rows.push(...rows);
    return page.tape.isUniform ? "regular" : "irregular";
  }

  #scan(bytes: Buffer, garbage: number): PageScan | undefined {
    const shape = this.builder.shape;
    // Whatever is in memory beyond the body must not matter, and nothing but records may be written there.
    withScanner((scanner) => {
      scanner.useShape(shape);
      const end = scanner.start + 20 * bytes.length + 2 ** 14;
      scanner.reserve(end);
      scanner.bytes.fill(garbage, scanner.start, end);
    });
    try {
      return scanPage(bytes, "rows", shape);
    } catch (error) {
      if (error instanceof NotScannable) return undefined;
      throw error;
    }
  }

  /** Compares the frame of all rows so far, and begins again. */
  finish(exactly: boolean): void {
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
    const numbered = numberedColumns(frame);
    const rows = numbered.rows() as unknown[][];
    columns.forEach(({ type, values }, at) => {
      same(
        rows.map((row) => approximate(row[at], type)),
        values.map((value) => fromExpected(value, type)),
      );
      if (exactly && (type === "Int64" || type.startsWith("Datetime"))) compareExactly(numbered, at, { type, values });
    });
  }
}

function compareExactly(frame: pl.DataFrame, at: number, { values }: ExpectedColumn): void {
  same(frame.getColumn(`c${at}`).cast(pl.Int64).cast(pl.Utf8).toArray(), values);
}

/** A value as polars hands it to JavaScript: numbers beyond 2^53 are rounded, timestamps are cut to milliseconds. */
function approximate(value: unknown, type: string): unknown {
  if (value === null || value === undefined) return null;
  if (type === "List") return (value as unknown[]).length;
  return value instanceof Date ? value.getTime() : value;
}

function fromExpected(value: unknown, type: string): unknown {
  if (value === null) return null;
  if (type === "Int64") return Number(value);
  return type.startsWith("Datetime") ? Math.floor(Number(value) / 1000) : value;
}

function hashOf({ tape }: PageScan, row: number): string {
  return `${tape.hashHigh(row)} ${tape.hashLow(row)}`;
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
    const spelled = body.spelled[at] as string;
    if (typeof value === "number" || typeof value === "bigint") cursor = spelled.slice(spelled.lastIndexOf(":") + 1);
    else cursor = typeof value === "string" && value !== "" ? value : undefined;
  }
  return { rows, cursor };
}

function expectedId({ members, spelled, values }: JsonObject): string | undefined {
  const at = spelled.findLastIndex((member) => member.startsWith('"id":'));
  const value = members[at]?.[1];
  if (value === undefined || value === null || value === "") return undefined;
  if (typeof value === "string") return /^\d{1,15}$/.test(value) ? canonicalNumber(value) : value;
  return typeof value === "object" || typeof value === "boolean" ? values[at] : canonicalNumber(values[at] as string);
}

/** Much faster than `expect` where nothing differs. */
function same(actual: unknown, expected: unknown, what = "the scanner agrees with the oracle"): void {
  if (!isDeepStrictEqual(actual, expected)) expect(actual, what).toStrictEqual(expected);
}
