import { closeSync, fstatSync, ftruncateSync } from "node:fs";
import { ArchiveError } from "../errors/index.js";
import { withFileErrors } from "../fs/fileErrors.js";
import { openPrivateFile } from "../fs/openPrivateFile.js";
import {
  markedResumed,
  type Query,
  type Requester,
  replay,
  type ServiceResponse,
  startedOverError,
} from "../service/http/requester.js";
import { type ArchiveRequest, requestText } from "../service/operations/request.js";
import { leadsOn } from "../service/paging/page.js";
import { escaped } from "../util/quoted.js";
import {
  append,
  type Entry,
  isJournalLine,
  type JournalHeader,
  type JournalLine,
  type RecordedResponse,
  readBody,
  readEntries,
  recorded,
  responseOf,
} from "./responseFile.js";

export type Search = Readonly<Record<string, unknown>>;

/** An older unfinished result is resumed only with `resume: true`. */
const MAX_AGE_MS = 24 * 60 * 60 * 1000;
/** Tolerated difference between the clocks of a user's machines. */
const CLOCK_SKEW_MS = 5 * 60 * 1000;
const UNUSABLE: ReadonlySet<string> = new Set(["BODY_NOT_JSON", "UNEXPECTED_BODY", "UNKNOWN_CURSOR"]);

/**
 * The responses to one search in order of arrival, in one file. Each is written before it is used, so that an interrupted run resumes
 * without repeating requests. The first line identifies the search.
 */
export class Journal {
  readonly #file: number;
  /** How often the search was restarted from its first page. */
  restarts = 0;
  /** By request, in order of arrival. */
  readonly #responses = new Map<string, Entry<RecordedResponse>>();
  #end = 0;
  #open = true;

  /** @param resume true: resume; false: start over; undefined: resume if less than a day old */
  constructor(
    readonly path: string,
    readonly search: Search,
    resume: boolean | undefined,
    now: number = Date.now(),
  ) {
    this.#file = openPrivateFile(path, "either");
    try {
      const { entries, end, size, rest } = readEntries(this.#file, isJournalLine);
      const [header, ...responses] = entries;
      const known = (header?.line as Partial<JournalHeader> | undefined)?.search;
      const isOurs = JSON.stringify(known) === JSON.stringify(search);
      const age = now - fstatSync(this.#file).mtimeMs;
      const isRecent = resume === true || (age <= MAX_AGE_MS && age >= -CLOCK_SKEW_MS);
      const isEmpty = responses.length === 0 && rest !== "damaged";
      if (isEmpty || resume === false || (isOurs && !isRecent)) this.#startOver(size);
      else if (isOurs) this.#resume(responses, end, size, new Date(now + CLOCK_SKEW_MS).toISOString());
      else throw otherSearch(path, known);
    } catch (error) {
      this.close();
      throw error;
    }
  }

  get pages(): number {
    return this.#responses.size;
  }

  /** The response to a request; undefined if there is none yet. */
  find(path: string, query: Query, restarts = 0): ServiceResponse | undefined {
    const key = requestText(path, query, restarts);
    const response = this.#read(this.#responses.get(key));
    // After a disk failure, repeat the request.
    if (response === undefined) this.#responses.delete(key);
    return response;
  }

  /** Drops the responses that would make a resumed run fail again, and all later ones. The resumed run requests them again. */
  dropFailed(error: ArchiveError, request: ArchiveRequest, pages: number): void {
    const entries = [...this.#responses.values()];
    const first = firstUnusable(entries, (entry) => this.#read(entry), error, request, pages);
    if (first < 0) return;
    for (const { line } of entries.slice(first)) this.#responses.delete(line.get);
    this.#truncate(entries[first]?.at as number);
  }

  /** Appends a response. It is in the file when this returns. */
  add(path: string, query: Query, response: ServiceResponse, restarts = 0): void {
    if (!this.#open) return;
    const { body } = response;
    const get = requestText(path, query, restarts);
    const line = recorded(get, response, body);
    const at = this.#end;
    const bodyAt = append(this.#file, at, line, body);
    this.#end = bodyAt + body.length;
    this.#keep({ line, at, bodyAt });
  }

  /** Later calls of `add` do nothing: the system may have reused the file descriptor. */
  close(): void {
    if (this.#open) closeSync(this.#file);
    this.#open = false;
  }

  #startOver(size: number): void {
    // ext4 flushes a file truncated to zero when it is closed, so do not truncate a new one.
    if (size > 0) ftruncateSync(this.#file, 0);
    this.#end = append(this.#file, 0, { journal: "archive-frames", search: this.search });
  }

  /** @param latest later responses are dated in the future */
  #resume(entries: ReadonlyArray<Entry<JournalLine>>, end: number, size: number, latest: string): void {
    this.#end = end;
    for (const { line, at, bodyAt } of entries) {
      if ("journal" in line || line.sentAt > latest || line.receivedAt > latest) {
        this.#end = at;
        break;
      }
      this.#keep({ line, at, bodyAt });
    }
    if (this.#end < size) this.#truncate(this.#end);
  }

  #keep(entry: Entry<RecordedResponse>): void {
    const { get } = entry.line;
    this.restarts = Math.max(this.restarts, Number(/#(\d+)$/.exec(get)?.[1] ?? 0));
    this.#responses.delete(get);
    this.#responses.set(get, entry);
  }

  #truncate(end: number): void {
    this.#end = end;
    ftruncateSync(this.#file, end);
  }

  #read(entry: Entry<RecordedResponse> | undefined): ServiceResponse | undefined {
    const body = entry && this.#open ? readBody(this.#file, entry) : undefined;
    return entry && body && responseOf(entry.line, body);
  }
}

/**
 * The index of the first response that would make a resumed run fail again; -1 if there is none.
 *
 * @param entries of a journal, in order of arrival
 * @param pages the pages before the failure
 */
export function firstUnusable<E>(
  entries: readonly E[],
  read: (entry: E) => ServiceResponse | undefined,
  { code }: ArchiveError,
  request: ArchiveRequest,
  pages: number,
): number {
  // Repeated pages of a circle are useless. The service may send others next time.
  const inCircle = code === "CURSOR_CIRCLES";
  if (!inCircle && !UNUSABLE.has(code)) return -1;
  return entries.findIndex((entry, at) => {
    const response = read(entry);
    return response === undefined || (inCircle ? at >= pages : !leadsOn(response, request));
  });
}

/** Replays responses from a journal and records new ones. A replayed response counts the requests that it originally cost. */
export function withJournal(requester: Requester, journal: Journal, path: string): Requester {
  return {
    async request(requestPath, query, context) {
      const restarts = context?.pagination?.restarts ?? 0;
      const recorded = context?.isFresh === true ? undefined : journal.find(requestPath, query, restarts);
      if (recorded !== undefined) return replay(recorded, context, () => recorded);
      if (restarts < journal.restarts) throw startedOverError(requestPath);
      const response = markedResumed(await requester.request(requestPath, query, context), context);
      withFileErrors(path, () => journal.add(requestPath, query, response, restarts));
      return response;
    },
  };
}

function otherSearch(path: string, search: Search | undefined): ArchiveError {
  const known = search === undefined ? "unreadable" : JSON.stringify(search);
  return new ArchiveError(`${path} contains an unfinished download of another search: ${escaped(known, 300)}.`, {
    code: "OTHER_SEARCH",
    hint: "Finish it with its own call, write to another path, or discard it with { resume: false }.",
    path,
  });
}
