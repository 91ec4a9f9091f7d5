import { createHash } from "node:crypto";
import { appendFileSync, existsSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import pMap from "p-map";
import pRetry from "p-retry";
import { AbortedError, ArchiveError, ValidationError } from "../errors/index.js";
import {
  abortSignal,
  checkedOptions,
  invalid,
  nonEmptyString,
  nonNegativeInteger,
  positiveInteger,
} from "../errors/validators.js";
import type { PolarsFrame } from "../frames/polars.js";
import { makePrivateDirectory } from "../fs/makeDirectory.js";
import { readReceivedFile } from "../fs/readReceivedFile.js";
import { toFileError } from "../fs/toFileError.js";
import { type Codebook, type CodesOf, checkCode } from "./codebook.js";
import { type Code, checkColumns, codesFrame } from "./codes.js";
import { checkPassages, type Passage, passagesOf } from "./passages.js";

/** Codes one passage: calls a model, a rule, or anything else. */
export type Coder<V> = (
  passage: Passage,
  context: { readonly signal: AbortSignal },
) => Promise<CodesOf<V> & { readonly why?: string }> | (CodesOf<V> & { readonly why?: string });

/** Options of {@link codeWith}. */
export interface CodeWithOptions {
  /** The directory of the record; it is created. */
  record: string;
  /** The name of this coder, in the column `coder` and of the file of the record. Default "machine". */
  name?: string | undefined;
  /** The prompt, or whatever determines the answers besides the passage. Another prompt under the same name is refused. Default "". */
  prompt?: string | undefined;
  /** The model that answers, for the record. Default: null. */
  model?: string | undefined;
  /** Calls in flight. Default 4. */
  concurrency?: number | undefined;
  /** Calls of this run, retries included; further passages stay without codes. Default: as many as are needed. */
  maxCalls?: number | undefined;
  /** Retries of a call that throws or gives an answer that the codebook does not have. Default 2. */
  retries?: number | undefined;
  /** Milliseconds before the first retry; doubled before each further one. Default 1000. */
  retryDelay?: number | undefined;
  /** Is told after each passage how far it is. Default: a line on standard error every 50 passages, if that is a terminal. */
  onProgress?:
    | ((progress: { readonly done: number; readonly total: number; readonly calls: number }) => void)
    | undefined;
  /** Stops the run; what was answered is recorded. */
  signal?: AbortSignal | undefined;
}

const OPTIONS = "record name prompt model concurrency maxCalls retries retryDelay onProgress signal".split(" ");
const NAME = /^[\p{L}\p{N}][\p{L}\p{N}._-]{0,39}$/u;
const MAX_BYTES = 2_000_000_000;
const PROGRESS_STEP = 50;

/**
 * Codes passages with a function, for example one that asks a language model. This package calls no model itself.
 *
 * Every answer is checked against the codebook and recorded as a line of JSON before it counts: request hash, answer, model and time. A call that was stopped
 * or killed continues with what is missing, and the same call again is a replay that asks nothing. Answers to other passages, prompts or codebooks
 * are never used.
 *
 * @param frame a polars frame of mentions
 * @param book the codebook
 * @param coder gets a passage, returns its codes, with `why` if you like
 * @param options where to record, and limits
 * @returns a row for each coded passage: `row`, `coder`, the variables, `why`, `model`, `coded_at`, and the columns of the frame
 * @throws ValidationError for invalid arguments, and for another prompt, model or codebook under the same name; the error of the coder after its
 *   retries, with what was answered before in the record; AbortedError
 * @example
 * const rule = async ({ text }) => ({ stance: text.includes("SUPPORT") ? "support" : "neither" });
 * const machine = await codeWith(frame, book, rule, { record: "machine/", name: "rule", prompt: "version 1" });
 */
export async function codeWith<V>(
  frame: PolarsFrame,
  book: Codebook<V>,
  coder: Coder<V>,
  options: CodeWithOptions,
): Promise<PolarsFrame> {
  const given = checkedOptions(options, OPTIONS, "option of codeWith");
  const passages = passagesOf(checkPassages("frame", frame));
  checkColumns(frame, book, ["row", "coder", "coded_at", "why", "model"]);
  if (typeof coder !== "function") throw invalid("coder", coder, "Give a function that returns codes.");
  const name = given.name ?? "machine";
  if (!NAME.test(name)) throw invalid("name", name, "Give up to 40 letters, digits, dots, underscores and hyphens.");
  const { prompt = "", model = null } = given;
  const head = { coder: name, codebook: book.hash, prompt: hashOf(prompt), model };
  const record = new AnswerRecord(nonEmptyString("record", given.record, "machine/"), name, head);
  const signal = given.signal === undefined ? undefined : abortSignal("signal", given.signal);
  const stop = new AbortController();
  const both = AbortSignal.any([stop.signal, ...(signal === undefined ? [] : [signal])]);
  const requests = passages.map((passage) => ({
    passage,
    request: hashOf(JSON.stringify([head, passage.text, passage.row])),
  }));
  const open = requests.filter(({ request }) => !record.answers.has(request));
  const maxCalls =
    given.maxCalls === undefined ? Number.POSITIVE_INFINITY : nonNegativeInteger("maxCalls", given.maxCalls, 100);
  let calls = 0;
  let done = passages.length - open.length;
  const report = given.onProgress ?? terminalProgress(name);
  const retries = nonNegativeInteger("retries", given.retries ?? 2, 2);
  const minTimeout = nonNegativeInteger("retryDelay", given.retryDelay ?? 1000, 1000);
  try {
    await pMap(
      open,
      async ({ passage, request }) => {
        if (calls >= maxCalls || both.aborted) return;
        const answer = await pRetry(
          async () => {
            if (calls >= maxCalls) return undefined;
            calls++;
            return checkAnswer(await coder(passage, { signal: both }), book, passage.row);
          },
          { retries, minTimeout, signal: both },
        );
        if (answer === undefined) return;
        record.add({ request, row: passage.row, ...answer, model, coded_at: new Date().toISOString() });
        report({ done: ++done, total: passages.length, calls });
      },
      { concurrency: positiveInteger("concurrency", given.concurrency ?? 4, 4) },
    );
  } catch (error) {
    if (!signal?.aborted) {
      stop.abort();
      throw error instanceof ArchiveError
        ? error.advise(`${done} of ${passages.length} passages are in the record. Call it again to continue.`)
        : error;
    }
  }
  if (signal?.aborted)
    throw new AbortedError(
      `codeWith was stopped: ${done} of ${passages.length} passages are in the record.`,
      signal.reason,
    );
  const codes = requests.flatMap(({ passage: { row }, request }): Code[] => {
    const answer = record.answers.get(request);
    if (answer === undefined) return [];
    const { values, why, model: by, coded_at } = answer;
    return [{ row, coder: name, values, about: { why, model: by, coded_at } }];
  });
  return codesFrame(frame, book, codes, ["why", "model", "coded_at"], "codeWith");
}

/** A line of a record. */
interface Answer {
  readonly request: string;
  readonly row: string;
  readonly values: Code["values"];
  readonly why: string | null;
  readonly model: string | null;
  readonly coded_at: string;
}

/** What the lines of a record are answers to. */
type Head = Readonly<Record<"coder" | "codebook" | "prompt" | "model", string | null>>;

/** The answers of a coder, a line each; the first line says what they are answers to. */
class AnswerRecord {
  readonly answers = new Map<string, Answer>();
  readonly #path: string;

  constructor(directory: string, name: string, head: Head) {
    makePrivateDirectory(directory);
    this.#path = join(directory, `${name}.jsonl`);
    if (!existsSync(this.#path)) {
      this.#append(head);
      return;
    }
    const text = readReceivedFile(dirname(this.#path), basename(this.#path), MAX_BYTES).toString("utf8");
    const [first = "", ...lines] = text.split("\n");
    const known = parsed<Head>(first);
    const member = (["codebook", "prompt", "model"] as const).find((each) => known?.[each] !== head[each]);
    if (member !== undefined)
      throw new ValidationError(`invalid name: ${this.#path} has answers to another ${member}.`, {
        hint: `Give another name, for example name: "${name}-2", or delete the file.`,
        parameter: "name",
      });
    // A kill may have cut the last line: the next one begins on a line of its own.
    if (lines.at(-1) !== "") this.#write("\n");
    for (const line of lines) {
      const answer = parsed<Answer>(line);
      if (answer !== undefined) this.answers.set(answer.request, answer);
    }
  }

  add(answer: Answer): void {
    this.#append(answer);
    this.answers.set(answer.request, answer);
  }

  #append(line: object): void {
    this.#write(`${JSON.stringify(line)}\n`);
  }

  #write(text: string): void {
    try {
      appendFileSync(this.#path, text, { mode: 0o600 });
    } catch (error) {
      throw toFileError(error, this.#path);
    }
  }
}

function parsed<T>(line: string): T | undefined {
  try {
    return JSON.parse(line) as T;
  } catch {
    return undefined;
  }
}

/** @throws ValidationError for anything that the codebook does not have */
function checkAnswer(answer: unknown, book: Codebook<unknown>, row: string): Pick<Answer, "values" | "why"> {
  if (typeof answer !== "object" || answer === null)
    throw invalid("answer", answer, `A coder returns an object with codes (passage ${row}).`);
  const { why = null, ...codes } = answer as Record<string, unknown>;
  const unknown = Object.keys(codes).find((name) => book.variables.every((variable) => variable.name !== name));
  if (unknown !== undefined)
    throw invalid("answer", unknown, `The codebook has ${book.variables.map(({ name }) => name).join(", ")}.`);
  const values = Object.fromEntries(
    book.variables.map((variable) => [variable.name, checkCode(variable, codes[variable.name], `answer for ${row}`)]),
  );
  return { values, why: why === null ? null : String(why) };
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}

function terminalProgress(name: string): NonNullable<CodeWithOptions["onProgress"]> {
  return ({ done, total, calls }) => {
    if (process.stderr.isTTY && (done % PROGRESS_STEP === 0 || done === total))
      process.stderr.write(`${name}: ${done} of ${total} passages, ${calls} calls\n`);
  };
}
