import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Window } from "../corpus/definition/windows.js";
import type { Reading } from "../corpus/run/fetchWindow.js";
import { SharedShape, type WrittenRows, writeRows } from "../corpus/run/rowsFile.js";
import { isObject } from "../util/isObject.js";

/** What the first line of a packed window says: all of the reading but its rows, and the files that follow. */
interface Header extends Omit<Reading, "pages" | "files"> {
  readonly window: string;
  readonly round: number;
  readonly parts: ReadonlyArray<{
    readonly columns: WrittenRows["columns"];
    readonly bytes: number;
    readonly sha256: string;
  }>;
}

/**
 * Packs a window into one file for the storage: a line with what is known of it, then its rows as Parquet files.
 *
 * @param scratch a private directory for its rows
 */
export function packWindow(
  { key }: Window,
  round: number,
  { pages, files, ...rest }: Reading,
  scratch: string,
): Buffer {
  const all = pages.length === 0 ? files : [...files, writeRows(scratch, [pages], new SharedShape())];
  const contents = all.map(({ path }) => readFileSync(path));
  const parts = all.map(({ columns }, at) => {
    const content = contents[at] as Buffer;
    return { columns, bytes: content.length, sha256: sha256Of(content) };
  });
  const header: Header = { window: key, round, ...rest, parts };
  return Buffer.concat([Buffer.from(`${JSON.stringify(header)}\n`), ...contents]);
}

/**
 * Unpacks a window.
 *
 * @param scratch a private directory for its rows
 * @returns undefined if the file is missing, damaged, or of another window
 */
export function unpackWindow(
  packed: Buffer | undefined,
  { key }: Window,
  round: number,
  scratch: string,
): Reading | undefined {
  if (packed === undefined) return undefined;
  const end = packed.indexOf("\n");
  const header = parseHeader(packed.subarray(0, Math.max(end, 0)));
  if (header?.window !== key || header.round !== round) return undefined;
  const { window: _window, round: _round, parts, ...rest } = header;
  const files: WrittenRows[] = [];
  let at = end + 1;
  for (const { columns, bytes, sha256 } of parts) {
    const content = packed.subarray(at, at + bytes);
    at += bytes;
    if (sha256Of(content) !== sha256) return undefined;
    const path = join(scratch, `${sha256}-${at}.parquet`);
    writeFileSync(path, content, { mode: 0o600 });
    files.push({ path, columns });
  }
  return at === packed.length ? { ...rest, pages: [], files } : undefined;
}

const TYPES = new Set(["VARCHAR", "BIGINT", "DOUBLE", "BOOLEAN", "TIMESTAMP WITH TIME ZONE"]);

/** Somebody else may have written it. */
function parseHeader(bytes: Buffer): Header | undefined {
  try {
    const value: unknown = JSON.parse(bytes.toString());
    return isHeader(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isHeader(value: unknown): value is Header {
  if (!isObject(value) || !Array.isArray(value.parts)) return false;
  const { rows, pageCount, requests, repeatedIds, first, last, isConfirmed, ids, sha } = value;
  const isColumn = (one: unknown) => isObject(one) && typeof one.name === "string" && TYPES.has(String(one.type));
  const isPart = (one: unknown) =>
    isObject(one) && Array.isArray(one.columns) && one.columns.every(isColumn) && Number.isSafeInteger(one.bytes);
  return (
    [rows, pageCount, requests, repeatedIds].every((count) => Number.isSafeInteger(count) && Number(count) >= 0) &&
    [first, last].every((time) => typeof time === "string" && !Number.isNaN(Date.parse(time))) &&
    typeof isConfirmed === "boolean" &&
    [ids, sha].every((hash) => /^(?:[\da-f]{64})?$/.test(String(hash))) &&
    value.parts.every(isPart)
  );
}

function sha256Of(content: Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}
