import { APIError, ArchiveError } from "../../errors/index.js";
import { warn } from "../../errors/warn.js";

/** Rows per page to ask for, in turn, where the user set none; undefined leaves it to the service. */
const SIZES = [1000, 100, undefined] as const;
/** The page of a service that is not asked for a size. */
const SERVICE_DEFAULT = 20;

/** How a service refuses a limit. */
const REFUSALS: ReadonlySet<number> = new Set([400, 413, 422]);
/** Failures that a smaller page may not have, besides those with a status of 500 and above. */
const TOO_LARGE: ReadonlySet<string> = new Set(["TIMEOUT", "BODY_TRUNCATED"]);

interface SmallerPage {
  readonly rows: number | undefined;
  /** Once: the failure before it has been retried. */
  readonly isProbe: boolean;
}

/** The refusal of a first page. */
export interface SizeRefusal {
  readonly error: unknown;
  readonly asked: number | undefined;
}

/** Whether an error comes from a limit or a recording of the user, not from the service. */
export function isLocal(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return code === "OUT_OF_REQUESTS" || code === "NOT_IN_SNAPSHOT";
}

/**
 * The rows per page that a client asks for where several pages are fetched: those that the user chose, or as many as the service allows.
 * What the service has refused is remembered for the life of the client.
 */
export class PageSize {
  #at = 0;
  /** The largest limit that was accepted, and the largest page that came. */
  #accepted = 0;
  #largest = 0;
  /** Rows of a full page, if the service sends fewer than are asked for. */
  #maximum: number | undefined;

  constructor(readonly chosen?: number) {}

  /** Rows to ask for; undefined leaves it to the service. */
  get rows(): number | undefined {
    return this.chosen ?? SIZES[this.#at];
  }

  /** Rows of a full page, as far as is known. */
  get full(): number {
    return this.#maximum ?? this.rows ?? SERVICE_DEFAULT;
  }

  /**
   * The size to try after a page failed; null if its size cannot be the reason. After other pages only one that is too large is.
   *
   * @param asked the rows that it was asked for
   */
  smallerThan(asked: number | undefined, error: unknown, isFirst: boolean): SmallerPage | null {
    if (this.chosen !== undefined || asked === undefined || asked <= SERVICE_DEFAULT) return null;
    const rows = SIZES.find((size) => (size ?? 0) < asked);
    // The recording was made with another size.
    if (error instanceof ArchiveError && error.code === "NOT_IN_SNAPSHOT") return { rows, isProbe: false };
    if (!(error instanceof APIError)) return null;
    const { statusCode = 0, code } = error;
    const isTooLarge = statusCode === 413 || code === "BODY_TOO_LARGE";
    const mayBeLimit = REFUSALS.has(statusCode) && asked > this.#accepted;
    const mayBeSize = (statusCode >= 500 || TOO_LARGE.has(code)) && this.#largest <= (rows ?? SERVICE_DEFAULT);
    return isTooLarge || (isFirst && (mayBeLimit || mayBeSize)) ? { rows, isProbe: mayBeSize } : null;
  }

  /**
   * Learns from a first page that came.
   *
   * @param refusal how the service refused a larger one
   */
  accept(asked: number | undefined, rows: number, refusal: SizeRefusal | undefined): void {
    this.#accepted = Math.max(this.#accepted, asked ?? 0);
    this.#largest = Math.max(this.#largest, rows);
    const at = SIZES.findIndex((size) => size === undefined || size <= (asked ?? 0));
    if (!(refusal?.error instanceof APIError) || at <= this.#at) return;
    this.#at = at;
    const { statusCode, code } = refusal.error;
    const now = this.rows === undefined ? "pages of its default size" : `pages of ${this.rows} rows`;
    warn(
      "PAGE_SIZE",
      `The service refuses pages of ${refusal.asked} rows (${statusCode ?? code}), but not ${now}: this client asks for those from now on. ` +
        "To choose the size, set pageSize.",
    );
  }

  /** Learns from a page that others followed: if it was smaller than asked for, it shows the maximum of the service. */
  followed(asked: number | undefined, rows: number): void {
    const isOurs = asked !== undefined || this.rows === undefined;
    if (isOurs && rows > (this.#maximum ?? 0)) this.#maximum = rows === asked ? undefined : rows;
  }
}
