/** A page that cannot be used: it passed for JSON at a glance and is none, or (the cause is an ArchiveError) makes the frame too large. */
export class UnusablePageError extends Error {
  /** @param page how many pages came before it */
  constructor(
    readonly page: number,
    cause: unknown,
  ) {
    super("a page cannot be used", { cause });
  }
}
