/** A page that passed for JSON at a glance, and is none. */
export class BrokenPage extends Error {
  /** @param page how many pages came before it */
  constructor(
    readonly page: number,
    cause: unknown,
  ) {
    super("a page is not JSON", { cause });
  }
}
