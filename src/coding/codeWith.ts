import { existsSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import pMap from "p-map";
import pRetry from "p-retry";
import { ArchiveError, abortedError, ValidationError } from "../errors/index.js";
import { abortSignal, checkedOptions, invalid, nonNegativeInteger, positiveInteger } from "../errors/validators.js";
import type { PolarsFrame } from "../frames/polars.js";
import { makePrivateDirectory } from "../fs/makeDirectory.js";
import { appendPrivateFile } from "../fs/openPrivateFile.js";
import { readReceivedFile } from "../fs/readReceivedFile.js";
import { withFileErrors } from "../fs/toFileError.js";
import { userPath } from "../fs/userPath.js";
import { isObject } from "../util/isObject.js";
import { type Codebook, type CodesOf, checkCode } from "./codebook.js";
import { type Code, codesFrame, refuseTakenNames } from "./codes.js";
import { checkPassages, hashOf, type Passage, passagesOf } from "./passages.js";

/** Codes one passage: calls a model, a rule, or anything else. */
export type Coder<V, A extends CodesOf<V> = CodesOf<V>> = (
  passage: Passage,
  context: { readonly signal: AbortSignal },
) => A | Promise<A>;

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
  /** Called after each passage. Default: a line on standard error every 50 passages, if that is a terminal. */
  onProgress?:
    | ((progress: { readonly done: number; readonly total: number; readonly calls: number }) => void)
    | undefined;
  /** Stops the run; answers so far are in the record. */
  signal?: AbortSignal | undefined;
}

const OPTIONS = "record name prompt model concurrency maxCalls retries retryDelay onProgress signal".split(" ");
const NAME = /^[\p{L}\p{N}][\p{L}\p{N}._-]{0,39}$/u;
const MAX_BYTES = 2_000_000_000;

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
 *   retries, with what was answered before in the record; `ABORTED`
 * @example
 * const machine = await codeWith(
 *   frame,
 *   book,
 *   async ({ text }) => ({ stance: text.includes("SUPPORT") ? "support" : "neither" }),
 *   { record: "machine/", name: "rule", prompt: "version 1" },
 * );
 */
export async function codeWith<V, const A extends CodesOf<V>>(
  frame: PolarsFrame,
  book: Codebook<V>,
  coder: Coder<V, A>,
  options: CodeWithOptions,
): Promise<PolarsFrame> {
  const given = checkedOptions(options, OPTIONS, "option of codeWith");
  const passages = passagesOf(checkPassages("frame", frame));
  refuseTakenNames(frame, book, ["row", "coder", "coded_at", "why", "model"]);
  if (typeof coder !== "function") throw invalid("coder", coder, "Give a function that returns codes.");
  const { name = "machine", prompt = "", model = null } = given;
  if (!NAME.test(name)) throw invalid("name", name, "Give up to 40 letters, digits, dots, underscores and hyphens.");
  const maxCalls = given.maxCalls === undefined ? Infinity : nonNegativeInteger("maxCalls", given.maxCalls, 100);
  const concurrency = positiveInteger("concurrency", given.concurrency ?? 4, 4);
  const retries = nonNegativeInteger("retries", given.retries ?? 2, 2);
  const minTimeout = nonNegativeInteger("retryDelay", given.retryDelay ?? 1000, 1000);
  const stop = new AbortController();
  const signals = given.signal === undefined ? [] : [abortSignal("signal", given.signal)];
  const signal = AbortSignal.any([stop.signal, ...signals]);
  const head = { coder: name, codebook: book.hash, prompt: hashOf(prompt), model };
  const record = openRecord(join(userPath("record", given.record, "machine/"), `${name}.jsonl`), head);
  const requestOf = ({ text, row }: Passage) => hashOf(JSON.stringify([head, text, row]));
  const requests = passages.map((passage) => ({ passage, request: requestOf(passage) }));
  const open = requests.filter(({ request }) => !record.answers.has(request));
  const report = given.onProgress ?? terminalProgress(name);
  const total = passages.length;
  let [calls, done] = [0, total - open.length];
  const answer = async (passage: Passage) => {
    if (calls >= maxCalls) return undefined;
    calls++;
    return checkAnswer(await coder(passage, { signal }), book, passage.row);
  };
  try {
    await pMap(
      open,
      async ({ passage, request }) => {
        if (signal.aborted) return;
        const answered = await pRetry(() => answer(passage), { retries, minTimeout, signal });
        if (answered === undefined) return;
        record.add({ request, row: passage.row, ...answered, model, coded_at: new Date().toISOString() });
        report({ done: ++done, total, calls });
      },
      { concurrency },
    );
    signal.throwIfAborted();
  } catch (error) {
    const recorded = `${done} of ${total} passages are in the record.`;
    if (signal.aborted) throw abortedError(`codeWith was stopped: ${recorded}`, signal.reason);
    stop.abort();
    throw error instanceof ArchiveError ? error.advise(`${recorded} Call it again to continue.`) : error;
  }
  const rows = passages.map(({ row }) => row);
  const codes = requests.flatMap(({ passage: { row }, request }): Code[] => {
    const { values, ...about } = record.answers.get(request) ?? {};
    return values === undefined ? [] : [{ row, coder: name, values, about }];
  });
  const step = ["codeWith", "joined", { coder: name, model: model ?? undefined, prompt: prompt || undefined }] as const;
  return codesFrame(frame, rows, book, codes, ["why", "model", "coded_at"], step);
}

/** A line of a record. */
type Answer = Pick<Code, "row" | "values"> & { request: string } & Record<"why" | "model" | "coded_at", string | null>;

type Head = Record<"coder" | "codebook" | "prompt" | "model", string | null>;

/** The answers of a coder in a file, a line each; its first line says what they are answers to. */
function openRecord(path: string, head: Head) {
  const append = (text: string) => withFileErrors(path, () => appendPrivateFile(path, text));
  makePrivateDirectory(dirname(path));
  const text = existsSync(path) ? readReceivedFile(dirname(path), basename(path), MAX_BYTES).toString("utf8") : "";
  const [first = "", ...lines] = text.split("\n");
  const known = text === "" ? head : parsed<Head>(first);
  const member = (["codebook", "prompt", "model"] as const).find((each) => known?.[each] !== head[each]);
  const hint = `Give another name, for example name: "${head.coder}-2", or delete the file.`;
  if (member !== undefined)
    throw new ValidationError(`invalid name: ${path} has answers to another ${member}.`, { hint, parameter: "name" });
  if (text === "") append(`${JSON.stringify(head)}\n`);
  // A kill may have cut the last line: the next one begins on a line of its own.
  else if (!text.endsWith("\n")) append("\n");
  const answers = new Map<string, Answer>();
  for (const answer of lines.map(parsed<Answer>))
    if (isObject(answer) && isObject(answer.values)) answers.set(answer.request, answer);
  const add = (answer: Answer) => {
    append(`${JSON.stringify(answer)}\n`);
    answers.set(answer.request, answer);
  };
  return { answers, add };
}

function parsed<T>(line: string): T | undefined {
  try {
    return JSON.parse(line) as T;
  } catch {
    return undefined;
  }
}

/** @throws ValidationError for anything that the codebook does not have */
function checkAnswer(answer: unknown, { variables }: Codebook<unknown>, row: string): Pick<Answer, "values" | "why"> {
  if (!isObject(answer)) throw invalid("answer", answer, `A coder returns an object with codes (passage ${row}).`);
  const { why = null, ...codes } = answer as Record<string, unknown>;
  const names = variables.map(({ name }) => name);
  const unknown = Object.keys(codes).find((name) => !names.includes(name));
  if (unknown !== undefined) throw invalid("answer", unknown, `The codebook has ${names.join(", ")}.`);
  const values = variables.map((each) => [each.name, checkCode(each, codes[each.name], `answer for ${row}`)]);
  return { values: Object.fromEntries(values), why: why === null ? null : String(why) };
}

function terminalProgress(name: string): NonNullable<CodeWithOptions["onProgress"]> {
  return ({ done, total, calls }) => {
    if (process.stderr.isTTY && (done % 50 === 0 || done === total))
      process.stderr.write(`${name}: ${done} of ${total} passages, ${calls} calls\n`);
  };
}
