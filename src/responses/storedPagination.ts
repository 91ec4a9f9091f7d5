import { randomBytes } from "node:crypto";
import type { PaginationContext, ServiceResponse } from "../service/http/requester.js";
import type { StoredResponse } from "./line.js";
import type { ResponseStore } from "./responseStore.js";
import type { Retrieval, Usable } from "./retrievals.js";

/** Paginations page by cursor or by page number, so one or two changes to an equal retrieval are enough. */
const MAX_CHANGES = 4;

/**
 * Reads and stores the responses of one pagination over a search. Its pages stay in the order in which they arrived: it reads one retrieval, and
 * once it depends on a new response of the service, it uses no older ones. Otherwise rows that moved between pages from one retrieval to the
 * next would be missing from a result that claims to be complete. What the pagination stores becomes a retrieval of its own, together with
 * the stored responses that it used before.
 */
export class StoredPagination {
  readonly #id = randomBytes(8).toString("hex");
  /** The retrieval that the pagination reads; undefined once it depends on the service. */
  #source: Retrieval | undefined;
  #usesService = false;
  /** The stored responses that the pagination has used, in order, and those before them in their retrieval. */
  #used: StoredResponse[] = [];
  /** How many of them the pagination has added to its own retrieval. */
  #copied = 0;
  readonly #stored = new Map<string, StoredResponse>();
  #changes = 0;

  /** @param context the pagination; rows 0 for a lookup */
  constructor(
    readonly store: ResponseStore,
    readonly context: PaginationContext,
    readonly usable: Usable,
  ) {
    context.onEnd = (rows) => {
      if (this.#stored.size === 0) return;
      this.#copyUsed();
      store.record({ finished: this.#id, rows: rows === Number.POSITIVE_INFINITY ? null : rows });
    };
  }

  /** Finds a stored response to the next request of the pagination. */
  find(get: string): StoredResponse | undefined {
    const { retrievals } = this.store;
    if (this.#usesService) return this.#stored.get(get);
    if (this.#source === undefined) {
      this.#source = retrievals.choose(get, this.context.rows, this.usable);
      this.#used = this.#source?.before(get) ?? [];
    } else if (this.#source.find(get) === undefined && this.#changes++ < MAX_CHANGES) {
      this.#source = retrievals.continuing(this.#used, get, this.usable) ?? this.#source;
    }
    const match = this.#source?.find(get);
    if (match !== undefined) this.#used.push(match);
    return match;
  }

  /** Whether an earlier pagination like this one ended without the responses that its retrieval does not have. */
  get isCovered(): boolean {
    return this.#source !== undefined && this.#source.finished >= this.context.rows;
  }

  /** Must be called before each request to the service. */
  beforeRequest(refused: boolean): void {
    // A page that was requested ahead may not matter: the response decides.
    if (!refused && !this.isCovered) this.#switchToService();
  }

  /** Stores a response of the service. */
  async add(get: string, response: Omit<ServiceResponse, "headers">): Promise<void> {
    if (response.status <= 299) this.#switchToService();
    else if (this.#source?.find(get)?.status === response.status) return;
    const { line, packed } = await this.store.pack(get, this.#id, response);
    this.#copyUsed();
    this.store.record(line, true, packed);
    this.#stored.set(get, line);
  }

  /** Whether the pagination that is read started over where it has no further response. */
  get startedOver(): boolean {
    const { restarts = 0 } = this.context;
    return this.#source?.find(`${this.#source.firstRequest.replace(/#.*/, "")}#${restarts + 1}`) !== undefined;
  }

  #switchToService(): void {
    this.#usesService = true;
    this.#source = undefined;
  }

  /** Adds the stored responses that the pagination has used to its own retrieval: their lines, not their bodies. */
  #copyUsed(): void {
    for (const response of this.#used.slice(this.#copied))
      this.store.record({ ...response, retrieval: this.#id }, true);
    this.#copied = this.#used.length;
  }
}
