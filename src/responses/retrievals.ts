import { byCodeUnit } from "../util/byCodeUnit.js";
import { isStoredResponse, type SnapshotEntry, type StoredResponse } from "./responseFile.js";

const ALL = Number.POSITIVE_INFINITY;

export type Usable = (retrieval: Pick<Retrieval, "begunAt" | "own">) => boolean;

/** The responses used by one pagination of a search, in order of arrival. A lookup is a pagination of one request. */
export class Retrieval {
  /** When the first response arrived, and its request. */
  begunAt = "";
  firstRequest = "";
  /** When the last response arrived. */
  latest = "";
  /** Rows received by a pagination that ended without an error: `Infinity` means all rows of the search, -1 that none ended. */
  finished = -1;
  readonly #responses = new Map<string, StoredResponse>();

  /** @param own whether this client recorded all of it */
  constructor(readonly own: boolean) {}

  add(response: StoredResponse): void {
    const { get, receivedAt, status } = response;
    // A refusal counts only until the pagination gets past it.
    if (status <= 299 || (this.find(get)?.status ?? 300) > 299) this.#responses.set(get, response);
    if (this.latest < receivedAt) this.latest = receivedAt;
    if (this.firstRequest !== "" && this.begunAt <= receivedAt) return;
    this.begunAt = receivedAt;
    this.firstRequest = get;
  }

  find(get: string): StoredResponse | undefined {
    return this.#responses.get(get);
  }

  before(get: string): StoredResponse[] {
    return [...this.#responses.values()].slice(0, [...this.#responses.keys()].indexOf(get));
  }
}

export class Retrievals {
  readonly #byId = new Map<string, Retrieval>();
  readonly #byRequest = new Map<string, Set<Retrieval>>();

  /**
   * Adds an entry. The end of a pagination must come after its responses.
   * @param own whether this client has just recorded the whole retrieval
   */
  add(entry: SnapshotEntry, own = false): void {
    if (isStoredResponse(entry)) {
      const { get, retrieval: id } = entry;
      const retrieval = this.#byId.get(id) ?? new Retrieval(own);
      this.#byId.set(id, retrieval);
      retrieval.add(entry);
      this.#byRequest.set(get, (this.#byRequest.get(get) ?? new Set()).add(retrieval));
    } else {
      const retrieval = this.#byId.get(entry.finished);
      if (retrieval !== undefined) retrieval.finished = Math.max(retrieval.finished, entry.rows ?? ALL);
    }
  }

  get requests(): ReadonlySet<string> {
    return new Set(this.#byRequest.keys());
  }

  /**
   * The newest retrieval for a pagination that starts with a request: one with enough rows, otherwise one that was not interrupted,
   * otherwise any.
   * @param rows rows needed; 0 for the first page only, `Infinity` for all
   */
  choose(get: string, rows: number, usable: Usable): Retrieval | undefined {
    const candidates = this.#newestFirst(get, usable);
    const finished = (atLeast: number) =>
      // A pagination that started at another page counts only if it reached the end of the search.
      candidates.find((one) => one.finished >= atLeast && (one.firstRequest === get || one.finished === ALL));
    return finished(rows) ?? finished(0) ?? candidates[0];
  }

  /**
   * The newest retrieval with the next request of a pagination that either has the same responses so far or began later, so that the
   * pages stay in order of arrival. It differs from the current one if a search was run in two ways, which request different pages
   * after the first ones, or if a save resumed from its journal and so started in the middle.
   */
  continuing(used: readonly StoredResponse[], get: string, usable: Usable): Retrieval | undefined {
    return this.#newestFirst(get, usable).find(
      (one) =>
        used.every(({ receivedAt }) => receivedAt <= one.begunAt) ||
        used.every(({ get, sha256 }) => one.find(get)?.sha256 === sha256),
    );
  }

  /** By first response, then by last: a retrieval that continues another one shares its first response. */
  #newestFirst(get: string, usable: Usable): Retrieval[] {
    const found = [...(this.#byRequest.get(get) ?? [])].filter(usable).reverse();
    return found.sort((a, b) => byCodeUnit(b.begunAt, a.begunAt) || byCodeUnit(b.latest, a.latest));
  }
}
