import { closeSync, fstatSync, ftruncateSync } from "node:fs";
import { crc32 } from "node:zlib";
import { type ArchiveError, FileError } from "../errors/index.js";
import { optionObject, wording } from "../errors/wording.js";
import { readBytes, writeBytes } from "../fs/fileBytes.js";
import { openPrivateFile } from "../fs/openPrivateFile.js";
import { toFileError } from "../fs/toFileError.js";
import { type Requester, replay, type ServiceResponse } from "../service/http/requester.js";
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
/** The length of nearly every line, and that of the longest one that is read. */
const LINE_BYTES = [2 ** 12, 2 ** 22] as const;
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
      if (first === undefined || first.end === size || resume === false || (isOurs && !isRecent)) this.#startOver(size);
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
    const at = this.#open ? this.#lines.get(key) : undefined;
    const response = at === undefined ? undefined : this.#responseAt(at);
    // The disk failed, so the request is repeated.
    if (response === undefined) this.#lines.delete(key);
    return response;
  }

  /** The last response, and its request as text; undefined if there is none. */
  last(): { readonly get: string; readonly response: ServiceResponse } | undefined {
    const [get, at] = [...this.#lines].reduce<readonly [string, number]>((a, b) => (b[1] > a[1] ? b : a), ["", -1]);
    const response = at < 0 ? undefined : this.#responseAt(at);
    return response && { get, response };
  }

  /**
   * Drops the responses that would make a resumed run fail like this one, and all after them. It requests them again.
   *
   * @param pages of the search that were accepted before it failed
   */
  dropFailed({ code }: ArchiveError, request: ArchiveRequest, pages: number): void {
    // In a circle the repeated pages are useless. The service may send other ones next time.
    const inCircle = code === "CURSOR_CIRCLES";
    if (!inCircle && !UNUSABLE.has(code)) return;
    const entries = [...this.#lines].sort(([, a], [, b]) => a - b);
    const first = entries.findIndex(([, start], at) => {
      const response = this.#responseAt(start);
      return response === undefined || (inCircle ? at >= pages : !leadsOn(response, request));
    });
    const [, end] = entries[first] ?? [];
    if (end === undefined) return;
    for (const [key] of entries.slice(first)) this.#lines.delete(key);
    this.#end = end;
    ftruncateSync(this.#file, end);
  }

  /** Appends a response. It is in the file when this returns. */
  add(path: string, query: Query, response: ServiceResponse): void {
    if (!this.#open) return;
    const { body } = response;
    const get = requestText(path, query);
    const line = lineOf({ ...membersOf(get, response), crc32: crc32(body) });
    const at = this.#end;
    this.#end += writeBytes(this.#file, [Buffer.from(line), body, NEWLINE], at);
    this.#lines.set(get, at);
  }

  /** Later calls of `add` do nothing: the system may have reused the file descriptor by then. */
  close(): void {
    if (this.#open) closeSync(this.#file);
    this.#open = false;
  }

  #startOver(size: number): void {
    // ext4 flushes a file that was truncated to nothing to the disk when it is closed.
    if (size > 0) ftruncateSync(this.#file, 0);
    const line = lineOf({ journal: "archive-frames", search: this.search });
    this.#end = writeBytes(this.#file, [Buffer.from(line)], 0);
  }

  /** @param latest timestamp after which a response is from the future */
  #resume(start: number, size: number, latest: string): void {
    this.#end = start;
    for (;;) {
      const { line, end = size } = this.#journaledAt(this.#end) ?? {};
      if (line === undefined || end >= size || line.sentAt > latest || line.receivedAt > latest) break;
      this.#lines.set(line.get, this.#end);
      this.#end = end + 1;
    }
    if (this.#end < size) ftruncateSync(this.#file, this.#end);
  }

  /** The response at a position; undefined if it is damaged. */
  #responseAt(at: number): ServiceResponse | undefined {
    const found = this.#journaledAt(at);
    if (found === undefined || found.end > this.#end) return undefined;
    const { line, end } = found;
    const body = readBytes(this.#file, end - line.bytes, line.bytes);
    return crc32(body) === line.crc32 ? responseOf(line, body) : undefined;
  }

  /** The line of a response at a position, and where its body ends; undefined if it is no such line. */
  #journaledAt(at: number): { line: JournaledResponse; end: number } | undefined {
    const found = this.#lineAt(at);
    const line = found && readLine(found.text, isJournaled);
    return line && found && { line, end: found.end + line.bytes };
  }

  /** The line at a position, and the position after it; undefined if the line is incomplete. */
  #lineAt(at: number): { text: string; end: number } | undefined {
    for (const length of LINE_BYTES) {
      const bytes = readBytes(this.#file, at, length);
      const newline = bytes.indexOf(NEWLINE);
      if (newline >= 0) return { text: bytes.toString("utf8", 0, newline), end: at + newline + 1 };
      if (bytes.length < length) break;
    }
    return undefined;
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
