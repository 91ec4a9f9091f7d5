import { scryptSync } from "node:crypto";
import { closeSync, existsSync, fstatSync, readdirSync, unlinkSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { warnAtExit, warnOnce } from "../../errors/warn.js";
import { readBytes } from "../../fs/fileBytes.js";
import { cacheRoot, makePrivateDirectory } from "../../fs/makeDirectory.js";
import { appendPrivateFile, openPrivateFile } from "../../fs/openPrivateFile.js";
import { escaped } from "../../util/quoted.js";
import { sha256Of } from "../../util/sha256Of.js";
import type { ResolvedOptions } from "./options.js";

/** The study (the name of the working directory), the requests sent, and how many of them were refused with 429. */
type LedgerLine = readonly [study: string, requests: number, refused: number];

const DAY = 86_400_000;
const KEPT_DAYS = 400;
/** Milliseconds until requests are written. A killed process loses at most these. */
const DELAY = 1000;
/** Bytes to read per day. A process that runs all day writes a twentieth of this. */
const MAX_BYTES = 64 * 1024 * 1024;

const ledgers = new Map<string, Ledger>();

function flushLedgers(): void {
  for (const ledger of ledgers.values()) ledger.flush(warnAtExit);
}

/** The ledger of a key to a service; undefined if its requests are not counted. */
export function ledgerOf(options: Pick<ResolvedOptions, "baseUrl" | "key" | "ledger">): Ledger | undefined {
  if (!options.ledger) return undefined;
  const { baseUrl, key } = options;
  if (ledgers.size === 0) process.once("exit", flushLedgers);
  const account = `${baseUrl} ${key.reveal()}`;
  const ledger = ledgers.get(account) ?? new Ledger(baseUrl, key.reveal());
  ledgers.set(account, ledger);
  return ledger;
}

/**
 * Counts the requests of a key to a service over all processes of this user: a directory with a file per day, to which every process
 * appends lines. Its name has two bytes of a slow digest of the key: they tell the keys of a user apart, but confirm no guess.
 */
export class Ledger {
  readonly #root = join(cacheRoot(), "ledger");
  readonly #baseUrl: string;
  readonly #key: string;
  readonly #now: () => number;
  #name: string | undefined;
  #sent = 0;
  #refused = 0;
  #timer: NodeJS.Timeout | undefined;
  #isBroken = false;
  /** Today's file: how far it has been read, when, and the requests counted so far. */
  #read = { path: "", at: Number.NEGATIVE_INFINITY, bytes: 0, requests: 0 };

  constructor(baseUrl: string, key: string, now: () => number = Date.now) {
    [this.#baseUrl, this.#key, this.#now] = [baseUrl, key, now];
  }

  /** Counts requests. They are written within a second, and when the process exits. */
  add(sent: number, refused = 0): void {
    this.#sent += sent;
    this.#refused += refused;
    this.#timer ??= setTimeout(() => this.flush(), DELAY).unref();
  }

  flush(warn = warnOnce): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#sent + this.#refused === 0) return;
    this.#guarded(() => {
      if (this.#name === undefined) this.#prune();
      const path = this.#path();
      makePrivateDirectory(this.#root);
      makePrivateDirectory(dirname(path));
      appendPrivateFile(
        path,
        `${JSON.stringify([basename(process.cwd()).slice(0, 100), this.#sent, this.#refused])}\n`,
      );
      this.#sent = this.#refused = 0;
      this.#read.at = Number.NEGATIVE_INFINITY;
    }, warn);
  }

  /** Requests of all studies today in UTC, those of other processes as far as they are written. */
  get today(): number {
    this.#guarded(() => {
      const [path, at] = [this.#path(), this.#now()];
      if (this.#read.path !== path) this.#read = { path, at: Number.NEGATIVE_INFINITY, bytes: 0, requests: 0 };
      if (at - this.#read.at < DELAY) return;
      this.#read.at = at;
      for (const [, sent] of this.lines(0, this.#read)) this.#read.requests += sent;
    });
    return this.#read.requests + this.#sent;
  }

  /** The lines of the day `ago` days ago, from a byte on. Invalid lines are skipped. */
  lines(ago: number, from: { bytes: number } = { bytes: 0 }): LedgerLine[] {
    const path = this.#path(ago);
    if (!existsSync(path)) return [];
    const file = openPrivateFile(path, "existing");
    try {
      const size = Math.min(fstatSync(file).size, MAX_BYTES);
      const bytes = readBytes(file, from.bytes, Math.max(0, size - from.bytes));
      const end = bytes.lastIndexOf("\n") + 1;
      from.bytes += end;
      return bytes.toString("utf8", 0, end).split("\n").flatMap(parsed);
    } finally {
      closeSync(file);
    }
  }

  #path(ago = 0): string {
    const service = () => sha256Of(this.#baseUrl).slice(0, 16);
    this.#name ??= `${service()}-${scryptSync(this.#key, this.#baseUrl, 2).toString("hex")}`;
    const day = new Date(this.#now() - ago * DAY).toISOString().slice(0, 10);
    return join(this.#root, this.#name, `${day}.jsonl`);
  }

  /** A failure becomes a warning: it never ends a call. */
  #guarded(action: () => void, warn = warnOnce): void {
    try {
      if (!this.#isBroken) action();
    } catch (error) {
      this.#isBroken = true;
      const why = escaped((error as Error).message, 500);
      warn("LEDGER_FAILED", `Requests are not counted for quota(): ${why} Set ledger: false to do without.`);
    }
  }

  /** Removes old days from all ledgers. */
  #prune(): void {
    const first = basename(this.#path(KEPT_DAYS));
    const paths = existsSync(this.#root) ? readdirSync(this.#root, { encoding: "utf8", recursive: true }) : [];
    const isOld = (name: string) => /^\d{4}-\d\d-\d\d\.jsonl$/.test(name) && name < first;
    for (const path of paths.filter((each) => isOld(basename(each)))) unlinkSync(join(this.#root, path));
  }
}

function parsed(line: string): LedgerLine[] {
  try {
    const [study, ...counts] = JSON.parse(line) as LedgerLine;
    const [sent, refused] = counts.filter((count) => Number.isSafeInteger(count) && count >= 0);
    return typeof study === "string" && sent !== undefined && refused !== undefined ? [[study, sent, refused]] : [];
  } catch {
    return [];
  }
}
