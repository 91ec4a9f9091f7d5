import { randomBytes } from "node:crypto";
import { closeSync, openSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileFault } from "../disk/fileFault.js";
import { makeFolder } from "../disk/makeFolder.js";
import type { Cost, Reply } from "../service/http/asker.js";
import { VERSION } from "../service/version.js";
import { readBody, storeBody } from "./bodyFiles.js";
import { readIndexes } from "./indexFile.js";
import { type GivenUp, lineOf, type Retrieval, type StoredAnswer } from "./storedAnswer.js";

/** An answer that is to be stored. */
export type NewAnswer = Pick<Reply, "status" | "body" | "sentAt" | "receivedAt" | "redactions"> & Cost;

/**
 * The answers of a service in a folder: bodies exactly as they were received, compressed, each in a file called after its
 * content, and an index of them in lines of JSON. No header of a request is in it, and so no key.
 */
export class SnapshotStore {
  /** What the newest of the clients that stored something asked; undefined where nothing is stored. */
  readonly newest: Retrieval | undefined;
  readonly #answers = new Map<string, StoredAnswer>();
  readonly #givenUp = new Map<string, GivenUp>();
  readonly #own = new Set<string>();
  #closed = false;
  #index: { readonly file: number; readonly path: string } | undefined;

  /**
   * @param service what answers, for the index; undefined where nothing will be stored
   * @param now milliseconds since 1970
   * @throws SnapshotError `SNAPSHOT_DAMAGED` where an index was changed
   */
  constructor(
    readonly dir: string,
    readonly service: Pick<Retrieval, "source" | "baseUrl"> | undefined,
    readonly now: () => number,
  ) {
    const indexes = readIndexes(dir);
    this.newest = indexes.at(-1)?.retrieval;
    for (const answer of indexes.flatMap(({ answers }) => answers)) this.#keep(answer);
    for (const given of indexes.flatMap(({ givenUp }) => givenUp)) this.#givenUp.set(given.get, given);
  }

  /** What was asked, in the order in which it was stored; of one request the newest answer. */
  get answers(): readonly StoredAnswer[] {
    return [...this.#answers.values()];
  }

  find(get: string): StoredAnswer | undefined {
    return this.#answers.get(get);
  }

  /** What a request has cost that was given up before its answer came. */
  costOfGivenUp(get: string): Cost | undefined {
    return this.#givenUp.get(get);
  }

  /** Whether the answer to a request was stored by this client. */
  isOwn(get: string): boolean {
    return this.#own.has(get);
  }

  /** @throws SnapshotError `SNAPSHOT_DAMAGED` */
  read(answer: StoredAnswer): Promise<Buffer> {
    return readBody(this.dir, answer);
  }

  /**
   * Stores an answer; it is in the folder when this resolves.
   *
   * @throws FileError
   */
  async add(
    get: string,
    { status, body, sentAt, receivedAt, requests, retries, redactions }: NewAnswer,
  ): Promise<void> {
    const times = { sentAt: sentAt.toISOString(), receivedAt: receivedAt.toISOString() };
    const stored = await storeBody(this.dir, body);
    if (this.#closed) return;
    const answer: StoredAnswer = {
      get,
      status,
      ...times,
      requests,
      retries,
      ...(redactions && { redactions }),
      ...stored,
    };
    this.#write(lineOf(answer));
    this.#own.add(get);
    this.#keep(answer);
  }

  /**
   * Notes a request that was sent, and given up before its answer came: a replay counts it as well.
   *
   * @throws FileError
   */
  giveUp(get: string, requests: number): void {
    if (!this.#closed) this.#write(lineOf({ get, status: 0, requests, retries: requests - 1 }));
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

  #keep(answer: StoredAnswer): void {
    const known = this.#answers.get(answer.get);
    if (known === undefined || known.receivedAt <= answer.receivedAt) this.#answers.set(answer.get, answer);
  }

  /** A kill leaves a line whole, or the last one torn; so does a full disk, after which another index begins. */
  #write(line: string): void {
    this.#index ??= this.#begin();
    const { file, path } = this.#index;
    try {
      writeFileSync(file, line);
    } catch (error) {
      this.#index = undefined;
      closeSync(file);
      throw fileFault(error, path);
    }
  }

  #begin(): { file: number; path: string } {
    if (this.service === undefined) throw new Error("a snapshot that is only read");
    const begunAt = new Date(this.now()).toISOString();
    const name = `${begunAt.replace(/[-:]|\.\d+/g, "")}-${process.pid}-${randomBytes(4).toString("hex")}`;
    const path = join(this.dir, "index", `${name}.jsonl`);
    const { source, baseUrl } = this.service;
    const head: Retrieval = { snapshot: "archive-frames", format: 1, version: VERSION, source, baseUrl, begunAt };
    try {
      makeFolder(join(this.dir, "index"));
      const file = openSync(path, "wx");
      writeFileSync(file, lineOf(head));
      return { file, path };
    } catch (error) {
      throw fileFault(error, path);
    }
  }
}
