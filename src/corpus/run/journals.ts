import { closeSync, ftruncateSync, readdirSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import type { ArchiveError } from "../../errors/index.js";
import { writeBytes } from "../../fs/fileBytes.js";
import { withFileErrors } from "../../fs/fileErrors.js";
import { openPrivateFile } from "../../fs/openPrivateFile.js";
import { type Query, type Requester, replay, type ServiceResponse } from "../../service/http/requester.js";
import { type ArchiveRequest, requestText } from "../../service/operations/request.js";
import {
  firstUnusable,
  type JournalHeader,
  lineOf,
  type RecordedResponse,
  readBody,
  readEntries,
  recorded,
  responseOf,
} from "./journalFile.js";

const FILE = /^responses-(\d{1,9})$/;
const MAX_BYTES = 2 ** 25;

interface JournalFile {
  readonly path: string;
  readonly file: number;
  end: number;
  /** Its responses, also of windows that have landed. */
  responses: number;
  /** The windows with responses there. */
  readonly windows: Set<WindowJournal>;
}

interface Entry {
  readonly line: RecordedResponse;
  readonly bodyAt: number;
  readonly source: JournalFile;
}

/** A response, and its request as text. */
export interface Recorded {
  readonly get: string;
  readonly response: ServiceResponse;
}

/** The responses of windows that have not landed, in files that several windows share. A file goes when all of them have landed. */
export class Journals {
  readonly #files: JournalFile[] = [];
  readonly #windows = new Map<string, WindowJournal>();
  #last = 0;

  /**
   * Opens the journals of earlier runs, however old: a quota may last a day.
   *
   * @param work a private directory
   * @param asked what the run asks: responses to anything else are not used
   */
  constructor(
    readonly work: string,
    readonly asked: object,
  ) {
    const numberOf = (name: string) => Number(FILE.exec(name)?.[1] ?? 0);
    const names = readdirSync(work).filter((name) => FILE.test(name));
    for (const name of names.sort((a, b) => numberOf(a) - numberOf(b))) this.#load(join(work, name));
    this.#last = Math.max(0, ...names.map(numberOf));
  }

  #load(path: string): void {
    const file = openPrivateFile(path, "existing");
    const { entries, end, size } = readEntries(file);
    if (end < size) ftruncateSync(file, end);
    const responses = entries.filter(({ line }) => !("journal" in line)).length;
    const source: JournalFile = { path, file, end, responses, windows: new Set() };
    this.#files.push(source);
    let window: WindowJournal | undefined;
    for (const { line, bodyAt } of entries) {
      if ("journal" in line) {
        const { window: key, reading, kept, whole, ...asked } = (line as JournalHeader).search;
        const isSame = JSON.stringify(asked) === JSON.stringify(this.asked);
        window = isSame ? this.of(String(key), Number(reading)) : undefined;
        window?.restore(kept, whole);
      } else window?.keep({ line, bodyAt, source });
    }
  }

  /** The journal of a reading of a window, or of lookups. */
  of(key: string, reading = 1): WindowJournal {
    const name = `${key} ${reading}`;
    const journal = this.#windows.get(name) ?? new WindowJournal(this, key, reading);
    this.#windows.set(name, journal);
    return journal;
  }

  /** The number of responses in each file. */
  get counts(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#files.map(({ path, responses }) => [basename(path), responses]));
  }

  /** Whether a window was begun. */
  has(key: string): boolean {
    return (this.#windows.get(`${key} 1`)?.size ?? 0) > 0;
  }

  /** Appends a line about a window, and a response. They are in the file when this returns. */
  append(window: WindowJournal, more: object, response?: ServiceResponse, get = ""): void {
    const source = this.#newest();
    const { key, reading } = window;
    const about = { journal: "archive-frames" as const, search: { ...this.asked, window: key, reading, ...more } };
    const parts: Buffer[] = [Buffer.from(lineOf(about))];
    const line = response && recorded(get, response);
    if (line !== undefined) parts.push(Buffer.from(lineOf(line)), (response as ServiceResponse).body);
    const bytes = Buffer.concat(parts);
    withFileErrors(source.path, () => writeBytes(source.file, bytes, source.end));
    source.end += bytes.length;
    if (line !== undefined) {
      source.responses += 1;
      window.keep({ line, source, bodyAt: source.end - line.size });
    }
    source.windows.add(window);
  }

  #newest(): JournalFile {
    const newest = this.#files.at(-1);
    if (newest !== undefined && newest.end < MAX_BYTES) return newest;
    const path = join(this.work, `responses-${++this.#last}`);
    const file = openPrivateFile(path, "create");
    const source = { path, file, end: 0, responses: 0, windows: new Set<WindowJournal>() };
    this.#files.push(source);
    return source;
  }

  /** Forgets a window: it has landed, or nobody asks for it any more. */
  forget(key: string): void {
    for (let reading = 1; ; reading++) {
      const journal = this.#windows.get(`${key} ${reading}`);
      if (journal === undefined) break;
      this.#windows.delete(`${key} ${reading}`);
      for (const { windows } of this.#files) windows.delete(journal);
    }
    this.#removeEmpty();
  }

  /** Forgets all windows but some. */
  forgetOthers(keys: ReadonlySet<string>): void {
    for (const { key } of [...this.#windows.values()]) if (!keys.has(key)) this.forget(key);
    this.#removeEmpty();
  }

  #removeEmpty(): void {
    for (const source of this.#files.filter(({ windows }) => windows.size === 0)) {
      this.#files.splice(this.#files.indexOf(source), 1);
      closeSync(source.file);
      rmSync(source.path, { force: true });
    }
  }

  close(): void {
    for (const { file } of this.#files.splice(0)) closeSync(file);
  }
}

/** The responses to one reading of a window. */
export class WindowJournal {
  /** By request, in order of arrival. */
  readonly #responses = new Map<string, Entry>();
  /** Whether the reading has come to its end. */
  isWhole = false;

  constructor(
    readonly journals: Journals,
    readonly key: string,
    readonly reading: number,
  ) {}

  get size(): number {
    return this.#responses.size;
  }

  /** When its first response came: ISO 8601, UTC; undefined if there is none. */
  get begunAt(): string | undefined {
    return this.#responses.values().next().value?.line.receivedAt;
  }

  keep(entry: Entry): void {
    this.#responses.delete(entry.line.get);
    this.#responses.set(entry.line.get, entry);
    entry.source.windows.add(this);
  }

  restore(kept: unknown, whole: unknown): void {
    if (typeof kept === "number")
      for (const get of [...this.#responses.keys()].slice(kept)) this.#responses.delete(get);
    this.isWhole = whole === true;
  }

  /** Keeps the first responses only. */
  cut(kept: number): void {
    this.restore(kept, false);
    this.journals.append(this, { kept });
  }

  end(): void {
    if (!this.isWhole) this.journals.append(this, { whole: true });
    this.isWhole = true;
  }

  /** The last response, or one before it. */
  last(before = 0): Recorded | undefined {
    const get = [...this.#responses.keys()].at(-1 - before);
    const response = get === undefined ? undefined : this.#read(get);
    return get === undefined || response === undefined ? undefined : { get, response };
  }

  #read(get: string): ServiceResponse | undefined {
    const entry = this.#responses.get(get);
    const body = entry && readBody(entry.source.file, entry);
    // The disk failed, so the request is repeated.
    if (body === undefined) this.#responses.delete(get);
    return entry && body && responseOf(entry.line, body);
  }

  /** A requester that records responses here, and uses those that are there. They are not counted: an earlier run has sent them. */
  recording(requester: Requester): Requester {
    return {
      request: async (path, query: Query, context) => {
        const get = requestText(path, query);
        const known = this.#read(get);
        if (known !== undefined) return replay(known, { ...context, onReplay: undefined }, () => known);
        const response = await requester.request(path, query, context);
        this.journals.append(this, {}, response, get);
        return response;
      },
    };
  }

  /** Drops the responses that would make a resumed run fail like this one, and all after them. It requests them again. */
  dropFailed(error: ArchiveError, request: ArchiveRequest, pages: number): void {
    const first = firstUnusable([...this.#responses.keys()], (get) => this.#read(get), error, request, pages);
    if (first >= 0) this.cut(first);
  }
}
