import { closeSync, fstatSync, ftruncateSync, readSync, writevSync } from "node:fs";
import { crc32 } from "node:zlib";
import { FileError } from "../errors/index.js";
import { optionObject, wording } from "../errors/wording.js";
import { openPrivateFile } from "../fs/openPrivateFile.js";
import type { ServiceResponse } from "../service/http/requester.js";
import { requestText } from "../service/operations/request.js";
import { isObject } from "../util/isObject.js";
import { escaped } from "../util/quoted.js";
import { CLOCK_SKEW_MS, type JournalHeader, readJournalHeader } from "./journalHeader.js";

/** Identifies the search that a journal belongs to. */
export type Search = Readonly<Record<string, unknown>>;

type Query = ReadonlyArray<readonly [string, string]>;

/** An older unfinished harvest is resumed only with `resume: true`. */
const MAX_AGE_MS = 24 * 60 * 60 * 1000;
const FIRST_READ_BYTES = 4096;
/** Far longer than any line that we write. */
const MAX_LINE_BYTES = 2 ** 22;

/**
 * A file with the responses of the service in order of arrival. Each is written before it is used, so that an interrupted
 * harvest resumes here without repeating requests.
 *
 * The file begins with a line of JSON that identifies the search. For each response follow a line of JSON (the header) and
 * the body. A kill can truncate the last response only; it is cut off on the next run.
 */
export class Journal {
  readonly #file: number;
  /** Position of each header, by request. */
  readonly #headers = new Map<string, number>();
  readonly #now: number;
  #end = 0;
  #open = true;

  /**
   * @param resume true: resume what is there; false: start over; undefined: resume if it is less than a day old
   * @param now milliseconds since 1970. Responses from the future are not resumed
   * @throws FileError `OTHER_HARVEST` if the file belongs to another search, `UNSAFE_PATH` if it is not a file of ours
   */
  constructor(
    readonly path: string,
    readonly search: Search,
    resume: boolean | undefined,
    now: number = Date.now(),
  ) {
    this.#now = now;
    this.#file = openPrivateFile(path, "either");
    try {
      const { size, mtimeMs } = fstatSync(this.#file);
      const first = this.#lineAt(0);
      const known = first === undefined ? undefined : searchOf(first.text);
      const isOurs = known === JSON.stringify(search);
      const age = now - mtimeMs;
      const isRecent = resume === true || (age <= MAX_AGE_MS && age >= -CLOCK_SKEW_MS);
      if (first === undefined || first.end === size || resume === false || (isOurs && !isRecent)) this.#startOver();
      else if (isOurs) this.#resume(first.end, size);
      else throw otherHarvest(path, known);
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /** Number of responses. */
  get pages(): number {
    return this.#headers.size;
  }

  /** The response to a request; undefined if there is none yet. */
  find(path: string, query: Query): ServiceResponse | undefined {
    const key = requestText(path, query);
    const at = this.#headers.get(key);
    const response = at === undefined || !this.#open ? undefined : this.#responseAt(at);
    // The disk failed, so the request is repeated.
    if (response === undefined) this.#headers.delete(key);
    return response;
  }

  /** Drops the first response that is not good, and all after it. The next run repeats their requests. */
  keepWhile(isGood: (response: ServiceResponse) => boolean): void {
    const entries = [...this.#headers].sort(([, a], [, b]) => a - b);
    const first = entries.findIndex(([, at]) => {
      const response = this.#responseAt(at);
      return response === undefined || !isGood(response);
    });
    if (first < 0) return;
    for (const [key] of entries.slice(first)) this.#headers.delete(key);
    this.#end = (entries[first] as [string, number])[1];
    ftruncateSync(this.#file, this.#end);
  }

  /** The response at a position; undefined if it is damaged. */
  #responseAt(at: number): ServiceResponse | undefined {
    const line = this.#lineAt(at);
    const header = line && readJournalHeader(line.text, Number.POSITIVE_INFINITY);
    if (line === undefined || header === undefined || line.end + header.bytes > this.#end) return undefined;
    const body = Buffer.allocUnsafeSlow(header.bytes);
    this.#read(body, line.end);
    if (crc32(body) !== header.crc) return undefined;
    const { status, requests, retries, redactions } = header;
    const [sentAt, receivedAt] = [new Date(header.sentAt), new Date(header.receivedAt)];
    return { status, body, headers: {}, requests, retries, ...(redactions && { redactions }), sentAt, receivedAt };
  }

  /** Appends a response. It is in the file when this returns. */
  add(
    path: string,
    query: Query,
    { status, body, requests, retries, redactions, sentAt, receivedAt }: ServiceResponse,
  ): void {
    if (!this.#open) return;
    const key = requestText(path, query);
    const header: JournalHeader = {
      get: key,
      status,
      sentAt: sentAt.toISOString(),
      receivedAt: receivedAt.toISOString(),
      requests,
      retries,
      ...(redactions && { redactions }),
      bytes: body.length,
      crc: crc32(body),
    };
    const at = this.#end;
    this.#write([Buffer.from(`${JSON.stringify(header)}\n`), body, Buffer.from("\n")]);
    this.#headers.set(key, at);
  }

  /** Later calls of `add` do nothing: the system may have reused the file descriptor by then. */
  close(): void {
    if (this.#open) closeSync(this.#file);
    this.#open = false;
  }

  #startOver(): void {
    // ext4 flushes a file that was truncated to nothing to the disk when it is closed.
    if (fstatSync(this.#file).size > 0) ftruncateSync(this.#file, 0);
    this.#write([Buffer.from(`${JSON.stringify({ journal: "archive-frames", version: 1, search: this.search })}\n`)]);
  }

  #resume(start: number, size: number): void {
    let at = start;
    for (let line = this.#lineAt(at); line !== undefined; line = this.#lineAt(at)) {
      const header = readJournalHeader(line.text, this.#now);
      if (header === undefined) break;
      const next = line.end + header.bytes + 1;
      if (next > size) break;
      this.#headers.set(header.get, at);
      at = next;
    }
    if (at < size) ftruncateSync(this.#file, at);
    this.#end = at;
  }

  /** The line at a position, and the position after it; undefined if the line is incomplete. */
  #lineAt(at: number): { text: string; end: number } | undefined {
    for (let length = FIRST_READ_BYTES; length <= MAX_LINE_BYTES; length *= 4) {
      const bytes = Buffer.alloc(length);
      const count = this.#read(bytes, at);
      const newline = bytes.subarray(0, count).indexOf(0x0a);
      if (newline >= 0) return { text: bytes.toString("utf8", 0, newline), end: at + newline + 1 };
      if (count < length) return undefined;
    }
    return undefined;
  }

  #read(into: Buffer, at: number): number {
    let total = 0;
    while (total < into.length) {
      const count = readSync(this.#file, into, total, into.length - total, at + total);
      if (count === 0) break;
      total += count;
    }
    return total;
  }

  /** Appends all parts, usually in one write. */
  #write(parts: readonly Buffer[]): void {
    let at = this.#end;
    let rest = parts;
    while (rest.length > 0) {
      const written = writevSync(this.#file, rest, at);
      at += written;
      rest = skipBytes(rest, written);
    }
    this.#end = at;
  }
}

/** What remains of the parts after the first `count` bytes. */
function skipBytes(parts: readonly Buffer[], count: number): Buffer[] {
  let left = count;
  return parts.flatMap((part) => {
    const skipped = Math.min(left, part.length);
    left -= skipped;
    return skipped < part.length ? [part.subarray(skipped)] : [];
  });
}

/** The search in the first line, as JSON; undefined if the file is not a journal. */
function searchOf(line: string): string | undefined {
  try {
    const first: unknown = JSON.parse(line);
    return isObject(first) && first.journal === "archive-frames" ? JSON.stringify(first.search) : undefined;
  } catch {
    return undefined;
  }
}

function otherHarvest(path: string, known: string | undefined): FileError {
  return new FileError(
    `${path} contains an unfinished harvest of another search: ${escaped(known ?? "unreadable", 300)}.`,
    {
      code: "OTHER_HARVEST",
      hint: wording`Finish it with its own call, write to another path, or discard it with ${optionObject("resume", false)}.`,
      path,
    },
  );
}
