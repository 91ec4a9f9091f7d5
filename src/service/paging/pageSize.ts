import { APIError } from "../../errors/index.js";
import { warn, warnOnce } from "../../errors/warn.js";

/** Rows per page to ask for where the user sets none. */
const SIZE = 1000;
/** The page of a service that is not asked for a size. */
const SERVICE_DEFAULT = 20;

/** How a service refuses a limit. */
const REFUSALS: ReadonlySet<number | undefined> = new Set([400, 413, 422]);

/** The rows per page of a client. Once the service has refused our size, it sends its default. */
export class PageSize {
  #isRefused: boolean | undefined;

  constructor(readonly chosen?: number) {}

  /** Rows to ask for; undefined leaves it to the service. */
  get rows(): number | undefined {
    return this.chosen ?? (this.#isRefused ? undefined : SIZE);
  }

  /** Rows of a full page. */
  get full(): number {
    return this.rows ?? SERVICE_DEFAULT;
  }

  /** Whether a first page may have failed because of its size, so that it is worth one request without a size. */
  mayBeRefused(limit: number, error: unknown): error is APIError {
    if (this.chosen !== undefined || limit <= SERVICE_DEFAULT || this.#isRefused === false) return false;
    return error instanceof APIError && REFUSALS.has(error.statusCode);
  }

  accept(): void {
    this.#isRefused ??= false;
  }

  /** After a first page that failed came without a size. */
  refuse(limit: number, { statusCode }: APIError): void {
    this.#isRefused = true;
    warn(
      "PAGE_SIZE",
      `The service refuses pages of ${limit} rows (${statusCode}), but not pages of its default size: this client asks for those from now on. To choose the size, set pageSize.`,
    );
  }
}

/** Says once that a single page has fewer rows than were asked for. A small result has a cursor, too: only maximums are round numbers. */
export function warnOfFewer(limit: number, rows: number): void {
  if (rows === 0 || rows % 10 !== 0) return;
  warnOnce(
    "FEWER_ROWS",
    `The service sent a page of ${rows} rows, although ${limit} were asked for and its cursor leads on: it may allow no more per page. To get more rows, set maxItems, which fetches as many pages as it takes.`,
  );
}
