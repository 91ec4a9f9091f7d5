import type { RequestBudget } from "../http/requestBudget.js";
import type { Requester } from "../http/requester.js";
import type { RowShape } from "../json/rowShape.js";
import type { Page } from "./page.js";
import type { ProvenanceRecorder } from "./provenanceRecorder.js";
import type { Redact } from "./unreadableBody.js";

/** What a walk over pages needs besides the request. */
export interface WalkOptions {
  readonly requester: Requester;
  readonly recorder: ProvenanceRecorder;
  readonly redact: Redact;
  /** What the rows of the next page are checked against. */
  readonly shape: () => RowShape;
  /** Stop after this many rows; `undefined` for all. */
  readonly maxItems: number | undefined;
  /** Stop after this many pages; `undefined` for all. */
  readonly maxPages: number | undefined;
  /** The requests that may be sent. Once it is used up, the pages that came are the result. */
  readonly budget?: RequestBudget | undefined;
  /** Rows to ask for in one page, where the service lets one say and the request does not. */
  readonly pageSize: number;
  /**
   * Requests under way while a page is worked on: 0 asks for a page when its turn comes, 1 for the next one ahead, more
   * for several where pages have numbers.
   */
  readonly ahead: number;
  /**
   * How many of those requests a page allows, by what its consumer still needs; asked before anything is requested ahead.
   * What it throws ends the walk.
   */
  readonly prefetchLimit?: ((page: Page) => number) | undefined;
  /** Any of them stops the walk. */
  readonly signals: ReadonlyArray<AbortSignal | undefined>;
}
