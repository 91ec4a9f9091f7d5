import { randomBytes } from "node:crypto";
import { accessSync, appendFileSync, existsSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import { ArchiveError } from "../errors/index.js";
import { makePrivateDirectory } from "../fs/directories.js";
import { toFileError } from "../fs/fileErrors.js";
import { statOf } from "../fs/paths.js";
import { readReceivedFile } from "../fs/receivedFile.js";
import { writeFileAtomic } from "../fs/writeFileAtomic.js";
import type { ResponseFacts } from "../service/http/requester.js";
import type { Service } from "../service/paging/provenanceRecorder.js";
import { sha256Of } from "../util/hash.js";
import { escaped } from "../util/text.js";
import type { SnapshotMode } from "./options.js";

const FORMAT = "archive-frames 7";
const MAX_LOG_BYTES = 2 ** 29;
/** Larger bodies cannot be read back: one that unpacks to more may be a decompression bomb. */
const MAX_BODY_BYTES = 2 ** 28;

/** Smaller bodies are stored in the log: otherwise each of thousands of lookups would take a block of the disk. */
const BLOCK_BYTES = 4096;

/** The file of a body, relative to the directory of the store. */
const bodyFile = (sha256: string) => `bodies/${sha256}.gz`;

export const packBody: (body: Buffer) => Promise<Buffer> = promisify(gzip);

/** The service whose responses are stored: the first line of a log. */
export type StoredService = Pick<Service, "source" | "baseUrl">;

/** A response, or the end of a run without an error and its rows; null: all rows of the search. */
export type Entry = ResponseLine | { readonly run: string; readonly rows: number | null };

export interface StoreOptions {
  /** A snapshot reports damage; a cache or an unfinished save requests damaged responses again. */
  readonly kind: "snapshot" | "cache" | "save";
  /** Undefined for reading only. */
  readonly service?: StoredService | undefined;
  /** Seconds; older runs are not used. Default: all are. */
  readonly maxAge?: number | undefined;
  /** "record" ignores the responses of earlier clients. */
  readonly mode?: SnapshotMode;
}

/** A directory of responses: the log of each process, and the bodies exactly as received. It has no request headers, so no API key. */
export class ResponseStore {
  /** The service of the newest log; undefined if nothing is stored. */
  latestService: StoredService | undefined;
  isClosed = false;
  /** The errors of logs that cannot be read. */
  readonly damage: ArchiveError[] = [];
  readonly #runs = new Map<string, Run>();
  /** The runs with each request, oldest first. */
  readonly #byRequest = new Map<string, Set<Run>>();
  #log: string | undefined;

  constructor(
    readonly dir: string,
    readonly options: StoreOptions,
  ) {
    const names = statOf(dir)?.isDirectory() ? readdirSync(dir) : [];
    for (const name of names.filter((each) => /^log-[\w-]+\.jsonl$/.test(each)).sort()) {
      try {
        const [header, ...entries] = parseLog(readReceivedFile(dir, name, MAX_LOG_BYTES).toString());
        this.latestService = header ?? this.latestService;
        if (options.mode !== "record") for (const entry of entries) this.#add(entry);
      } catch (cause) {
        this.damage.push(damageError(join(dir, name), cause));
      }
    }
  }

  get responses(): ResponseLine[] {
    return [...this.#runs.values()].flatMap(({ responses }) => [...responses.values()]);
  }

  /** The runs that have a response to a request and are not too old, oldest first. */
  runsWith(get: string): Run[] {
    const { maxAge = Number.POSITIVE_INFINITY } = this.options;
    const isFresh = ({ begin }: Run) => Date.now() - Date.parse(begin) <= maxAge * 1000;
    return [...(this.#byRequest.get(get) ?? [])].filter(isFresh);
  }

  /** The body of a response; undefined if the request has to be sent again. @throws ArchiveError `SNAPSHOT_DAMAGED` */
  async read({ sha256, gzip }: ResponseLine): Promise<Buffer | undefined> {
    const file = bodyFile(sha256);
    try {
      const packed = gzip ? Buffer.from(gzip, "base64") : readReceivedFile(this.dir, file, MAX_BODY_BYTES);
      const body = await promisify(gunzip)(packed, { chunkSize: 2 ** 17, maxOutputLength: MAX_BODY_BYTES });
      if (sha256Of(body) !== sha256) throw new Error("its content was changed");
      return body;
    } catch (cause) {
      if (this.options.kind !== "snapshot") return undefined;
      throw damageError(join(this.dir, file), cause);
    }
  }

  /** Adds an entry, and the packed body of a new response. Both are written when this returns; a cache that cannot be written is skipped. */
  append(entry: Entry, packed?: Buffer): void {
    if (this.isClosed) return;
    try {
      // A user may have emptied a cache, but must not find a deleted snapshot or save again.
      if (this.options.kind === "cache" && !existsSync(this.#log ?? "")) this.#log = undefined;
      this.#log ??= createLog(this.dir, this.options);
      accessSync(this.#log);
      const isInline = packed !== undefined && packed.length < BLOCK_BYTES;
      const line = isInline ? { ...entry, gzip: packed.toString("base64") } : entry;
      if (packed && !isInline && "sha256" in entry)
        writeFileAtomic(join(this.dir, bodyFile(entry.sha256)), packed, 0o600);
      appendFileSync(this.#log, `${JSON.stringify(line)}\n`);
      this.#add(line);
    } catch (error) {
      // Nothing may follow an incomplete line.
      this.#log = undefined;
      // A cache must not fail a call, unless its path cannot be a directory.
      const isUsable = statOf(dirname(this.dir))?.isDirectory() === true;
      if (this.options.kind !== "cache" || !isUsable) throw toFileError(error, this.dir);
    }
  }

  #add(entry: Entry): void {
    const run = this.#runs.get(entry.run) ?? new Run();
    this.#runs.set(entry.run, run);
    if ("rows" in entry) run.rows = entry.rows ?? Number.POSITIVE_INFINITY;
    else {
      run.responses.set(entry.get, entry);
      this.#byRequest.set(entry.get, (this.#byRequest.get(entry.get) ?? new Set()).add(run));
    }
  }
}

/** Ignores an incomplete last line, which a killed process leaves behind. */
function parseLog(text: string): [header: StoredService | undefined, ...Entry[]] {
  const lines = text.split("\n").slice(0, -1);
  const [header, ...entries] = lines.map((line) => JSON.parse(line));
  if (header !== undefined && header.format !== FORMAT) throw new Error("another version wrote it");
  return [header, ...entries];
}

function createLog(dir: string, { service }: StoreOptions): string {
  if (service === undefined) throw new Error("the store was opened for reading");
  // The user may have named a link to a directory.
  if (!existsSync(dir)) makePrivateDirectory(dir);
  makePrivateDirectory(join(dir, "bodies"));
  const time = new Date().toISOString().replace(/[-:.]/g, "");
  const path = join(dir, `log-${time}-${process.pid}-${randomBytes(4).toString("hex")}.jsonl`);
  const { source, baseUrl } = service;
  appendFileSync(path, `${JSON.stringify({ format: FORMAT, source, baseUrl })}\n`, { flag: "ax", mode: 0o600 });
  return path;
}

function damageError(path: string, cause: unknown): ArchiveError {
  const { code, message } = cause as NodeJS.ErrnoException;
  const reason = code === "ENOENT" ? "it is missing" : message.replace(/\.$/, "");
  // The message of JSON.parse quotes the file.
  const problem = cause instanceof SyntaxError ? "a line is not JSON" : reason;
  const hint = "Restore it from a copy, or record a new snapshot. `archive-frames snapshot` checks every file.";
  const what = `${escaped(path, 500)} is damaged: ${problem}.`;
  return new ArchiveError(what, { code: "SNAPSHOT_DAMAGED", hint, path, cause });
}

/** A response. A small body is in `gzip`, in base64; any other is in a file named by its hash. */
export interface ResponseLine extends ResponseFacts {
  /** Id of its run. */
  readonly run: string;
  readonly sha256: string;
  readonly gzip?: string;
}

/** The responses to one pagination, count or sample, in order of arrival. A lookup is a run of one request. */
export class Run {
  readonly responses = new Map<string, ResponseLine>();
  /** The rows that it returned, `Infinity` for all of the search; -1 if it was interrupted. */
  rows = -1;

  /** When its first response arrived. */
  get begin(): string {
    const [first] = this.responses.values();
    return first?.receivedAt ?? "";
  }
}

/**
 * The run from which a pagination continues: the newest with enough rows, otherwise the newest that ended, otherwise the newest. It has the
 * same responses so far, or began after them: rows that moved may then come twice, but none is missing.
 *
 * @param runs those with the next request, oldest first
 * @param rows rows to fetch: 0 for the first page only, `Infinity` for all
 * @param previous the responses so far
 */
export function chooseRun(runs: readonly Run[], rows: number, previous: readonly ResponseLine[]): Run | undefined {
  const beganLater = ({ begin }: Run) => previous.every(({ receivedAt }) => receivedAt <= begin);
  const hasSameResponses = (run: Run) => previous.every(({ get, sha256 }) => run.responses.get(get)?.sha256 === sha256);
  const newestFirst = runs.filter((run) => beganLater(run) || hasSameResponses(run)).toReversed();
  return newestFirst.find((run) => run.rows >= rows) ?? newestFirst.find((run) => run.rows >= 0) ?? newestFirst[0];
}
