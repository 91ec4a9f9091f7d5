import { createHash, randomBytes } from "node:crypto";
import { closeSync, existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import { SnapshotError } from "../errors/index.js";
import { followLinks } from "../fs/followLinks.js";
import { checkOwnDirectory, makePrivateDirectory } from "../fs/makeDirectory.js";
import { openPrivateFile } from "../fs/openPrivateFile.js";
import { openReceivedFile } from "../fs/readReceivedFile.js";
import { toFileError } from "../fs/toFileError.js";
import type { ServiceResponse } from "../service/http/requester.js";
import { quoted } from "../util/quoted.js";
import { sum } from "../util/sum.js";
import { VERSION } from "../util/version.js";
import {
  isSnapshotHeader,
  isSnapshotLine,
  isStoredResponse,
  recorded,
  type SnapshotEntry,
  type SnapshotHeader,
  type SnapshotLine,
  type StoredResponse,
} from "./line.js";
import { append, type Entry, readBody, readEntries } from "./responseFile.js";
import { Retrievals } from "./retrievals.js";

const SUFFIX = ".responses";
const MIN_CHUNK_BYTES = 64;

const pack = promisify(gzip);
const unpack = promisify(gunzip);

/** A compressed body in a file of a store. */
export interface StoredBody extends Omit<Entry<StoredResponse>, "at"> {
  readonly file: string;
}

/** The content of a file of a store: what one client stored. */
export interface StoredFile {
  /** `20261121T061200Z-….responses`. */
  readonly file: string;
  /** Undefined if the process was killed before it was complete. */
  readonly header: SnapshotHeader | undefined;
  readonly entries: readonly SnapshotEntry[];
  readonly responses: readonly StoredResponse[];
  readonly bodies: readonly StoredBody[];
  /** The last entry is incomplete because its process was killed. Its request will be sent again. */
  readonly torn: boolean;
}

/** When responses were recorded, in days in UTC: yyyy-mm-dd. */
export interface RecordedDays {
  readonly first: string;
  readonly last: string;
}

/** Options of a store besides its directory. */
export interface StoreOptions {
  /** The service, for the header of a file; undefined if nothing will be stored. */
  readonly service: Pick<SnapshotHeader, "source" | "baseUrl"> | undefined;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Maximum size of a body that is read. */
  readonly maxBodyBytes: number;
}

/**
 * A directory of responses, one file for each client that stored something: JSON lines, and after the line of a response its body
 * exactly as it was received, compressed. It stores no request headers, and so no API key.
 */
export class ResponseStore {
  /** The header of the newest file; undefined if nothing is stored. */
  readonly newest: SnapshotHeader | undefined;
  /** The files, as of when the store was opened. */
  readonly files: readonly StoredFile[];
  readonly retrievals = new Retrievals();
  /** By SHA-256: equal bodies are stored once. */
  readonly #bodies: Map<string, StoredBody>;
  #closed = false;
  #file: { readonly descriptor: number; readonly name: string; bytes: number } | undefined;

  constructor(
    readonly dir: string,
    readonly options: StoreOptions,
  ) {
    if (options.service !== undefined) checkStoreDirectory(dir);
    this.files = storedFileNames(dir).map((name) => readStoredFile(dir, name));
    this.newest = this.files.findLast(({ header }) => header !== undefined)?.header;
    this.#bodies = new Map(this.files.flatMap(({ bodies }) => bodies.map((body) => [body.line.sha256, body])));
    // Responses first, as `Retrievals.add` demands; one without a body was recorded in a file that is missing.
    for (const { responses } of this.files)
      for (const response of responses) if (this.#bodies.has(response.sha256)) this.retrievals.add(response);
    for (const { entries } of this.files)
      for (const entry of entries) if (!isStoredResponse(entry)) this.retrievals.add(entry);
  }

  now(): number {
    return this.options.now();
  }

  /** The days in UTC on which the first and the last response arrived; undefined if nothing is stored. */
  get days(): RecordedDays | undefined {
    const days = this.files.flatMap(({ responses }) => responses.map(({ receivedAt }) => receivedAt.slice(0, 10)));
    const [first] = days.sort();
    return first === undefined ? undefined : { first, last: days.at(-1) as string };
  }

  /** Bytes of some bodies on disk. */
  storedBytes(responses: readonly StoredResponse[]): number {
    const hashes = [...new Set(responses.map(({ sha256 }) => sha256))];
    return sum(hashes.map((hash) => this.#bodies.get(hash)?.line.size ?? 0));
  }

  /** Reads a body, exactly as it was received. */
  async read({ sha256, bytes }: StoredResponse): Promise<Buffer> {
    const { dir } = this;
    const { maxBodyBytes } = this.options;
    const body = this.#bodies.get(sha256);
    const path = body === undefined ? dir : join(dir, body.file);
    if (bytes > maxBodyBytes) {
      throw new SnapshotError(`${path} contains a body of ${bytes} bytes, more than the allowed ${maxBodyBytes}.`, {
        code: "BODY_TOO_LARGE",
        hint: "Raise maxBodyBytes if you trust the author of the snapshot.",
        path,
      });
    }
    try {
      if (body === undefined) throw damaged(path, "a body is missing");
      // Never unpack more than the recorded size: a foreign body may be a decompression bomb.
      const maxOutputLength = Math.max(MIN_CHUNK_BYTES, bytes);
      const unpacked = await unpack(readPacked(dir, body), { chunkSize: maxOutputLength, maxOutputLength });
      if (unpacked.length !== bytes) throw damaged(path, `a body does not contain ${bytes} bytes`);
      return unpacked;
    } catch (error) {
      // It can be stored again.
      this.#bodies.delete(sha256);
      throw error instanceof SnapshotError ? error : damaged(path, "a body cannot be unpacked", error);
    }
  }

  /** Compresses the body of a response; `record` then adds both. */
  async pack(
    get: string,
    retrieval: string,
    response: Omit<ServiceResponse, "headers">,
  ): Promise<{ line: StoredResponse; packed: Buffer }> {
    const { body } = response;
    const packed = await pack(body);
    const sha256 = createHash("sha256").update(body).digest("hex");
    return { line: { retrieval, ...recorded(get, response, packed), sha256 }, packed };
  }

  /**
   * Adds an entry; it is on disk when this returns. After a kill or on a full disk only the last entry can be incomplete; after a full
   * disk another file is started.
   * @param own see `Retrievals.add`
   * @param packed the body of a response, which is stored unless an equal one is
   */
  record(entry: SnapshotEntry, own = false, packed?: Buffer): void {
    // A line that cannot be read back would make the whole snapshot unreadable.
    if (this.#closed || !isSnapshotLine({ ...entry })) return;
    const isKnown = isStoredResponse(entry) && this.#bodies.has(entry.sha256);
    const line = isKnown ? { ...entry, size: 0, crc32: 0 } : entry;
    const body = isKnown ? undefined : packed;
    this.#file ??= this.#create();
    const file = this.#file;
    try {
      const bodyAt = append(file.descriptor, file.bytes, line, body);
      file.bytes = bodyAt + (body?.length ?? 0);
      if (body !== undefined && isStoredResponse(line))
        this.#bodies.set(line.sha256, { line, bodyAt, file: file.name });
    } catch (error) {
      this.#closeFile();
      throw toFileError(error, join(this.dir, file.name));
    }
    this.retrievals.add(entry, own);
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** Responses that arrive later are discarded. */
  close(): void {
    this.#closed = true;
    this.#closeFile();
  }

  #closeFile(): void {
    if (this.#file !== undefined) closeSync(this.#file.descriptor);
    this.#file = undefined;
  }

  #create(): { descriptor: number; name: string; bytes: number } {
    const { service } = this.options;
    if (service === undefined) throw new Error("cannot write to a snapshot that was opened for reading");
    const begunAt = new Date(this.now()).toISOString();
    const name = `${begunAt.replace(/[-:]|\.\d+/g, "")}-${process.pid}-${randomBytes(4).toString("hex")}${SUFFIX}`;
    const path = join(this.dir, name);
    const { source, baseUrl } = service;
    const kind = { snapshot: "archive-frames", format: 4, version: VERSION } as const;
    try {
      if (!existsSync(this.dir)) makePrivateDirectory(this.dir, SHARING);
      const descriptor = openPrivateFile(path, "create");
      return { descriptor, name, bytes: append(descriptor, 0, { ...kind, source, baseUrl, begunAt }) };
    } catch (error) {
      throw toFileError(error, path);
    }
  }
}

/** A group may share a study, and on some systems every user has their own group. */
const SHARING = {
  refused: 0o002,
  hint: 'Use another directory. Snapshots of other users can be replayed: { snapshot: { mode: "replay" } }.',
};

/**
 * Checks that responses may be stored in a directory, if it exists: it belongs to this user and is not world-writable. It may be a
 * link of this user.
 */
export function checkStoreDirectory(dir: string): void {
  if (existsSync(dir)) checkOwnDirectory(followLinks(dir), SHARING);
}

/** The names of the files of a store, sorted and so by start time; empty if there is none. */
export function storedFileNames(dir: string): string[] {
  const real = followLinks(dir);
  try {
    const entries = existsSync(real) ? readdirSync(real) : [];
    return entries.filter((name) => name.endsWith(SUFFIX)).sort();
  } catch (error) {
    throw damaged(dir, "it cannot be read", error);
  }
}

/** Reads a file of a store. */
export function readStoredFile(dir: string, file: string): StoredFile {
  const { entries, rest } = inFile(dir, file, (descriptor) => readEntries<SnapshotLine>(descriptor, isSnapshotLine));
  const misplaced = entries.findIndex(({ line }, at) => isSnapshotHeader(line) !== (at === 0));
  const changed = misplaced < 0 && rest === "damaged" ? entries.length : misplaced;
  if (changed >= 0) throw damaged(join(dir, file), `line ${changed + 1} was changed`);
  const [header, ...lines] = entries.map(({ line }) => line) as [SnapshotHeader | undefined, ...SnapshotEntry[]];
  const bodies = entries.flatMap(({ line, bodyAt }) =>
    isStoredResponse(line) && line.size > 0 ? [{ line, bodyAt, file }] : [],
  );
  return { file, header, entries: lines, responses: lines.filter(isStoredResponse), bodies, torn: rest === "torn" };
}

/** Reads a compressed body and verifies its checksum. */
export function readPacked(dir: string, body: StoredBody): Buffer {
  const packed = inFile(dir, body.file, (descriptor) => readBody(descriptor, body));
  if (packed === undefined) throw damaged(join(dir, body.file), `the body at byte ${body.bodyAt} was changed`);
  return packed;
}

/** Opens a file, which must be a regular one in the directory. */
function inFile<T>(dir: string, file: string, read: (descriptor: number) => T): T {
  let descriptor: number | undefined;
  try {
    descriptor = openReceivedFile(dir, file);
    return read(descriptor);
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === "ENOENT";
    throw damaged(join(dir, file), isMissing ? "it is missing" : "it cannot be read", error);
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/** The error for a snapshot file that was changed. */
export function damaged(path: string, what: string, cause?: unknown): SnapshotError {
  return new SnapshotError(`${path} is damaged: ${what}.`, {
    code: "SNAPSHOT_DAMAGED",
    hint: `Restore the snapshot from a copy, or delete that file and request it again with { snapshot: { mode: "auto" } }. \`archive-frames snapshot verify\` checks every file.`,
    path,
    cause,
  });
}

/** The error for a directory without a snapshot. */
export function noSnapshot(dir: string): SnapshotError {
  return new SnapshotError(`there is no snapshot in ${dir}.`, {
    code: "NO_SNAPSHOT",
    hint: `Check the path, or record one: { snapshot: { dir: ${quoted(dir, 1000)}, mode: "record" } }.`,
    path: dir,
  });
}
