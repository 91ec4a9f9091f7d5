import { randomBytes } from "node:crypto";
import type { PaginationContext, ServiceResponse } from "../service/http/requester.js";
import type { StoredResponse } from "./line.js";
import type { ResponseStore } from "./responseStore.js";
import type { Retrieval, Usable } from "./retrievals.js";

/** Paginations page by cursor or by page number, so one or two switches to an equal retrieval are enough. */
const MAX_SWITCHES = 4;

const orNull = (count: number) => (count === Number.POSITIVE_INFINITY ? null : count);

/**
 * Reads and stores the responses of one pagination over a search. All stored responses that a pagination uses belong to one retrieval, and once it
 * depends on a new response of the service, it uses no older ones. Otherwise rows that moved between pages from one retrieval to the next
 * would be missing from a result that claims to be complete. What the pagination stores becomes a retrieval of its own, together with
 * the stored responses that it used before.
 */
export class StoredPagination {
  readonly #id = randomBytes(8).toString("hex");
  /** The retrieval that the pagination reads; undefined once it depends on the service. */
  #source: Retrieval | undefined;
  #hasChosen = false;
  #usesService = false;
  /** Whether this is the rest of a search that another pagination began: its own end does not tell how many rows the search has. */
  #isRest = false;
  /** The stored responses that the pagination has used, in order, and those before them in their retrieval. */
  #used: StoredResponse[] = [];
  /** How many of them the pagination has added to its own retrieval. */
  #copied = 0;
  readonly #stored = new Map<string, StoredResponse>();
  #switches = 0;

  /** @param context the pagination; rows 0 for a lookup */
  constructor(
    readonly store: ResponseStore,
    readonly context: PaginationContext,
    readonly usable: Usable,
  ) {
    context.onEnd = (rows) => {
      if (this.#stored.size === 0 || this.#isRest) return;
      this.#copyUsed();
      store.record({ finished: this.#id, wanted: orNull(context.rows), rows: orNull(rows) });
    };
  }

  /** Finds a stored response to the next request of the pagination. */
  find(get: string): StoredResponse | undefined {
    const { retrievals } = this.store;
    if (!this.#hasChosen) {
      this.#hasChosen = true;
      this.#source = retrievals.choose(get, this.context.rows, this.usable);
      const rest = this.#source === undefined ? retrievals.interruptedBefore(get) : undefined;
      this.#isRest = rest !== undefined;
      this.#used = (this.#source ?? rest)?.before(get) ?? [];
    }
    if (this.#usesService) return this.#stored.get(get);
    let match = this.#source?.find(get);
    if (match === undefined && this.#source !== undefined && this.#switches++ < MAX_SWITCHES) {
      const equal = retrievals.equalSoFar(this.#used, get, this.usable);
      match = equal?.find(get);
      if (match !== undefined) this.#source = equal;
    }
    if (match !== undefined) this.#used.push(match);
    return match;
  }

  /** Whether an earlier pagination like this one ended without the responses that its retrieval does not have. */
  get isCovered(): boolean {
    return this.#source?.finished.has(this.context.rows) === true || this.#source?.covers(this.context.rows) === true;
  }

  /** Must be called before each request to the service. */
  beforeRequest(refused: boolean): void {
    // A page that was requested ahead may not matter: the response decides.
    if (!refused && !this.#source?.covers(this.context.rows)) this.#switchToService();
  }

  /** Stores a response of the service. */
  async add(get: string, response: Omit<ServiceResponse, "headers">): Promise<void> {
    if (response.status <= 299) this.#switchToService();
    else if (this.#source?.find(get)?.status === response.status) return;
    const { line, packed } = await this.store.pack(get, this.#id, response);
    this.#copyUsed();
    this.store.record(line, !this.#isRest, packed);
    this.#stored.set(get, line);
  }

  #switchToService(): void {
    this.#usesService = true;
    this.#source = undefined;
  }

  /** Adds the stored responses that the pagination has used to its own retrieval: their lines, not their bodies. */
  #copyUsed(): void {
    for (const response of this.#used.slice(this.#copied))
      this.store.record({ ...response, retrieval: this.#id }, !this.#isRest);
    this.#copied = this.#used.length;
  }
}
