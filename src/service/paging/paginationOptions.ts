import type { RowShape } from "../../pages/rows.js";
import type { RequestBudget } from "../http/requestBudget.js";
import type { Requester } from "../http/requester.js";
import type { Page } from "./page.js";
import type { ProvenanceRecorder } from "./provenanceRecorder.js";
import type { Redact } from "./unreadableBody.js";

/** What a pagination needs besides the request. */
export interface PaginationOptions {
  readonly requester: Requester;
  readonly recorder: ProvenanceRecorder;
  readonly redact: Redact;
  /** Returns the shape to check the rows of the next page against. */
  readonly shape: () => RowShape;
  /** Stop after this many rows; `undefined` for all. */
  readonly maxItems?: number | undefined;
  /** Stop after this many pages; `undefined` for all. */
  readonly maxPages?: number | undefined;
  /** The requests that may be sent. Once it is used up, the result is the pages so far. */
  readonly budget?: RequestBudget | undefined;
  /** Rows per page, if the operation takes a limit and the request does not set one. */
  readonly pageSize: number;
  /**
   * Requests in flight while a page is processed: 0 requests each page on demand, 1 prefetches the next page, more
   * prefetch several if pages have numbers.
   */
  readonly ahead: number;
  /**
   * Lowers `ahead` after a page to what its consumer still needs. Called before anything is prefetched; an error that it
   * throws ends the pagination.
   */
  readonly prefetchLimit?: ((page: Page) => number) | undefined;
  /** Each of them stops the pagination when it aborts. */
  readonly signals: ReadonlyArray<AbortSignal | undefined>;
}
