import { randomBytes } from "node:crypto";
import { closeSync, writeSync } from "node:fs";
import { join } from "node:path";
import { openPrivateFile } from "../fs/openPrivateFile.js";
import { toFileError } from "../fs/toFileError.js";
import type { Cost, ServiceResponse } from "../service/http/requester.js";
import { VERSION } from "../util/version.js";
import { readBody, storeBody } from "./bodyFiles.js";
import type { Generation } from "./generation.js";
import { Generations } from "./generations.js";
import { type IndexFile, readIndexes } from "./indexFile.js";
import { type GenerationPart, type GivenUp, lineOf, type Retrieval, readLine, type StoredAnswer } from "./indexLine.js";
import { checkStoreDirectory, makeStoreDirectory, namedDirectory } from "./storeDirectory.js";

/** An answer that is to be stored. */
export type NewAnswer = Pick<ServiceResponse, "status" | "body" | "sentAt" | "receivedAt" | "redactions"> & Cost;

const ALL = Number.POSITIVE_INFINITY;
/** Bytes of an index after which a client begins another one. */
const FULL_INDEX_BYTES = 32 * 2 ** 20;

/** What a store needs to know besides its folder. */
export interface StoreOptions {
  /** What answers, for the index; undefined where nothing will be stored. */
  readonly service: Pick<Retrieval, "source" | "baseUrl"> | undefined;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** A larger body is not read. */
  readonly maxBodyBytes: number;
}

/**
 * The answers of a service in a folder: bodies exactly as they were received, compressed, each in a file called after its
 * content, and an index of them in lines of JSON. No header of a request is in it, and so no key.
 */
export class SnapshotStore {
  /** What the newest of the clients that stored something asked; undefined where nothing is stored. */
  readonly newest: Retrieval | undefined;
  /** What each client has stored, as it was when the snapshot was opened. */
  readonly indexes: readonly IndexFile[];
  readonly generations = new Generations();
  readonly #own = new Set<StoredAnswer>();
  #closed = false;
  #index: { readonly file: number; readonly path: string; bytes: number } | undefined;

  /**
   * @throws SnapshotError `SNAPSHOT_DAMAGED` where an index was changed; FileError `UNSAFE_PATH` where something is to be stored in a
   * folder of another user
   */
  constructor(
    readonly dir: string,
    readonly options: StoreOptions,
  ) {
    if (options.service !== undefined) this.#folders.forEach(checkStoreDirectory);
    this.indexes = readIndexes(dir);
    this.newest = this.indexes.at(-1)?.retrieval;
    for (const [at, { answers }] of this.indexes.entries()) {
      for (const answer of answers) this.generations.add(answer, at);
    }
    for (const { givenUp, finished } of this.indexes) {
      for (const given of givenUp) this.generations.giveUp(given);
      for (const { finished: id, wanted, rows } of finished) this.generations.finish(id, wanted ?? ALL, rows ?? ALL);
    }
  }

  now(): number {
    return this.options.now();
  }

  /** Whether an answer was stored by this client. */
  isOwn(answer: StoredAnswer): boolean {
    return this.#own.has(answer);
  }

  /** @throws SnapshotError `SNAPSHOT_DAMAGED` or `BODY_TOO_LARGE` */
  read(answer: StoredAnswer): Promise<Buffer> {
    return readBody(this.dir, answer, this.options.maxBodyBytes);
  }

  /**
   * Stores an answer; it is in the folder when this resolves.
   *
   * @param of what it belongs to; undefined for a look-up
   * @returns its generation
   * @throws FileError
   */
  async add(get: string, answer: NewAnswer, of?: GenerationPart): Promise<Generation | undefined> {
    const { status, body, sentAt, receivedAt, requests, retries, redactions } = answer;
    const times = { sentAt: sentAt.toISOString(), receivedAt: receivedAt.toISOString() };
    const file = await storeBody(this.dir, body);
    if (this.#closed) return undefined;
    const cost = { requests, retries, ...(redactions && { redactions }) };
    const stored: StoredAnswer = { get, ...of, status, ...times, ...cost, ...file };
    const line = lineOf(stored);
    // What could not be read again would damage the whole snapshot.
    if (readLine(line.trimEnd()) === undefined) return undefined;
    this.#write(line);
    this.#own.add(stored);
    return this.generations.add(stored, this.indexes.length, true);
  }

  /**
   * Notes a request that was sent, and given up before its answer came: a replay counts it as well.
   *
   * @throws FileError
   */
  giveUp(get: string, requests: number, of?: GenerationPart): void {
    if (this.#closed) return;
    const given: GivenUp = { get, ...of, status: 0, requests, retries: Math.max(0, requests - 1) };
    this.#write(lineOf(given));
    this.generations.giveUp(given);
  }

  /**
   * Notes that a walk has ended, and no error stopped it.
   *
   * @param wanted rows; 0 for a single page, `Infinity` for all
   * @param rows that came; `Infinity` where they are all there are
   * @throws FileError
   */
  finish(generation: string, wanted: number, rows: number): void {
    if (this.#closed) return;
    const orNull = (count: number) => (count === ALL ? null : count);
    this.#write(lineOf({ finished: generation, wanted: orNull(wanted), rows: orNull(rows) }));
    this.generations.finish(generation, wanted, rows);
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** What is stored afterwards is lost: whoever asks has gone. */
  close(): void {
    this.#closed = true;
    if (this.#index !== undefined) closeSync(this.#index.file);
    this.#index = undefined;
  }

  get #folders(): string[] {
    const dir = namedDirectory(this.dir);
    return [dir, join(dir, "index"), join(dir, "bodies")];
  }

  /** A kill leaves a line whole, or the last one torn; so does a full disk, after which another index begins. */
  #write(line: string): void {
    this.#index ??= this.#begin();
    const index = this.#index;
    try {
      index.bytes += writeAll(index.file, line);
      if (index.bytes < FULL_INDEX_BYTES) return;
    } catch (error) {
      this.#index = undefined;
      closeSync(index.file);
      throw toFileError(error, index.path);
    }
    this.#index = undefined;
    closeSync(index.file);
  }

  #begin(): { file: number; path: string; bytes: number } {
    const { service } = this.options;
    if (service === undefined) throw new Error("a snapshot that is only read");
    const begunAt = new Date(this.now()).toISOString();
    const name = `${begunAt.replace(/[-:]|\.\d+/g, "")}-${process.pid}-${randomBytes(4).toString("hex")}`;
    const path = join(this.dir, "index", `${name}.jsonl`);
    const { source, baseUrl } = service;
    const head: Retrieval = { snapshot: "archive-frames", format: 2, version: VERSION, source, baseUrl, begunAt };
    try {
      this.#folders.forEach(makeStoreDirectory);
      const file = openPrivateFile(path, "create");
      return { file, path, bytes: writeAll(file, lineOf(head)) };
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
