import { join } from "node:path";
import { makePrivateDirectory, userDirectory } from "../fs/makeDirectory.js";
import { readReceivedFile } from "../fs/readReceivedFile.js";
import { writeFileAtomic } from "../fs/writeFileAtomic.js";
import type { Content } from "./protocol/wire.js";

/** A cell: the number of its kernel, its execution count, and its code. */
type Entry = readonly [session: number, line: number, code: string];

const FILE = "history.jsonl";

/** Maximum number of cells, and of characters per cell. */
const MAX_ENTRIES = 1000;
const MAX_CODE = 10_000;
const MAX_BYTES = 64e6;

/** A key or password in the code itself. */
const LITERAL_SECRET = /(?:key|token|secret|password|passwd)["'\]]*\s*[:=]\s*["'`]/i;

/**
 * The cells that the user typed in any notebook or console, for the arrow keys of `jupyter console`. They are kept in a file that only
 * the user can read; cells that contain a secret are left out. Two kernels that write at the same time may lose a cell.
 */
export class History {
  readonly #directory: string;
  #session: number | undefined;

  /** @param hasSecret whether a text contains the API key, or what was typed into a hidden prompt */
  constructor(
    private readonly hasSecret: (text: string) => boolean,
    env: NodeJS.ProcessEnv = process.env,
  ) {
    this.#directory = userDirectory("state", env);
  }

  /** Adds a cell, and removes older ones that turn out to contain a secret. */
  add(line: number, code: string): void {
    if (code.trim() === "" || code.length > MAX_CODE) return;
    try {
      const before = this.#read();
      this.#session ??= (before.at(-1)?.[0] ?? 0) + 1;
      const entries = [...before, [this.#session, line, code] as const].filter((entry) => !this.#isSecret(entry[2]));
      makePrivateDirectory(this.#directory);
      const lines = entries.slice(-MAX_ENTRIES).map((entry) => `${JSON.stringify(entry)}\n`);
      writeFileAtomic(join(this.#directory, FILE), lines.join(""), 0o600);
    } catch {
      // A full or read-only disk is no reason for a cell to fail.
    }
  }

  /** The content of `history_reply`: the newest cells, or those that match a pattern or are in a range, oldest first. */
  reply(request: Content): Content {
    const { hist_access_type: access, n, pattern = "*", unique, output, session = 0, start = 0, stop } = request;
    const found = this.#read().filter(([from, line, code]) => {
      if (access === "search") return matches(String(pattern), code);
      if (access !== "range") return true;
      const asked = Number(session) > 0 ? Number(session) : (this.#session ?? 1) + Number(session);
      return from === asked && line >= Number(start) && line < Number(stop ?? Number.POSITIVE_INFINITY);
    });
    const codes = found.map(([, , code]) => code);
    const kept = unique === true ? found.filter(([, , code], at) => codes.lastIndexOf(code) === at) : found;
    const limited = typeof n === "number" ? kept.slice(Math.max(0, kept.length - n)) : kept;
    // Outputs are not kept.
    return { history: limited.map(([from, line, code]) => [from, line, output === true ? [code, null] : code]) };
  }

  #isSecret(code: string): boolean {
    return LITERAL_SECRET.test(code) || this.hasSecret(code);
  }

  #read(): Entry[] {
    const parse = (line: string): Entry[] => {
      const [session, count, code] = JSON.parse(line) as unknown[];
      return [[Number(session), Number(count), String(code)]];
    };
    const lines = orNone(() => readReceivedFile(this.#directory, FILE, MAX_BYTES).toString().split("\n"));
    return lines.flatMap((line) => orNone(() => parse(line)));
  }
}

/** A list, or none of its items if it cannot be read. */
function orNone<T>(read: () => T[]): T[] {
  try {
    return read();
  } catch {
    return [];
  }
}

/** Whether a whole text matches a pattern, in which `*` is any text and `?` any character. */
function matches(pattern: string, text: string): boolean {
  let [at, star, resumed] = [0, -1, 0];
  for (let from = 0; from < text.length; ) {
    if (pattern[at] === "*") {
      star = at++;
      resumed = from;
    } else if (at < pattern.length && (pattern[at] === "?" || pattern[at] === text[from])) {
      at++;
      from++;
    } else if (star >= 0) {
      // The last `*` takes one character more.
      at = star + 1;
      from = ++resumed;
    } else return false;
  }
  return /^\**$/.test(pattern.slice(at));
}
