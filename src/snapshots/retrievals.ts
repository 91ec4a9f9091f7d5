import { operationOfPath } from "../service/operations/operationNames.js";
import { isSearch } from "../service/operations/operations.js";
import type { AbandonedRequest, StoredResponse } from "./indexLine.js";
import { newerOf, Retrieval } from "./retrieval.js";

/** Parameters that select a page of a search. */
const PAGING_PARAMETERS: readonly string[] = ["cursor", "page", "limit"];

const ALL = Number.POSITIVE_INFINITY;

/** All responses of a snapshot, grouped by the retrieval that they belong to. */
export class Retrievals {
  /** Abandoned requests of all walks. */
  readonly abandoned = new Map<string, AbandonedRequest>();
  readonly #byId = new Map<string, Retrieval>();
  readonly #bySearch = new Map<string, Retrieval[]>();
  readonly #byRequest = new Map<string, Set<Retrieval>>();
  readonly #lookups = new Map<string, StoredResponse>();

  /**
   * @param file number of the index that contains the response
   * @param own whether this client has just stored it
   * @returns its retrieval; undefined for a lookup
   */
  add(response: StoredResponse, file: number, own = false): Retrieval | undefined {
    const { get } = response;
    const retrieval = this.#retrievalOf(response, file, own);
    if (retrieval === undefined) {
      this.#lookups.set(get, newerOf(this.#lookups.get(get), response));
      return undefined;
    }
    retrieval.add(response, file);
    const known = this.#byRequest.get(get);
    if (known === undefined) this.#byRequest.set(get, new Set([retrieval]));
    else known.add(retrieval);
    return retrieval;
  }

  addAbandoned(request: AbandonedRequest): void {
    if (request.generation !== undefined) this.#byId.get(request.generation)?.abandoned.set(request.get, request);
    this.abandoned.set(request.get, request);
  }

  /** @see FinishedWalk */
  addFinished(id: string, wanted: number, rows: number): void {
    const finished = this.#byId.get(id)?.finished;
    finished?.set(wanted, Math.max(rows, finished.get(wanted) ?? 0));
  }

  /** The newest response to a request, from any retrieval. */
  newest(get: string): StoredResponse | undefined {
    const all = [...(this.#byRequest.get(get) ?? [])].map((retrieval) => retrieval.newest(get));
    return [...all, this.#lookups.get(get)].reduce<StoredResponse | undefined>(
      (best, response) => (response === undefined ? best : newerOf(best, response)),
      undefined,
    );
  }

  /** Requests that have a response. */
  get requests(): string[] {
    return [...this.#byRequest.keys(), ...this.#lookups.keys()];
  }

  /**
   * Chooses the retrieval for a walk that starts with a request: the newest one in which a walk for the same number of rows reached its
   * end; otherwise the newest with enough rows, then the newest that was not interrupted, then the newest.
   *
   * @param rows rows that the walk wants; 0 for the first page only, `Infinity` for all
   */
  choose(get: string, rows: number, usable: (retrieval: Retrieval) => boolean): Retrieval | undefined {
    const { pathname, searchParams } = new URL(get, "http://x");
    const all = this.#newestFirst(searchText(pathname, searchParams));
    return chooseBest(
      all.filter(({ retrieval }) => retrieval.has(get) && usable(retrieval)),
      rows,
      get,
    );
  }

  /**
   * The newest retrieval that has a request and would have given the walk the same responses so far. Switching to it mixes nothing: the
   * walk could have used it from the start. Needed because two ways of running a search request different pages after the same first ones.
   */
  equalSoFar(
    used: readonly StoredResponse[],
    get: string,
    usable: (retrieval: Retrieval) => boolean,
  ): Retrieval | undefined {
    return [...(this.#byRequest.get(get) ?? [])].sort(newestFirst).find((retrieval) => {
      const order = retrieval.hasId && usable(retrieval) ? retrieval.orderAfter(used) : undefined;
      return order !== undefined && retrieval.find(get, order) !== undefined;
    });
  }

  /**
   * A later retrieval that continues another one: it has the request, and did not start with the first page. A save that resumes from its
   * journal records such a retrieval.
   */
  continuation(of: Retrieval, get: string, usable: (retrieval: Retrieval) => boolean): Retrieval | undefined {
    return [...(this.#byRequest.get(get) ?? [])]
      .filter((other) => other !== of && other.begunAt >= of.begunAt && !other.has(of.firstRequest) && usable(other))
      .sort(newestFirst)
      .at(-1);
  }

  /** The responses that a replay uses, by search; those of lookups by request. */
  responsesInUse(): Map<string, StoredResponse[]> {
    const lookups = [...this.#lookups].map(([get, response]): [string, StoredResponse[]] => [get, [response]]);
    return new Map([...lookups, ...[...this.#bySearch.keys()].map((search) => [search, this.#inUse(search)] as const)]);
  }

  /** For each first page the retrieval that a walk for all rows would use, and those that continue it. */
  #inUse(search: string): StoredResponse[] {
    const all = this.#newestFirst(search);
    const byStart = new Map<string, Candidate[]>();
    for (const candidate of all.filter(({ isFragment }) => !isFragment)) {
      const { firstRequest } = candidate.retrieval;
      const same = byStart.get(firstRequest);
      if (same === undefined) byStart.set(firstRequest, [candidate]);
      else same.push(candidate);
    }
    const whole = [...byStart].map(([start, some]) => chooseBest(some, ALL, start) as Retrieval);
    const oldest = whole.reduce((least, { begunAt }) => (least === "" || begunAt < least ? begunAt : least), "");
    const fragments = all.filter(({ isFragment, retrieval }) => isFragment && retrieval.begunAt >= oldest);
    const pages = new Map<string, StoredResponse>();
    for (const { responses } of [...whole, ...fragments.map(({ retrieval }) => retrieval)]) {
      for (const response of responses) pages.set(response.get, newerOf(pages.get(response.get), response));
    }
    return [...pages.values()];
  }

  /** The retrievals of a search, newest first, with the finished walks of each and of those that continue it. */
  #newestFirst(search: string): Candidate[] {
    let following: Retrieval[] = [];
    return (this.#bySearch.get(search) ?? [])
      .toReversed()
      .sort(newestFirst)
      .map((retrieval) => {
        const isFragment = !isFirstPage(retrieval.firstRequest);
        const chain = isFragment ? [retrieval] : [retrieval, ...following];
        following = isFragment ? [...following, retrieval].slice(-MAX_FOLLOWING) : [];
        return { retrieval, isFragment, finished: chain.map(({ finished }) => finished) };
      });
  }

  #retrievalOf({ get, generation: id }: StoredResponse, file: number, own: boolean): Retrieval | undefined {
    const known = id === undefined ? undefined : this.#byId.get(id);
    if (known !== undefined) return known;
    const { pathname, searchParams } = new URL(get, "http://x");
    if (id === undefined && !isSearch(operationOfPath(pathname))) return undefined;
    const search = searchText(pathname, searchParams);
    const key = id ?? `${file} ${search}`;
    const same = this.#byId.get(key);
    if (same !== undefined) return same;
    const retrieval = new Retrieval(id, search, own);
    this.#byId.set(key, retrieval);
    const others = this.#bySearch.get(search);
    if (others === undefined) this.#bySearch.set(search, [retrieval]);
    else others.push(retrieval);
    return retrieval;
  }
}

interface Candidate {
  readonly retrieval: Retrieval;
  /** {@link Retrieval.finished} of the retrieval and of those that continue it. */
  readonly finished: ReadonlyArray<ReadonlyMap<number, number>>;
  /** Whether it starts after the first page: it continues another one, or the user passed a cursor. */
  readonly isFragment: boolean;
}

/** Longest chain of continuations that is considered. */
const MAX_FOLLOWING = 20;

/** @param candidates newest first */
function chooseBest(candidates: readonly Candidate[], rows: number, get: string): Retrieval | undefined {
  const withWalk = (matches: (received: number, wanted: number) => boolean) =>
    candidates.find(({ retrieval, finished }) => {
      const walks = finished.flatMap((each) => [...each]);
      // A walk that started at another page proves nothing about this one, unless it reached the end of the search.
      return walks.some(
        ([wanted, received]) => (retrieval.firstRequest === get || received === ALL) && matches(received, wanted),
      );
    });
  const best =
    (rows === 0 ? candidates[0] : undefined) ??
    withWalk((received, wanted) => wanted === rows && received >= rows) ??
    withWalk((received) => received >= rows) ??
    // Format 1 does not record finished walks: this one may be complete.
    candidates.find(({ retrieval }) => !retrieval.hasId) ??
    withWalk(() => true) ??
    candidates[0];
  return best?.retrieval;
}

/** The search without its paging parameters: `/mentions?query=climate`. */
function searchText(pathname: string, params: URLSearchParams): string {
  for (const name of PAGING_PARAMETERS) params.delete(name);
  const query = params.toString();
  return query === "" ? pathname : `${pathname}?${query}`;
}

/** Whether a request is for the first page of a search. */
function isFirstPage(get: string): boolean {
  const { searchParams } = new URL(get, "http://x");
  return !searchParams.has("cursor") && Number(searchParams.get("page") ?? 1) <= 1;
}

function newestFirst(a: Retrieval, b: Retrieval): number {
  return a.begunAt === b.begunAt ? 0 : a.begunAt < b.begunAt ? 1 : -1;
}
