import { closeSync, fstatSync, ftruncateSync, readSync, writeSync } from "node:fs";
import { crc32 } from "node:zlib";
import { FileError } from "../errors/index.js";
import { openPrivateFile } from "../fs/openPrivateFile.js";
import type { ServiceResponse } from "../service/http/requester.js";
import { requestText } from "../service/operations/request.js";
import { isObject } from "../util/isObject.js";
import { escaped } from "../util/quoted.js";
import { CLOCK_SKEW_MS, type JournalHead, readJournalHead } from "./journalHead.js";

/** What a journal is of: another search has another one. */
export type Search = Readonly<Record<string, unknown>>;

type Query = ReadonlyArray<readonly [string, string]>;

/** An unfinished harvest that is older is gone on with only where that is asked for. */
const FRESH_MS = 24 * 60 * 60 * 1000;
const HEAD_BYTES = 4096;
/** No line of ours comes near it. */
const MAX_LINE_BYTES = 2 ** 22;

/**
 * The answers of the service in a file, in the order in which they came, each written before anybody sees it: a harvest
 * that stops goes on from here, without asking again.
 *
 * The file is a line of JSON that says what it is of, then for each answer a line of JSON and the body. A kill can tear the
 * last answer only; it is cut off.
 */
export class Journal {
  readonly #file: number;
  /** Where the head of each answer stands. */
  readonly #heads = new Map<string, number>();
  readonly #now: number;
  #end = 0;
  #open = true;

  /**
   * @param resume true: go on with what is there; false: begin anew; undefined: go on where it is less than a day old
   * @param now milliseconds since 1970: what is of a later time is not gone on with
   * @throws FileError `OTHER_HARVEST` where what is there is of another search, `UNSAFE_PATH` where it is not a file of ours
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
      const first = this.#line(0);
      const known = first === undefined ? undefined : searchOf(first.text);
      const isOurs = known === JSON.stringify(search);
      const age = now - mtimeMs;
      const isFresh = resume === true || (age <= FRESH_MS && age >= -CLOCK_SKEW_MS);
      if (first === undefined || first.end === size || resume === false || (isOurs && !isFresh)) this.#begin();
      else if (isOurs) this.#goOn(first.end, size);
      else throw otherHarvest(path, known);
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /** Answers in it. */
  get pages(): number {
    return this.#heads.size;
  }

  /** The answer to a request, where it has come already. */
  find(path: string, query: Query): ServiceResponse | undefined {
    const key = requestText(path, query);
    const at = this.#heads.get(key);
    const response = at === undefined || !this.#open ? undefined : this.#reply(at);
    // A fault of the disk: it is asked for again.
    if (response === undefined) this.#heads.delete(key);
    return response;
  }

  /** Forgets the first answer that is not good, and all after it: a run that goes on asks for them again. */
  keepWhile(isGood: (response: ServiceResponse) => boolean): void {
    const places = [...this.#heads].sort(([, a], [, b]) => a - b);
    const first = places.findIndex(([, at]) => {
      const response = this.#reply(at);
      return response === undefined || !isGood(response);
    });
    if (first < 0) return;
    for (const [key] of places.slice(first)) this.#heads.delete(key);
    this.#end = (places[first] as [string, number])[1];
    ftruncateSync(this.#file, this.#end);
  }

  /** The answer whose head stands at a place; undefined where it is not what was written. */
  #reply(at: number): ServiceResponse | undefined {
    const line = this.#line(at);
    const head = line && readJournalHead(line.text, Number.POSITIVE_INFINITY);
    if (line === undefined || head === undefined || line.end + head.bytes > this.#end) return undefined;
    const body = Buffer.allocUnsafeSlow(head.bytes);
    this.#read(body, line.end);
    if (crc32(body) !== head.crc) return undefined;
    const { status, requests, retries, redactions } = head;
    const [sentAt, receivedAt] = [new Date(head.sentAt), new Date(head.receivedAt)];
    return { status, body, headers: {}, requests, retries, ...(redactions && { redactions }), sentAt, receivedAt };
  }

  /** Adds an answer; it is in the file when this returns. */
  add(
    path: string,
    query: Query,
    { status, body, requests, retries, redactions, sentAt, receivedAt }: ServiceResponse,
  ): void {
    if (!this.#open) return;
    const key = requestText(path, query);
    const head: JournalHead = {
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
    this.#write([Buffer.from(`${JSON.stringify(head)}\n`), body, Buffer.from("\n")]);
    this.#heads.set(key, at);
  }

  /** What comes afterwards is not kept: the number of the file may be that of another one by then. */
  close(): void {
    if (this.#open) closeSync(this.#file);
    this.#open = false;
  }

  #begin(): void {
    ftruncateSync(this.#file, 0);
    this.#write([Buffer.from(`${JSON.stringify({ journal: "archive-frames", version: 1, search: this.search })}\n`)]);
  }

  #goOn(start: number, size: number): void {
    let at = start;
    for (let line = this.#line(at); line !== undefined; line = this.#line(at)) {
      const head = readJournalHead(line.text, this.#now);
      if (head === undefined) break;
      const next = line.end + head.bytes + 1;
      if (next > size) break;
      this.#heads.set(head.get, at);
      at = next;
    }
    ftruncateSync(this.#file, at);
    this.#end = at;
  }

  /** The line that begins at a place, and where the next thing begins; undefined where it has no end. */
  #line(at: number): { text: string; end: number } | undefined {
    for (let length = HEAD_BYTES; length <= MAX_LINE_BYTES; length *= 4) {
      const bytes = Buffer.alloc(length);
      const got = this.#read(bytes, at);
      const newline = bytes.subarray(0, got).indexOf(0x0a);
      if (newline >= 0) return { text: bytes.toString("utf8", 0, newline), end: at + newline + 1 };
      if (got < length) return undefined;
    }
    return undefined;
  }

  #read(into: Buffer, at: number): number {
    let got = 0;
    while (got < into.length) {
      const count = readSync(this.#file, into, got, into.length - got, at + got);
      if (count === 0) break;
      got += count;
    }
    return got;
  }

  #write(parts: readonly Buffer[]): void {
    let at = this.#end;
    for (const part of parts) {
      for (let done = 0; done < part.length; ) done += writeSync(this.#file, part, done, part.length - done, at + done);
      at += part.length;
    }
    this.#end = at;
  }
}

/** What the first line says; undefined where it is not that of a journal. */
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
    `${path} holds an unfinished harvest of another search: ${escaped(known ?? "unreadable", 300)}.`,
    {
      code: "OTHER_HARVEST",
      hint: "Finish that one with its own call, write to another path, or give { resume: false } to discard it.",
      path,
    },
  );
}
