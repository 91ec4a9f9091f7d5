/** An unusable page: it passed the scan but is not valid JSON, or it makes the frame too large (the cause is an ArchiveError). */
export class UnusablePageError extends Error {
  /** @param page the number of pages before it */
  constructor(
    readonly page: number,
    cause: unknown,
  ) {
    super("a page cannot be used", { cause });
  }
}
