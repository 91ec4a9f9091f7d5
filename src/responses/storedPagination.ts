import { randomBytes } from "node:crypto";
import type { Cost, PaginationContext } from "../service/http/requester.js";
import type { RetrievalPart, StoredResponse } from "./line.js";
import type { NewResponse, ResponseStore } from "./responseStore.js";
import { firstOrder, type Retrieval } from "./retrievals.js";

/** Pages are read by cursor or by page number, so one or two switches to an equal retrieval are enough. */
const MAX_SWITCHES = 4;

/** Decides whether stored responses may be used. */
export type Usable = (of: { readonly begunAt: string; readonly own: boolean }) => boolean;

/**
 * Reads and stores the responses of one pagination over a search. All stored responses that a pagination uses belong to one retrieval, and once it
 * depends on a new response of the service, it uses no older ones. Otherwise rows that moved between pages from one retrieval to the next
 * would be missing from a result that claims to be complete.
 */
export class StoredPagination {
  #retrieval: Retrieval | undefined;
  #hasChosen = false;
  /** The retrieval to which the pagination adds responses although it has not read from it. */
  #continues: Retrieval | undefined;
  #usesService = false;
  /** The position that the pagination has reached in its retrieval: earlier responses are not used. */
  #position = 0;
  #part: RetrievalPart | undefined;
  #hasStored = false;
  #requestCount = 0;
  /** The stored responses that the pagination has used, in order. */
  readonly #used: StoredResponse[] = [];
  #switches = 0;

  /** @param context the pagination; undefined for a lookup, which gets the newest response */
  constructor(
    readonly store: ResponseStore,
    readonly context: PaginationContext | undefined,
    readonly usable: Usable,
  ) {
    if (context === undefined) return;
    context.onEnd = (rows) => {
      // Of a search that began elsewhere, this pagination has seen the end only.
      if (this.#hasStored && this.#part !== undefined && this.#continues === undefined)
        store.recordFinished(this.#part.generation, context.rows, rows);
    };
  }

  /** Finds a stored response to the next request of the pagination. */
  find(get: string): StoredResponse | undefined {
    const { retrievals } = this.store;
    if (this.context === undefined) {
      const response = retrievals.newest(get);
      const isUsable =
        response !== undefined && this.usable({ begunAt: response.receivedAt, own: this.store.isOwn(response) });
      return isUsable ? response : undefined;
    }
    if (!this.#hasChosen) {
      this.#hasChosen = true;
      this.#retrieval = retrievals.choose(get, this.context.rows, this.usable);
      this.#continues = this.#retrieval === undefined ? retrievals.interruptedBefore(get) : undefined;
    }
    if (this.#retrieval === undefined) return undefined;
    let match = this.#retrieval.find(get, this.#position);
    if (match === undefined && !this.#usesService) {
      const equal = this.#switches++ < MAX_SWITCHES ? retrievals.equalSoFar(this.#used, get, this.usable) : undefined;
      match = equal?.find(get, equal.orderAfter(this.#used));
      if (match !== undefined) this.#retrieval = equal;
    }
    if (match === undefined) return undefined;
    this.#position = match.order;
    this.#used.push(match.response);
    return match.response;
  }

  /** The cost of a request that was abandoned before its response arrived. */
  costOfAbandoned(get: string): Cost | undefined {
    return (this.#retrieval ?? this.store.retrievals).abandoned.get(get);
  }

  /**
   * Must be called before each request to the service.
   *
   * @param refused whether the stored response is a refusal
   */
  beforeRequest(get: string, refused: boolean): void {
    if (this.context === undefined) return;
    const first = ++this.#requestCount === 1;
    // An earlier pagination reached its end without this response, so it may not matter: the response decides.
    const isWhole = this.#retrieval?.covers(this.context.rows);
    const dispensable = refused || this.#retrieval?.abandoned.has(get);
    if (!(refused && first) && !(isWhole && dispensable)) this.#switchToService();
  }

  /**
   * Stores a response of the service.
   *
   * @throws FileError
   */
  async add(get: string, response: NewResponse): Promise<void> {
    if (this.context === undefined) return void (await this.store.add(get, response));
    if (response.status <= 299) this.#switchToService();
    else if (this.#retrieval?.find(get, this.#position)?.response.status === response.status) return;
    const retrieval = await this.store.add(get, response, this.#partOfPagination());
    if (this.#usesService) this.#retrieval = retrieval;
    this.#hasStored = true;
  }

  /**
   * Records a request that was abandoned before its response arrived: a replay counts it as well.
   *
   * @throws FileError
   */
  recordAbandoned(get: string, requests: number): void {
    const known = this.costOfAbandoned(get);
    if (requests === 0 && (known !== undefined || this.#part === undefined)) return;
    this.store.recordAbandoned(get, requests, this.context === undefined ? undefined : this.#partOfPagination());
  }

  #switchToService(): void {
    if (this.#usesService || this.context === undefined) return;
    this.#usesService = true;
    const { part } = this.#partOfPagination();
    this.#position = firstOrder(part);
    if (this.#retrieval?.id !== this.#part?.generation) this.#retrieval = undefined;
  }

  /** The part that this pagination adds to its retrieval. */
  #partOfPagination(): RetrievalPart {
    const retrieval = this.#retrieval ?? this.#continues;
    this.#part ??=
      retrieval === undefined
        ? { generation: randomBytes(8).toString("hex"), part: 1 }
        : { generation: retrieval.id, part: ++retrieval.part };
    return this.#part;
  }
}
