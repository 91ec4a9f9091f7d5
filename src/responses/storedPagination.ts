import { randomBytes } from "node:crypto";
import type { PaginationContext, ServiceResponse } from "../service/http/requester.js";
import type { StoredResponse } from "./line.js";
import type { ResponseStore } from "./responseStore.js";
import type { Retrieval, Usable } from "./retrievals.js";

/** Searches page by cursor or by page number, so one or two changes of the retrieval are enough. */
const MAX_CHANGES = 4;

/**
 * Reads and stores the responses of one pagination. It reads one retrieval, and after a new response of the service it uses no stored
 * ones: otherwise rows that moved between pages from one retrieval to the next would be missing from a result that claims to be
 * complete. The responses that it stores become a new retrieval, together with the stored responses that it used before.
 */
export class StoredPagination {
  readonly #id = randomBytes(8).toString("hex");
  /** The retrieval that is read; undefined once the pagination depends on the service. */
  #source: Retrieval | undefined;
  #usesService = false;
  /** The stored responses used so far, in order, and those before them in their retrieval. */
  #used: StoredResponse[] = [];
  /** How many of them were added to its own retrieval. */
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

  /** Whether an earlier pagination with as many rows ended without needing the missing responses. */
  get isCovered(): boolean {
    return this.#source !== undefined && this.#source.finished >= this.context.rows;
  }

  /** Must be called before each request to the service. */
  beforeRequest(refused: boolean): void {
    // A page requested ahead may not matter: `add` decides.
    if (!refused && !this.isCovered) this.#switchToService();
  }

  async add(get: string, response: Omit<ServiceResponse, "headers">): Promise<void> {
    if (response.status <= 299) this.#switchToService();
    else if (this.#source?.find(get)?.status === response.status) return;
    const { line, packed } = await this.store.pack(get, this.#id, response);
    this.#copyUsed();
    this.store.record(line, true, packed);
    this.#stored.set(get, line);
  }

  /** Whether the recorded pagination started over at this point. */
  get startedOver(): boolean {
    const { restarts = 0 } = this.context;
    return this.#source?.find(`${this.#source.firstRequest.replace(/#.*/, "")}#${restarts + 1}`) !== undefined;
  }

  #switchToService(): void {
    this.#usesService = true;
    this.#source = undefined;
  }

  /** Adds the lines (not the bodies) of the used responses to its own retrieval. */
  #copyUsed(): void {
    for (const response of this.#used.slice(this.#copied))
      this.store.record({ ...response, retrieval: this.#id }, true);
    this.#copied = this.#used.length;
  }
}
