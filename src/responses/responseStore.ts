import { randomBytes } from "node:crypto";
import { closeSync, writeSync } from "node:fs";
import { join } from "node:path";
import { openPrivateFile } from "../fs/openPrivateFile.js";
import { toFileError } from "../fs/toFileError.js";
import type { ServiceResponse } from "../service/http/requester.js";
import { VERSION } from "../util/version.js";
import { readBody, storeBody } from "./bodyFiles.js";
import { type IndexFile, readIndexes } from "./indexFile.js";
import {
  type AbandonedRequest,
  type IndexHeader,
  isIndexLine,
  lineOf,
  membersOf,
  type RetrievalPart,
  readLine,
  type StoredResponse,
} from "./line.js";
import { type Retrieval, Retrievals } from "./retrievals.js";
import { checkStoreDirectory, makeStoreDirectory, namedDirectory } from "./storeDirectory.js";

/** A response to store. */
export type NewResponse = Omit<ServiceResponse, "headers">;

const ALL = Number.POSITIVE_INFINITY;
/** Size at which a client starts another index. */
const ROTATE_INDEX_BYTES = 32 * 2 ** 20;

/** When responses were recorded, in days in UTC: yyyy-mm-dd. */
export interface RecordedDays {
  readonly first: string;
  readonly last: string;
}

/** Options of a store besides its directory. */
export interface StoreOptions {
  /** The service, for the index header; undefined if nothing will be stored. */
  readonly service: Pick<IndexHeader, "source" | "baseUrl"> | undefined;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Maximum size of a body that is read. */
  readonly maxBodyBytes: number;
}

/**
 * A directory of responses: compressed bodies exactly as they were received, each in a file named after its content, and an index of
 * JSON lines. It stores no request headers, and so no API key.
 */
export class ResponseStore {
  /** The header of the newest index; undefined if nothing is stored. */
  readonly newest: IndexHeader | undefined;
  /** The index of each client, as of when the snapshot was opened. */
  readonly indexes: readonly IndexFile[];
  readonly retrievals = new Retrievals();
  readonly #own = new Set<StoredResponse>();
  #closed = false;
  #index: { readonly file: number; readonly path: string; bytes: number } | undefined;

  /**
   * @throws SnapshotError `SNAPSHOT_DAMAGED` if an index was changed; FileError `UNSAFE_PATH` if responses would be stored in another
   * user's directory
   */
  constructor(
    readonly dir: string,
    readonly options: StoreOptions,
  ) {
    if (options.service !== undefined) this.#directories.forEach(checkStoreDirectory);
    this.indexes = readIndexes(dir);
    this.newest = this.indexes.at(-1)?.header;
    for (const [at, { responses }] of this.indexes.entries()) {
      for (const response of responses) this.retrievals.add(response, at);
    }
    for (const { abandoned, finished } of this.indexes) {
      for (const request of abandoned) this.retrievals.addAbandoned(request);
      for (const { finished: id, wanted, rows } of finished)
        this.retrievals.addFinished(id, wanted ?? ALL, rows ?? ALL);
    }
  }

  now(): number {
    return this.options.now();
  }

  /** The days in UTC, yyyy-mm-dd, on which the first and the last response arrived; undefined if nothing is stored. */
  get days(): RecordedDays | undefined {
    let days: { first: string; last: string } | undefined;
    for (const { receivedAt } of this.indexes.flatMap(({ responses }) => responses)) {
      const day = receivedAt.slice(0, 10);
      days ??= { first: day, last: day };
      if (day < days.first) days.first = day;
      if (day > days.last) days.last = day;
    }
    return days;
  }

  /** Whether this client stored a response. */
  isOwn(response: StoredResponse): boolean {
    return this.#own.has(response);
  }

  /** @throws SnapshotError `SNAPSHOT_DAMAGED` or `BODY_TOO_LARGE` */
  read(response: StoredResponse): Promise<Buffer> {
    return readBody(this.dir, response, this.options.maxBodyBytes);
  }

  /**
   * Stores a response; it is on disk when the promise resolves.
   *
   * @param of the retrieval that it belongs to; undefined for a lookup
   * @returns its retrieval; undefined for a lookup
   * @throws FileError
   */
  async add(get: string, response: NewResponse, of?: RetrievalPart): Promise<Retrieval | undefined> {
    const file = await storeBody(this.dir, response.body);
    if (this.#closed) return undefined;
    const stored: StoredResponse = { get, ...of, ...membersOf(response), ...file };
    const line = lineOf(stored);
    // A line that cannot be read back would make the whole snapshot unreadable.
    if (readLine(line.trimEnd(), isIndexLine) === undefined) return undefined;
    this.#write(line);
    this.#own.add(stored);
    return this.retrievals.add(stored, this.indexes.length, true);
  }

  /**
   * Records a request that was abandoned before its response arrived: a replay counts it as well.
   *
   * @throws FileError
   */
  recordAbandoned(get: string, requests: number, of?: RetrievalPart): void {
    if (this.#closed) return;
    const request: AbandonedRequest = { get, ...of, status: 0, requests, retries: Math.max(0, requests - 1) };
    this.#write(lineOf(request));
    this.retrievals.addAbandoned(request);
  }

  /**
   * Records a pagination that ended without an error.
   *
   * @param wanted rows that the pagination wanted; 0 for a single page, `Infinity` for all
   * @param rows rows received; `Infinity` if these are all rows of the search
   * @throws FileError
   */
  recordFinished(retrieval: string, wanted: number, rows: number): void {
    if (this.#closed) return;
    const orNull = (count: number) => (count === ALL ? null : count);
    this.#write(lineOf({ finished: retrieval, wanted: orNull(wanted), rows: orNull(rows) }));
    this.retrievals.addFinished(retrieval, wanted, rows);
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** Responses that arrive later are discarded. */
  close(): void {
    this.#closed = true;
    if (this.#index !== undefined) closeSync(this.#index.file);
    this.#index = undefined;
  }

  get #directories(): string[] {
    const dir = namedDirectory(this.dir);
    return [dir, join(dir, "index"), join(dir, "bodies")];
  }

  /** A kill or a full disk can cut off the last line only; after a full disk another index is started. */
  #write(line: string): void {
    this.#index ??= this.#createIndex();
    const index = this.#index;
    try {
      index.bytes += writeAll(index.file, line);
      if (index.bytes < ROTATE_INDEX_BYTES) return;
    } catch (error) {
      this.#index = undefined;
      closeSync(index.file);
      throw toFileError(error, index.path);
    }
    this.#index = undefined;
    closeSync(index.file);
  }

  #createIndex(): { file: number; path: string; bytes: number } {
    const { service } = this.options;
    if (service === undefined) throw new Error("cannot write to a snapshot that was opened for reading");
    const begunAt = new Date(this.now()).toISOString();
    const name = `${begunAt.replace(/[-:]|\.\d+/g, "")}-${process.pid}-${randomBytes(4).toString("hex")}`;
    const path = join(this.dir, "index", `${name}.jsonl`);
    const { source, baseUrl } = service;
    const header: IndexHeader = { snapshot: "archive-frames", format: 2, version: VERSION, source, baseUrl, begunAt };
    try {
      this.#directories.forEach(makeStoreDirectory);
      const file = openPrivateFile(path, "create");
      return { file, path, bytes: writeAll(file, lineOf(header)) };
    } catch (error) {
      throw toFileError(error, path);
    }
  }
}

function writeAll(file: number, text: string): number {
  const bytes = Buffer.from(text);
  for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done);
  return bytes.length;
}
