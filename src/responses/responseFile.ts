import { fstatSync } from "node:fs";
import { crc32 } from "node:zlib";
import { readBytes, writeBytes } from "../fs/fileBytes.js";
import { LINE_END, type Line, lineOf, type RecordedResponse, readLine, type Unchecked } from "./line.js";

/** Bytes to read at once, and the maximum length of a line. */
const [CHUNK_BYTES, MAX_LINE_BYTES] = [2 ** 16, 2 ** 25];

/** A line of a file, its offset, and the offset of the body that follows it. */
export interface Entry<T> {
  readonly line: T;
  readonly at: number;
  readonly bodyAt: number;
}

/** The content of a file up to its end or the first damage. */
export interface ResponseFileContent<T> {
  readonly entries: ReadonlyArray<Entry<T>>;
  /** The end of the last complete entry. */
  readonly end: number;
  readonly size: number;
  /** The rest of the file: "torn" is an entry cut off when its process was killed. */
  readonly rest: "nothing" | "torn" | "damaged";
}

/** Reads the lines of a file, not the bodies between them. */
export function readEntries<T extends object>(
  file: number,
  isExpected: (content: Unchecked) => content is Unchecked & T,
): ResponseFileContent<T> {
  const { size } = fstatSync(file);
  const entries: Array<Entry<T>> = [];
  let chunk: Buffer = Buffer.alloc(0);
  let [chunkAt, end] = [0, 0];
  const newlineFrom = (at: number): number => {
    for (let length = CHUNK_BYTES; length <= MAX_LINE_BYTES; length *= 8) {
      const newline = chunk.indexOf("\n", at - chunkAt);
      if (at < chunkAt + chunk.length && newline >= 0) return newline;
      if (at >= chunkAt && chunkAt + chunk.length === size && at < size) break;
      [chunk, chunkAt] = [readBytes(file, at, length), at];
    }
    return -1;
  };
  while (end < size) {
    const newline = newlineFrom(end);
    const text = chunk.toString("utf8", end - chunkAt, newline < 0 ? undefined : newline);
    const line = newline < 0 ? undefined : readLine(text, isExpected);
    const isCut = newline < 0 && chunkAt + chunk.length === size && !LINE_END.test(text);
    if (line === undefined) return { entries, end, size, rest: isCut ? "torn" : "damaged" };
    const bodyAt = chunkAt + newline + 1;
    const { size: bodySize = 0 } = line as Partial<RecordedResponse>;
    if (bodyAt + bodySize > size) return { entries, end, size, rest: "torn" };
    entries.push({ line, at: end, bodyAt });
    end = bodyAt + bodySize;
  }
  return { entries, end, size, rest: "nothing" };
}

/** Reads the body after a line; undefined if it was changed. */
export function readBody(file: number, { line, bodyAt }: Omit<Entry<RecordedResponse>, "at">): Buffer | undefined {
  const body = readBytes(file, bodyAt, line.size);
  return body.length === line.size && crc32(body) === line.crc32 ? body : undefined;
}

/** Appends a line and its body. Both are in the file when this returns. */
export function append(file: number, end: number, line: Line, body: Buffer = Buffer.alloc(0)): number {
  const text = Buffer.from(lineOf(line));
  writeBytes(file, body.length > 0 ? [text, body] : [text], end);
  return end + text.length;
}
