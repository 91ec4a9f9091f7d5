import { APIError, ArchiveError } from "../../errors/index.js";
import { warn, warnOnce } from "../../errors/warn.js";

/** Rows per page to ask for where the user sets none. */
const SIZE = 1000;
/** The page of a service that is not asked for a size. */
const SERVICE_DEFAULT = 20;

/** How a service refuses a limit, besides a status of 500 and above. */
const REFUSALS: ReadonlySet<number | string> = new Set([400, 413, 422, "TIMEOUT", "BODY_TOO_LARGE"]);

/** The rows per page of a client. Once the service has refused our size, it sends its default. */
export class PageSize {
  #answer: "accepted" | "refused" | undefined;
  /** Rows of a full page, if the service sends fewer than it is asked for. */
  #maximum: number | undefined;

  constructor(readonly chosen?: number) {}

  /** Rows to ask for; undefined leaves it to the service. */
  get rows(): number | undefined {
    return this.chosen ?? (this.#answer === "refused" ? undefined : SIZE);
  }

  /** Rows of a full page, as far as the client has seen. */
  get full(): number {
    return this.#maximum ?? this.rows ?? SERVICE_DEFAULT;
  }

  /** Whether a first page may have failed because of its size, so that it is worth one request without a size. */
  mayBeRefused(limit: number, error: unknown): boolean {
    if (this.chosen !== undefined || limit <= SERVICE_DEFAULT || !(error instanceof ArchiveError)) return false;
    // The service may have refused our size when the snapshot was recorded.
    if (error.code === "NOT_IN_SNAPSHOT") return true;
    const { statusCode = 0 } = error instanceof APIError ? error : {};
    const isRefusal = statusCode >= 500 || REFUSALS.has(statusCode) || REFUSALS.has(error.code);
    return isRefusal && this.#answer !== "accepted";
  }

  accept(): void {
    this.#answer ??= "accepted";
  }

  /** After a first page that failed came without a size. */
  refuse(limit: number, error: unknown): void {
    if (!(error instanceof APIError)) return;
    this.#answer = "refused";
    const { statusCode, code } = error;
    warn(
      "PAGE_SIZE",
      `The service refuses pages of ${limit} rows (${statusCode ?? code}), but not pages of its default size: this client asks for those from now on. To choose the size, set pageSize.`,
    );
  }

  /** Learns from a page that others followed: with fewer rows than it was asked for, it shows the maximum of the service. */
  observe(limit: number, rows: number): void {
    this.#maximum = rows < limit ? Math.max(this.#maximum ?? 0, rows) : undefined;
  }

  /** Says once that a single page has fewer rows than were asked for. A small result has a cursor, too: only maximums are round numbers. */
  warnOfFewer(limit: number, rows: number): void {
    if (rows === 0 || rows >= limit || rows % 10 !== 0) return;
    warnOnce(
      "FEWER_ROWS",
      `The service sent a page of ${rows} rows, although ${limit} were asked for and its cursor leads on: it may allow no more per page. To get more rows, set maxItems, which fetches as many pages as it takes.`,
    );
  }
}
