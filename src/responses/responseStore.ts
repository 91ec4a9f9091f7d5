import { randomBytes } from "node:crypto";
import { closeSync, existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import { ArchiveError } from "../errors/index.js";
import { toFileError } from "../fs/fileErrors.js";
import { makePrivateDirectory } from "../fs/makeDirectory.js";
import { openPrivateFile } from "../fs/openPrivateFile.js";
import { openReceivedFile } from "../fs/receivedFile.js";
import type { ServiceResponse } from "../service/http/requester.js";
import { quoted } from "../util/quoted.js";
import { sha256Of } from "../util/sha256Of.js";
import { sum } from "../util/sum.js";
import { VERSION } from "../util/version.js";
import {
  append,
  type Entry,
  isSnapshotHeader,
  isSnapshotLine,
  isStoredResponse,
  readBody,
  readEntries,
  recorded,
  type SnapshotEntry,
  type SnapshotHeader,
  type SnapshotLine,
  type StoredResponse,
} from "./responseFile.js";
import { Retrievals } from "./retrievals.js";

const SUFFIX = ".responses";
const MIN_CHUNK_BYTES = 64;

const pack = promisify(gzip);
const unpack = promisify(gunzip);

export interface StoredBody extends Omit<Entry<StoredResponse>, "at"> {
  readonly file: string;
}

/** A file of a store: what one client stored. */
export interface StoredFile {
  /** `20261121T061200Z-….responses`. */
  readonly file: string;
  /** Undefined if the process was killed while writing it. */
  readonly header: SnapshotHeader | undefined;
  readonly entries: readonly SnapshotEntry[];
  readonly responses: readonly StoredResponse[];
  readonly bodies: readonly StoredBody[];
  /** The last entry is incomplete because its process was killed. The request will be sent again. */
  readonly torn: boolean;
}

/** The UTC days on which responses were recorded: yyyy-mm-dd. */
export interface RecordedDays {
  readonly first: string;
  readonly last: string;
}

export interface StoreOptions {
  /** The service, for file headers; undefined for reading only. */
  readonly service: Pick<SnapshotHeader, "source" | "baseUrl"> | undefined;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly maxBodyBytes: number;
}

/**
 * A directory of responses, one file per client that stored something: JSON lines, each followed by the compressed body exactly as
 * received. It stores no request headers, so no API key.
 */
export class ResponseStore {
  /** The header of the newest file; undefined if nothing is stored. */
  readonly newest: SnapshotHeader | undefined;
  /** The files at the time of opening. */
  readonly files: readonly StoredFile[];
  readonly retrievals = new Retrievals();
  /** By SHA-256: equal bodies are stored once. */
  readonly #bodies: Map<string, StoredBody>;
  closed = false;
  #file: { readonly descriptor: number; readonly name: string; bytes: number } | undefined;

  constructor(
    readonly dir: string,
    readonly options: StoreOptions,
  ) {
    this.files = storedFileNames(dir).map((name) => readStoredFile(dir, name));
    this.newest = this.files.findLast(({ header }) => header !== undefined)?.header;
    this.#bodies = new Map(this.files.flatMap(({ bodies }) => bodies.map((body) => [body.line.sha256, body])));
    // Responses first, as `Retrievals.add` requires. If a body is missing, so is the file that contained it.
    for (const { responses } of this.files)
      for (const response of responses) if (this.#bodies.has(response.sha256)) this.retrievals.add(response);
    for (const { entries } of this.files)
      for (const entry of entries) if (!isStoredResponse(entry)) this.retrievals.add(entry);
  }

  get days(): RecordedDays | undefined {
    const days = this.files.flatMap(({ responses }) => responses.map(({ receivedAt }) => receivedAt.slice(0, 10)));
    const [first] = days.sort();
    return first === undefined ? undefined : { first, last: days.at(-1) as string };
  }

  storedBytes(responses: readonly StoredResponse[]): number {
    const hashes = [...new Set(responses.map(({ sha256 }) => sha256))];
    return sum(hashes.map((hash) => this.#bodies.get(hash)?.line.size ?? 0));
  }

  async read({ sha256, bytes }: StoredResponse): Promise<Buffer> {
    const { dir } = this;
    const { maxBodyBytes } = this.options;
    const body = this.#bodies.get(sha256);
    const path = body === undefined ? dir : join(dir, body.file);
    if (bytes > maxBodyBytes) {
      throw new ArchiveError(`${path} contains a body of ${bytes} bytes, more than the allowed ${maxBodyBytes}.`, {
        code: "BODY_TOO_LARGE",
        hint: "Raise maxBodyBytes if you trust the author of the snapshot.",
        path,
      });
    }
    try {
      if (body === undefined) throw damaged(path, "a body is missing");
      // Never unpack more than the recorded size: the body may be a decompression bomb.
      const maxOutputLength = Math.max(MIN_CHUNK_BYTES, bytes);
      const unpacked = await unpack(readPacked(dir, body), { chunkSize: maxOutputLength, maxOutputLength });
      if (unpacked.length !== bytes) throw damaged(path, `a body does not contain ${bytes} bytes`);
      return unpacked;
    } catch (error) {
      // Allow storing it again.
      this.#bodies.delete(sha256);
      throw error instanceof ArchiveError ? error : damaged(path, "a body cannot be unpacked", error);
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
    const sha256 = sha256Of(body);
    return { line: { retrieval, ...recorded(get, response, packed), sha256 }, packed };
  }

  /**
   * Adds an entry; it is on disk when this returns. After a kill or a full disk, only the last entry of the file can be incomplete;
   * after a full disk, the next entry starts a new file.
   * @param own see `Retrievals.add`
   * @param packed the body of a response, stored unless an equal one already is
   */
  record(entry: SnapshotEntry, own = false, packed?: Buffer): void {
    // An invalid line would make the whole snapshot unreadable.
    if (this.closed || !isSnapshotLine({ ...entry })) return;
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

  /** Responses that arrive later are discarded. */
  close(): void {
    this.closed = true;
    this.#closeFile();
  }

  #closeFile(): void {
    if (this.#file !== undefined) closeSync(this.#file.descriptor);
    this.#file = undefined;
  }

  #create(): { descriptor: number; name: string; bytes: number } {
    const { service } = this.options;
    if (service === undefined) throw new Error("cannot write to a snapshot that was opened for reading");
    const begunAt = new Date(this.options.now()).toISOString();
    const name = `${begunAt.replace(/[-:]|\.\d+/g, "")}-${process.pid}-${randomBytes(4).toString("hex")}${SUFFIX}`;
    const path = join(this.dir, name);
    const { source, baseUrl } = service;
    const kind = { snapshot: "archive-frames", format: 4, version: VERSION } as const;
    try {
      if (!existsSync(this.dir)) makePrivateDirectory(this.dir);
      const descriptor = openPrivateFile(path, "create");
      return { descriptor, name, bytes: append(descriptor, 0, { ...kind, source, baseUrl, begunAt }) };
    } catch (error) {
      throw toFileError(error, path);
    }
  }
}

/** The file names of a store, by start time. */
export function storedFileNames(dir: string): string[] {
  try {
    const entries = existsSync(dir) ? readdirSync(dir) : [];
    return entries.filter((name) => name.endsWith(SUFFIX)).sort();
  } catch (error) {
    throw damaged(dir, "it cannot be read", error);
  }
}

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

/** Opens a regular file in the directory. */
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

export function damaged(path: string, what: string, cause?: unknown): ArchiveError {
  return new ArchiveError(`${path} is damaged: ${what}.`, {
    code: "SNAPSHOT_DAMAGED",
    hint: `Restore the snapshot from a copy, or delete that file and request it again with { snapshot: { mode: "auto" } }. \`archive-frames snapshot\` checks every file.`,
    path,
    cause,
  });
}

export function noSnapshot(dir: string): ArchiveError {
  return new ArchiveError(`there is no snapshot in ${dir}.`, {
    code: "NO_SNAPSHOT",
    hint: `Check the path, or record one: { snapshot: { dir: ${quoted(dir, 1000)}, mode: "record" } }.`,
    path: dir,
  });
}
