import { escaped } from "../util/quoted.js";
import { copyCause } from "./causes.js";
import type { ErrorCode } from "./errorCode.js";
import type { AnyFetchedResult } from "./fetchedResult.js";
import { apiNotation, type Notation, type Wording, wording, write } from "./wording.js";

/** Longer messages and hints are clipped: they may quote something of a megabyte. */
const MAX_LENGTH = 4000;

/** The members of a new {@link ArchiveError}. */
export interface ArchiveErrorDetails {
  /** Default `"UNKNOWN"`. */
  code?: ErrorCode | undefined;
  /** What to type or do next: one or two sentences. Default: nothing. */
  hint?: Wording | undefined;
  /** The underlying error, if any. An error of another library is copied; its texts must not contain the API key. */
  cause?: unknown;
}

/** What `JSON.stringify` shows of an error: never the cause, never a secret. */
export interface ArchiveErrorJson {
  name: string;
  code: ErrorCode;
  message: string;
  hint: string;
}

/**
 * The base class of every error in this package. The message says what went wrong and ends with what to do next.
 *
 * @example
 * try {
 *   await archive.mentions("climate", { limit: 0 });
 * } catch (error) {
 *   if (error instanceof ArchiveError) console.log(error.code, "|", error.message);
 *   //=> INVALID_INPUT | invalid limit: 0. Give a whole number from 1, for example limit: 50.
 * }
 */
export class ArchiveError extends Error {
  /** The stable code of the error, see {@link ErrorCode}. */
  readonly code: ErrorCode;
  /** What to type or do next. The message ends with it. */
  readonly hint: string;
  /**
   * What a call over several pages had fetched before it failed; absent if nothing. Check `engine` to narrow the type of
   * `frame`.
   */
  declare partial?: AnyFetchedResult;
  readonly #what: Wording;
  #hint: Wording;

  static {
    nameClass(ArchiveError, "ArchiveError");
  }

  /**
   * @param what what went wrong, ending with a full stop
   * @param details code, hint and cause
   */
  constructor(what: Wording = "", details: ArchiveErrorDetails = {}) {
    const hint = details.hint ?? "";
    const { cause } = details;
    const safe = cause instanceof ArchiveError ? cause : copyCause(cause);
    super(messageOf(what, hint, apiNotation), cause === undefined ? undefined : { cause: safe });
    this.code = details.code ?? "UNKNOWN";
    this.hint = text(hint, apiNotation);
    this.#what = what;
    this.#hint = hint;
  }

  /**
   * Appends to hint and message, for a caller that knows more about what to do next than the code that threw.
   *
   * @internal
   */
  advise(advice: Wording): this {
    const more = text(advice, apiNotation);
    // Reading the stack freezes the message in it, so read it before the message changes.
    const { message: before, stack } = this;
    this.message = `${before} ${more}`;
    (this as { hint: string }).hint = this.hint === "" ? more : `${this.hint} ${more}`;
    this.#hint = this.#hint === "" ? advice : wording`${this.#hint} ${advice}`;
    this.stack = stack?.replace(before, () => this.message);
    return this;
  }

  /**
   * The message with its options in another notation: the command line has flags.
   *
   * @internal
   */
  messageIn(notation: Notation): string {
    return messageOf(this.#what, this.#hint, notation);
  }

  /** The error for `JSON.stringify`: name, code, message and hint. */
  toJSON(): ArchiveErrorJson {
    return { name: this.name, code: this.code, message: this.message, hint: this.hint };
  }
}

function messageOf(what: Wording, hint: Wording, notation: Notation): string {
  return [text(what, notation), text(hint, notation)].filter((part) => part !== "").join(" ");
}

/** Every message is escaped here: whatever it quotes stays on one line and cannot control a terminal. */
function text(words: Wording, notation: Notation): string {
  return escaped(write(words, notation), MAX_LENGTH);
}

/** Puts the name on the prototype: it shows in the stack, survives minifiers, and consoles do not print it twice. */
export function nameClass(errorClass: { readonly prototype: Error }, name: string): void {
  Object.defineProperty(errorClass.prototype, "name", { value: name, configurable: true, writable: true });
}
