import type { ArchiveError } from "../errors/index.js";

/** A page that makes the frame too large. The cause is the error for the user. */
export class UnusablePageError extends Error {
  declare readonly cause: ArchiveError;

  /** @param page the number of pages before it */
  constructor(
    readonly page: number,
    cause: ArchiveError,
  ) {
    super("a page cannot be used", { cause });
  }
}
