import { closeSync, fstatSync, ftruncateSync, readSync, writevSync } from "node:fs";
import { crc32 } from "node:zlib";
import { type ArchiveError, FileError } from "../errors/index.js";
import { optionObject, wording } from "../errors/wording.js";
import { openPrivateFile } from "../fs/openPrivateFile.js";
import { toFileError } from "../fs/toFileError.js";
import { replay } from "../service/http/replay.js";
import type { Requester, ServiceResponse } from "../service/http/requester.js";
import { type ArchiveRequest, requestText } from "../service/operations/request.js";
import { leadsOn } from "../service/paging/page.js";
import { escaped } from "../util/quoted.js";
import {
  isJournaled,
  isJournalHeader,
  type JournaledResponse,
  lineOf,
  membersOf,
  readLine,
  responseOf,
} from "./line.js";

/** Identifies the search that a journal belongs to. */
export type Search = Readonly<Record<string, unknown>>;

type Query = ReadonlyArray<readonly [string, string]>;

/** An older unfinished result is resumed only with `resume: true`. */
const MAX_AGE_MS = 24 * 60 * 60 * 1000;
/** Tolerated difference between the clocks of a user's machines. */
const CLOCK_SKEW_MS = 5 * 60 * 1000;
const FIRST_READ_BYTES = 4096;
/** Far longer than any line that we write. */
const MAX_LINE_BYTES = 2 ** 22;
/** Errors that are due to the content of a response. */
const UNUSABLE: ReadonlySet<string> = new Set(["BODY_NOT_JSON", "UNEXPECTED_BODY", "UNKNOWN_CURSOR"]);
const NEWLINE = Buffer.from("\n");

/**
 * The responses to one search in order of arrival, in one file. Each is written before it is used, so that an interrupted
 * run resumes here without repeating requests.
 *
 * The file begins with a line that identifies the search. For each response follow its line and its body as it was received.
 * A kill can cut off the last response only, which the next run removes.
 */
export class Journal {
  readonly #file: number;
  /** Position of each line, by request. */
  readonly #lines = new Map<string, number>();
  #end = 0;
  #open = true;

  /**
   * @param resume true: resume what is there; false: start over; undefined: resume if it is less than a day old
   * @param now milliseconds since 1970. Responses from the future are not resumed
   * @throws FileError `OTHER_SEARCH` if the file belongs to another search, `UNSAFE_PATH` if it is not a file of ours
   */
  constructor(
    readonly path: string,
    readonly search: Search,
    resume: boolean | undefined,
    now: number = Date.now(),
  ) {
    this.#file = openPrivateFile(path, "either");
    try {
      const { size, mtimeMs } = fstatSync(this.#file);
      const first = this.#lineAt(0);
      const header = first && readLine(first.text, isJournalHeader);
      const isOurs = header !== undefined && JSON.stringify(header.search) === JSON.stringify(search);
      const age = now - mtimeMs;
      const isRecent = resume === true || (age <= MAX_AGE_MS && age >= -CLOCK_SKEW_MS);
      if (first === undefined || first.end === size || resume === false || (isOurs && !isRecent)) this.#startOver();
      else if (isOurs) this.#resume(first.end, size, new Date(now + CLOCK_SKEW_MS).toISOString());
      else throw otherSearch(path, header?.search);
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /** Number of responses. */
  get pages(): number {
    return this.#lines.size;
  }

  /** The response to a request; undefined if there is none yet. */
  find(path: string, query: Query): ServiceResponse | undefined {
    const key = requestText(path, query);
    const at = this.#lines.get(key);
    const response = at === undefined || !this.#open ? undefined : this.#responseAt(at);
    // The disk failed, so the request is repeated.
    if (response === undefined) this.#lines.delete(key);
    return response;
  }

  /**
   * Drops the responses that would make a resumed run fail like this one. It requests them again.
   *
   * @param pages of the search that were accepted before it failed
   */
  dropFailed({ code }: ArchiveError, request: ArchiveRequest, pages: number): void {
    // In a circle the repeated pages are useless. The service may send other ones next time.
    if (code === "CURSOR_CIRCLES") this.#dropFrom((_response, at) => at >= pages);
    else if (UNUSABLE.has(code)) this.#dropFrom((response) => !leadsOn(response, request));
  }

  /** Drops the first response that is bad, and all after it. */
  #dropFrom(isBad: (response: ServiceResponse, at: number) => boolean): void {
    const entries = [...this.#lines].sort(([, a], [, b]) => a - b);
    const first = entries.findIndex(([, start], at) => {
      const response = this.#responseAt(start);
      return response === undefined || isBad(response, at);
    });
    if (first < 0) return;
    for (const [key] of entries.slice(first)) this.#lines.delete(key);
    this.#end = (entries[first] as [string, number])[1];
    ftruncateSync(this.#file, this.#end);
  }

  /** Appends a response. It is in the file when this returns. */
  add(path: string, query: Query, response: ServiceResponse): void {
    if (!this.#open) return;
    const { body } = response;
    const get = requestText(path, query);
    const at = this.#end;
    const line = lineOf({ get, ...membersOf(response), bytes: body.length, crc32: crc32(body) });
    this.#write([Buffer.from(line), body, NEWLINE]);
    this.#lines.set(get, at);
  }

  /** Later calls of `add` do nothing: the system may have reused the file descriptor by then. */
  close(): void {
    if (this.#open) closeSync(this.#file);
    this.#open = false;
  }

  #startOver(): void {
    // ext4 flushes a file that was truncated to nothing to the disk when it is closed.
    if (fstatSync(this.#file).size > 0) ftruncateSync(this.#file, 0);
    this.#write([Buffer.from(lineOf({ journal: "archive-frames", search: this.search }))]);
  }

  /** @param latest timestamp after which a response is from the future */
  #resume(start: number, size: number, latest: string): void {
    let at = start;
    for (;;) {
      const found = this.#journaledAt(at);
      if (found === undefined || found.end + 1 > size) break;
      const { get, sentAt, receivedAt } = found.line;
      if (sentAt > latest || receivedAt > latest) break;
      this.#lines.set(get, at);
      at = found.end + 1;
    }
    if (at < size) ftruncateSync(this.#file, at);
    this.#end = at;
  }

  /** The response at a position; undefined if it is damaged. */
  #responseAt(at: number): ServiceResponse | undefined {
    const found = this.#journaledAt(at);
    if (found === undefined || found.end > this.#end) return undefined;
    const body = Buffer.allocUnsafeSlow(found.line.bytes);
    this.#read(body, found.end - body.length);
    return crc32(body) === found.line.crc32 ? responseOf(found.line, body) : undefined;
  }

  /** The line of a response at a position, and where its body ends; undefined if it is no such line. */
  #journaledAt(at: number): { line: JournaledResponse; end: number } | undefined {
    const found = this.#lineAt(at);
    const line = found && readLine(found.text, isJournaled);
    return line && found && { line, end: found.end + line.bytes };
  }

  /** The line at a position, and the position after it; undefined if the line is incomplete. */
  #lineAt(at: number): { text: string; end: number } | undefined {
    for (let length = FIRST_READ_BYTES; length <= MAX_LINE_BYTES; length *= 4) {
      const bytes = Buffer.alloc(length);
      const count = this.#read(bytes, at);
      const newline = bytes.subarray(0, count).indexOf(NEWLINE);
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
    let rest = parts;
    let at = this.#end;
    while (rest.length > 0) {
      let written = writevSync(this.#file, rest, at);
      at += written;
      rest = rest.flatMap((part) => {
        const skipped = Math.min(written, part.length);
        written -= skipped;
        return skipped < part.length ? [part.subarray(skipped)] : [];
      });
    }
    this.#end = at;
  }
}

/**
 * Replays responses from a journal, and records new ones in it. A replayed response counts the requests that it cost when it
 * was recorded.
 *
 * @param path the target, for errors
 */
export function withJournal(requester: Requester, journal: Journal, path: string): Requester {
  return {
    async request(requestPath, query, context) {
      const recorded = journal.find(requestPath, query);
      if (recorded !== undefined) return replay(recorded, context, () => recorded);
      const response = await requester.request(requestPath, query, context);
      try {
        journal.add(requestPath, query, response);
      } catch (error) {
        throw toFileError(error, path);
      }
      return response;
    },
  };
}

function otherSearch(path: string, search: Search | undefined): FileError {
  const known = search === undefined ? "unreadable" : JSON.stringify(search);
  return new FileError(`${path} contains an unfinished download of another search: ${escaped(known, 300)}.`, {
    code: "OTHER_SEARCH",
    hint: wording`Finish it with its own call, write to another path, or discard it with ${optionObject("resume", false)}.`,
    path,
  });
}
