import { escaped } from "../util/quoted.js";
import type { ErrorCode } from "./errorCode.js";
import { harmlessCause } from "./harmlessCause.js";

/** Longer messages and hints are clipped: they may name something of a megabyte. */
const MAX_LENGTH = 4000;

/** What every error of this package is built from. */
export interface ArchiveErrorDetails {
  /** The stable code of the error. Default: that of the class. */
  code?: ErrorCode | undefined;
  /** What to type or do next: one or two sentences. Default: nothing. */
  hint?: string | undefined;
  /** The error underneath, if there is one. It must not hold the key. */
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
 * The base of every error of this package. The message says what was wrong and ends with what to do next.
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
  /** What to type or do next; also the end of the message. */
  readonly hint: string;

  static {
    nameClass(ArchiveError, "ArchiveError");
  }

  /**
   * @param what what was wrong, ending with a full stop
   * @param details code, hint and cause
   */
  constructor(what = "", details: ArchiveErrorDetails = {}) {
    // One place for every error: whatever is named in a message, it stays on its line and cannot act on a terminal.
    const [problem, hint] = [escaped(what, MAX_LENGTH), escaped(details.hint ?? "", MAX_LENGTH)];
    super(
      hint === "" ? problem : `${problem} ${hint}`,
      details.cause === undefined ? undefined : { cause: harmlessCause(details.cause) },
    );
    this.code = details.code ?? "UNKNOWN";
    this.hint = hint;
  }

  /** Adds to what to do next: whoever hands an error on may know more of that than who made it. */
  advise(advice: string): this {
    const more = escaped(advice, MAX_LENGTH);
    // The stack takes the message when it is first looked at, so that has to be before.
    const { message: before, stack } = this;
    this.message = `${before} ${more}`;
    (this as { hint: string }).hint = this.hint === "" ? more : `${this.hint} ${more}`;
    this.stack = stack?.replace(before, () => this.message);
    return this;
  }

  /** The error for `JSON.stringify`, without cause and stack. */
  toJSON(): ArchiveErrorJson {
    return { name: this.name, code: this.code, message: this.message, hint: this.hint };
  }
}

/**
 * Puts the name on the prototype: it then stands in the stack, survives a minifier, and is no own property that
 * a console would print a second time.
 */
export function nameClass(errorClass: { readonly prototype: Error }, name: string): void {
  Object.defineProperty(errorClass.prototype, "name", { value: name, configurable: true, writable: true });
}
