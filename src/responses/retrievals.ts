import { isStoredResponse, type SnapshotEntry, type StoredResponse } from "./line.js";

const PAGING_PARAMETERS: readonly string[] = ["cursor", "page", "limit"];

const ALL = Number.POSITIVE_INFINITY;

/** Decides whether the responses of a retrieval may be used. */
export type Usable = (retrieval: Pick<Retrieval, "begunAt" | "own">) => boolean;

/** One retrieval of a search: the responses that one pagination used, in order of arrival. A lookup is a pagination of one request. */
export class Retrieval {
  /** When the first response arrived, and its request. */
  begunAt = "";
  firstRequest = "";
  /** When the last response arrived. */
  latest = "";
  /** Paginations that ended without an error: rows received, by rows wanted. `Infinity` means all. */
  readonly finished = new Map<number, number>();
  readonly #responses = new Map<string, StoredResponse>();

  /** @param own whether this client recorded all of it */
  constructor(
    readonly id: string,
    readonly own: boolean,
  ) {}

  add(response: StoredResponse): void {
    const { get, receivedAt, status } = response;
    // A refusal counts only while the pagination did not get past it.
    if (status <= 299 || (this.find(get)?.status ?? 300) > 299) this.#responses.set(get, response);
    if (this.latest < receivedAt) this.latest = receivedAt;
    if (this.firstRequest !== "" && this.begunAt <= receivedAt) return;
    this.begunAt = receivedAt;
    this.firstRequest = get;
  }

  find(get: string): StoredResponse | undefined {
    return this.#responses.get(get);
  }

  /** Whether a pagination for at least this many rows reached its end. */
  covers(rows: number): boolean {
    return [...this.finished.values()].some((received) => received >= rows);
  }

  get responses(): StoredResponse[] {
    return [...this.#responses.values()];
  }

  /** The responses that arrived before that to a request; all if it has none. */
  before(get: string): StoredResponse[] {
    const at = [...this.#responses.keys()].indexOf(get);
    return at < 0 ? this.responses : this.responses.slice(0, at);
  }
}

/** All responses of a store, by retrieval. */
export class Retrievals {
  readonly #byId = new Map<string, Retrieval>();
  readonly #bySearch = new Map<string, Set<Retrieval>>();
  readonly #byRequest = new Map<string, Set<Retrieval>>();

  /**
   * Adds an entry of a store. The end of a pagination must follow the responses of its retrieval.
   * @param own whether this client has just recorded its retrieval, and all of it
   */
  add(entry: SnapshotEntry, own = false): void {
    if (isStoredResponse(entry)) {
      const { get, retrieval: id } = entry;
      const retrieval = this.#byId.get(id) ?? new Retrieval(id, own);
      this.#byId.set(id, retrieval);
      retrieval.add(entry);
      addTo(this.#bySearch, searchText(get), retrieval);
      addTo(this.#byRequest, get, retrieval);
    } else {
      const [wanted, rows] = [entry.wanted ?? ALL, entry.rows ?? ALL];
      const finished = this.#byId.get(entry.finished)?.finished;
      finished?.set(wanted, Math.max(rows, finished.get(wanted) ?? 0));
    }
  }

  /** Requests that have a response. */
  get requests(): ReadonlySet<string> {
    return new Set(this.#byRequest.keys());
  }

  /**
   * Chooses the retrieval for a pagination that starts with a request: the newest one in which a pagination for the same number of rows
   * reached its end; otherwise the newest with enough rows, then the newest that was not interrupted, then the newest.
   * @param rows rows that the pagination wants; 0 for the first page only, `Infinity` for all
   */
  choose(get: string, rows: number, usable: Usable): Retrieval | undefined {
    return chooseBest(newestFirst(this.#byRequest.get(get)).filter(usable), rows, get);
  }

  /**
   * The newest retrieval that has not reached the end of the search, for a pagination that does not start with the first page: a save that
   * resumes from its journal, or a corpus with a new budget, continues the retrieval of its earlier run.
   */
  interruptedBefore(get: string): Retrieval | undefined {
    if (isFirstPage(get)) return undefined;
    return newestFirst(this.#bySearch.get(searchText(get))).find(
      (retrieval) => !retrieval.covers(ALL) && isFirstPage(retrieval.firstRequest),
    );
  }

  /**
   * The newest retrieval that has a request and would have given the pagination the same responses so far. Switching to it mixes nothing: the
   * pagination could have used it from the start. Needed because two ways of running a search request different pages after the same first ones.
   */
  equalSoFar(used: readonly StoredResponse[], get: string, usable: Usable): Retrieval | undefined {
    return newestFirst(this.#byRequest.get(get)).find(
      (retrieval) => usable(retrieval) && used.every(({ get, sha256 }) => retrieval.find(get)?.sha256 === sha256),
    );
  }

  /** The responses that a replay uses, by search: of each first request those that a pagination for all rows would use. */
  responsesInUse(): Map<string, StoredResponse[]> {
    return new Map([...this.#bySearch].map(([search, retrievals]) => [search, inUse(newestFirst(retrievals))]));
  }
}

function inUse(retrievals: readonly Retrieval[]): StoredResponse[] {
  const byStart = new Map<string, Set<Retrieval>>();
  for (const retrieval of retrievals) addTo(byStart, retrieval.firstRequest, retrieval);
  const pages = new Map<string, StoredResponse>();
  for (const [start, same] of byStart) {
    for (const response of chooseBest([...same], ALL, start)?.responses ?? []) {
      const known = pages.get(response.get);
      if (known === undefined || known.receivedAt < response.receivedAt) pages.set(response.get, response);
    }
  }
  return [...pages.values()];
}

/** @param candidates newest first */
function chooseBest(candidates: readonly Retrieval[], rows: number, get: string): Retrieval | undefined {
  const withPagination = (matches: (received: number, wanted: number) => boolean) =>
    candidates.find(({ firstRequest, finished }) =>
      // A pagination that started at another page proves nothing about this one, unless it reached the end of the search.
      [...finished].some(
        ([wanted, received]) => (firstRequest === get || received === ALL) && matches(received, wanted),
      ),
    );
  return (
    (rows === 0 ? candidates[0] : undefined) ??
    withPagination((received, wanted) => wanted === rows && received >= rows) ??
    withPagination((received) => received >= rows) ??
    withPagination(() => true) ??
    candidates[0]
  );
}

/** The search without its paging parameters: `/mentions?query=climate`. */
function searchText(get: string): string {
  const { pathname, searchParams } = new URL(get, "http://x");
  for (const name of PAGING_PARAMETERS) searchParams.delete(name);
  const query = searchParams.toString();
  return query === "" ? pathname : `${pathname}?${query}`;
}

function isFirstPage(get: string): boolean {
  const { searchParams } = new URL(get, "http://x");
  return !searchParams.has("cursor") && Number(searchParams.get("page") ?? 1) <= 1;
}

/** By their first response; those that continue another one begin with the same. */
function newestFirst(retrievals: Iterable<Retrieval> = []): Retrieval[] {
  const compare = (a: string, b: string) => (a === b ? 0 : a < b ? 1 : -1);
  return [...retrievals].reverse().sort((a, b) => compare(a.begunAt, b.begunAt) || compare(a.latest, b.latest));
}

function addTo<T>(sets: Map<string, Set<T>>, key: string, value: T): void {
  const set = sets.get(key);
  if (set === undefined) sets.set(key, new Set([value]));
  else set.add(value);
}
