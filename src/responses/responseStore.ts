import { randomBytes } from "node:crypto";
import { appendFileSync, existsSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { ArchiveError } from "../errors/index.js";
import { toFileError } from "../fs/fileErrors.js";
import { makePrivateDirectory } from "../fs/makeDirectory.js";
import { readReceivedFile } from "../fs/receivedFile.js";
import { statOf } from "../fs/statOf.js";
import { writeFileAtomic } from "../fs/writeFileAtomic.js";
import { quoted } from "../util/quoted.js";
import { BODIES, bodyFile, readBody } from "./bodies.js";
import { type Entry, type Log, type LogHeader, lineOf, type ResponseLine, readLog } from "./log.js";
import { Run } from "./run.js";

const MAX_LOG_BYTES = 2 ** 29;

export interface StoreOptions {
  /** A snapshot reports damage. What is damaged in a cache or an unfinished download is requested again. */
  readonly kind: "snapshot" | "cache" | "download";
  /** Whose responses it stores; undefined for reading only. */
  readonly service?: Pick<LogHeader, "source" | "baseUrl"> | undefined;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly maxBodyBytes: number;
}

/** A directory of responses: the log of each process, and the bodies exactly as received. It has no request headers, so no API key. */
export class ResponseStore {
  /** The header of the newest log; undefined if nothing is stored. */
  newest: LogHeader | undefined;
  isClosed = false;
  readonly runs = new Map<string, Run>();
  /** By request, oldest first. */
  readonly runsWith = new Map<string, Set<Run>>();
  #log: string | undefined;

  constructor(
    readonly dir: string,
    readonly options: StoreOptions,
  ) {
    for (const name of logNames(dir)) {
      try {
        const { header, entries } = openLog(dir, name);
        this.newest = header ?? this.newest;
        for (const entry of entries) this.#add(entry, false);
      } catch (error) {
        if (options.kind === "snapshot") throw error;
      }
    }
  }

  get responses(): ResponseLine[] {
    return [...this.runs.values()].flatMap(({ responses }) => [...responses.values()]);
  }

  /** The body of a response; undefined if the request has to be sent again. */
  async read(line: ResponseLine): Promise<Buffer | undefined> {
    const { kind, service, maxBodyBytes } = this.options;
    try {
      return await readBody(this.dir, line, maxBodyBytes);
    } catch (error) {
      if (kind !== "snapshot" || (isMissing(error) && service !== undefined)) return undefined;
      throw damaged(this.dir, line, error);
    }
  }

  /** Adds an entry, and the packed body of a response. Both are on disk when this returns. */
  append(entry: Entry, body?: Buffer): void {
    if (this.isClosed) return;
    try {
      this.#log ??= createLog(this.dir, this.options);
      if (body && "get" in entry) writeFileAtomic(join(this.dir, bodyFile(entry)), body, 0o600);
      appendFileSync(this.#log, lineOf(entry));
      this.#add(entry, true);
    } catch (error) {
      // Nothing may follow an incomplete line.
      this.#log = undefined;
      // A cache is not worth a failure, unless the user named something that can be none.
      if (this.options.kind !== "cache" || !statOf(dirname(this.dir))?.isDirectory())
        throw toFileError(error, this.dir);
    }
  }

  #add(entry: Entry, isOurs: boolean): void {
    const run = this.runs.get(entry.run) ?? new Run(isOurs);
    this.runs.set(entry.run, run);
    if ("rows" in entry) run.rows = entry.rows ?? Number.POSITIVE_INFINITY;
    else {
      run.responses.set(entry.get, entry);
      this.runsWith.set(entry.get, (this.runsWith.get(entry.get) ?? new Set()).add(run));
    }
  }
}

function createLog(dir: string, { service, now }: StoreOptions): string {
  if (service === undefined) throw new Error("the store was opened for reading");
  if (!existsSync(dir)) makePrivateDirectory(dir);
  makePrivateDirectory(join(dir, BODIES));
  const time = new Date(now()).toISOString().replace(/[-:.]/g, "");
  const path = join(dir, `log-${time}-${process.pid}-${randomBytes(4).toString("hex")}.jsonl`);
  const { source, baseUrl } = service;
  appendFileSync(path, lineOf({ format: "archive-frames 5", source, baseUrl }), { flag: "ax", mode: 0o600 });
  return path;
}

/** The names of the logs, oldest first. */
export function logNames(dir: string): string[] {
  try {
    return readdirSync(dir)
      .filter((name) => /^log-[\w-]+\.jsonl$/.test(name))
      .sort();
  } catch {
    return [];
  }
}

export function openLog(dir: string, name: string): Log {
  try {
    return readLog(readReceivedFile(dir, name, MAX_LOG_BYTES).toString());
  } catch (error) {
    throw damaged(dir, name, error);
  }
}

function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === "ENOENT";
}

/** @param what a log, or a response with a body */
export function damaged(dir: string, what: string | ResponseLine, cause: unknown): ArchiveError {
  const path = join(dir, typeof what === "string" ? what : bodyFile(what));
  const problem = isMissing(cause) ? "it is missing" : (cause as Error).message.replace(/\.$/, "");
  return new ArchiveError(`${path} is damaged: ${problem}.`, {
    code: "SNAPSHOT_DAMAGED",
    hint: `Restore it from a copy, or delete it and request it again with { snapshot: { mode: "auto" } }. \`archive-frames snapshot\` checks every file.`,
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
