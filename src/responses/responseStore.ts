import { randomBytes } from "node:crypto";
import { closeSync } from "node:fs";
import { join } from "node:path";
import { writeBytes } from "../fs/fileBytes.js";
import { openPrivateFile } from "../fs/openPrivateFile.js";
import { toFileError } from "../fs/toFileError.js";
import type { ServiceResponse } from "../service/http/requester.js";
import { VERSION } from "../util/version.js";
import { readBody, storeBody } from "./bodyFiles.js";
import { type IndexFile, readIndexes } from "./indexFile.js";
import {
  type IndexEntry,
  type IndexHeader,
  isIndexLine,
  isStoredResponse,
  lineOf,
  membersOf,
  type StoredResponse,
} from "./line.js";
import { Retrievals } from "./retrievals.js";
import { checkStoreDirectory, makeStoreDirectory, namedDirectory } from "./storeDirectory.js";

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
    for (const { responses } of this.indexes) for (const response of responses) this.retrievals.add(response);
    for (const { entries } of this.indexes)
      for (const entry of entries) if (!isStoredResponse(entry)) this.retrievals.add(entry);
  }

  now(): number {
    return this.options.now();
  }

  /** The days in UTC on which the first and the last response arrived; undefined if nothing is stored. */
  get days(): RecordedDays | undefined {
    const days = this.indexes.flatMap(({ responses }) => responses.map(({ receivedAt }) => receivedAt.slice(0, 10)));
    const [first] = days.sort();
    return first === undefined ? undefined : { first, last: days.at(-1) as string };
  }

  /** @throws SnapshotError `SNAPSHOT_DAMAGED` or `BODY_TOO_LARGE` */
  read(response: StoredResponse): Promise<Buffer> {
    return readBody(this.dir, response, this.options.maxBodyBytes);
  }

  /**
   * Stores the body of a response; `record` then adds the response.
   *
   * @throws FileError
   */
  async storeBody(get: string, retrieval: string, response: Omit<ServiceResponse, "headers">): Promise<StoredResponse> {
    return { retrieval, ...membersOf(get, response), ...(await storeBody(this.dir, response.body)) };
  }

  /**
   * Adds an entry to the index; it is on disk when this returns. After a kill or on a full disk only the last line can be incomplete;
   * after a full disk another index is started.
   *
   * @param own see `Retrievals.add`
   * @throws FileError
   */
  record(entry: IndexEntry, own = false): void {
    // A line that cannot be read back would make the whole snapshot unreadable.
    if (this.#closed || !isIndexLine({ ...entry })) return;
    this.#index ??= this.#createIndex();
    const index = this.#index;
    try {
      index.bytes += writeBytes(index.file, [Buffer.from(lineOf(entry))]);
    } catch (error) {
      this.#closeIndex();
      throw toFileError(error, index.path);
    }
    if (index.bytes >= ROTATE_INDEX_BYTES) this.#closeIndex();
    this.retrievals.add(entry, own);
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** Responses that arrive later are discarded. */
  close(): void {
    this.#closed = true;
    this.#closeIndex();
  }

  #closeIndex(): void {
    if (this.#index !== undefined) closeSync(this.#index.file);
    this.#index = undefined;
  }

  get #directories(): string[] {
    const dir = namedDirectory(this.dir);
    return [dir, join(dir, "index"), join(dir, "bodies")];
  }

  #createIndex(): { file: number; path: string; bytes: number } {
    const { service } = this.options;
    if (service === undefined) throw new Error("cannot write to a snapshot that was opened for reading");
    const begunAt = new Date(this.now()).toISOString();
    const name = `${begunAt.replace(/[-:]|\.\d+/g, "")}-${process.pid}-${randomBytes(4).toString("hex")}`;
    const path = join(this.dir, "index", `${name}.jsonl`);
    const { source, baseUrl } = service;
    const header: IndexHeader = { snapshot: "archive-frames", format: 3, version: VERSION, source, baseUrl, begunAt };
    try {
      this.#directories.forEach(makeStoreDirectory);
      const file = openPrivateFile(path, "create");
      return { file, path, bytes: writeBytes(file, [Buffer.from(lineOf(header))]) };
    } catch (error) {
      throw toFileError(error, path);
    }
  }
}
