import type { AbandonedRequest, StoredResponse } from "./line.js";

/** Parameters that select a page of a search. */
const PAGING_PARAMETERS: readonly string[] = ["cursor", "page", "limit"];

const ALL = Number.POSITIVE_INFINITY;

/** All responses of a store, grouped by the retrieval that they belong to. */
export class Retrievals {
  /** Abandoned requests of all paginations. */
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
    const { get, generation: id } = response;
    if (id === undefined) {
      this.#lookups.set(get, newerOf(this.#lookups.get(get), response));
      return undefined;
    }
    let retrieval = this.#byId.get(id);
    if (retrieval === undefined) {
      retrieval = new Retrieval(id, own);
      this.#byId.set(id, retrieval);
      addTo(this.#bySearch, searchText(get), retrieval);
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

  /** @see FinishedPagination */
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
   * Chooses the retrieval for a pagination that starts with a request: the newest one in which a pagination for the same number of rows reached its
   * end; otherwise the newest with enough rows, then the newest that was not interrupted, then the newest.
   *
   * @param rows rows that the pagination wants; 0 for the first page only, `Infinity` for all
   */
  choose(get: string, rows: number, usable: (retrieval: Retrieval) => boolean): Retrieval | undefined {
    const candidates = [...(this.#byRequest.get(get) ?? [])].filter(usable).sort(newestFirst);
    return chooseBest(candidates, rows, get);
  }

  /**
   * The newest retrieval that has not reached the end of the search, for a pagination that does not start with the first page: a save that
   * resumes from its journal, or a corpus with a new budget, continues the retrieval of its earlier run.
   */
  interruptedBefore(get: string): Retrieval | undefined {
    if (isFirstPage(get)) return undefined;
    const retrievals = [...(this.#bySearch.get(searchText(get)) ?? [])].sort(newestFirst);
    return retrievals.find((retrieval) => !retrieval.covers(ALL) && isFirstPage(retrieval.firstRequest));
  }

  /**
   * The newest retrieval that has a request and would have given the pagination the same responses so far. Switching to it mixes nothing: the
   * pagination could have used it from the start. Needed because two ways of running a search request different pages after the same first ones.
   */
  equalSoFar(
    used: readonly StoredResponse[],
    get: string,
    usable: (retrieval: Retrieval) => boolean,
  ): Retrieval | undefined {
    return [...(this.#byRequest.get(get) ?? [])].sort(newestFirst).find((retrieval) => {
      const order = usable(retrieval) ? retrieval.orderAfter(used) : undefined;
      return order !== undefined && retrieval.find(get, order) !== undefined;
    });
  }

  /** The responses that a replay uses, by search; those of lookups by request. */
  responsesInUse(): Map<string, StoredResponse[]> {
    const lookups = [...this.#lookups].map(([get, response]): [string, StoredResponse[]] => [get, [response]]);
    const searches = [...this.#bySearch].map(([search, all]) => [search, inUse(all)] as const);
    return new Map([...lookups, ...searches]);
  }
}

/** For each first request the retrieval that a pagination for all rows would use. */
function inUse(retrievals: readonly Retrieval[]): StoredResponse[] {
  const byStart = new Map<string, Retrieval[]>();
  for (const retrieval of [...retrievals].sort(newestFirst)) addTo(byStart, retrieval.firstRequest, retrieval);
  const pages = new Map<string, StoredResponse>();
  for (const [start, same] of byStart) {
    for (const response of chooseBest(same, ALL, start)?.responses ?? [])
      pages.set(response.get, newerOf(pages.get(response.get), response));
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

/** Whether a request is for the first page of a search. */
function isFirstPage(get: string): boolean {
  const { searchParams } = new URL(get, "http://x");
  return !searchParams.has("cursor") && Number(searchParams.get("page") ?? 1) <= 1;
}

function newestFirst(a: Retrieval, b: Retrieval): number {
  return a.begunAt === b.begunAt ? 0 : a.begunAt < b.begunAt ? 1 : -1;
}

function addTo<T>(lists: Map<string, T[]>, key: string, value: T): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}

/** A response and its position in a retrieval. */
interface PlacedResponse {
  readonly response: StoredResponse;
  /** Increases with each pagination that added responses. */
  readonly order: number;
}

/** One retrieval of a search: the pages that one pagination requested in order, and those of later paginations that resumed it. */
export class Retrieval {
  /** When the first response arrived, and its request. */
  begunAt = "";
  firstRequest = "";
  /** Paginations that ended without an error: rows received, by rows wanted. `Infinity` means all. */
  readonly finished = new Map<number, number>();
  /** Number of the last pagination that added responses. */
  part = 0;
  readonly abandoned = new Map<string, AbandonedRequest>();
  readonly #responses = new Map<string, PlacedResponse[]>();

  /** @param own whether this client started it */
  constructor(
    readonly id: string,
    readonly own: boolean,
  ) {}

  /** @param file number of the index: two clients that resume concurrently write the same part */
  add(response: StoredResponse, file: number): void {
    const { get, receivedAt, part = 1 } = response;
    const placed = { response, order: firstOrder(part) + file };
    this.part = Math.max(this.part, part);
    const known = this.#responses.get(get);
    if (known === undefined) this.#responses.set(get, [placed]);
    else known.push(placed);
    if (this.firstRequest !== "" && this.begunAt <= receivedAt) return;
    this.begunAt = receivedAt;
    this.firstRequest = get;
  }

  has(get: string): boolean {
    return this.#responses.has(get);
  }

  /**
   * The earliest response to a request at or after `order`; the newest one if a pagination stored several. A pagination that used a response of a
   * later part never uses an earlier part again, because rows may have moved between pages in the meantime. A refusal counts only
   * while no later pagination got past it.
   */
  find(get: string, order = 0): PlacedResponse | undefined {
    const all = (this.#responses.get(get) ?? []).filter((placed) => placed.order >= order);
    const accepted = all.filter(({ response }) => response.status <= 299);
    const candidates = accepted.length > 0 ? accepted : all;
    return candidates.reduce<PlacedResponse | undefined>(
      (best, placed) => (best === undefined || placed.order <= best.order ? placed : best),
      undefined,
    );
  }

  /** The position after the responses that a pagination has used; undefined if this retrieval has other bodies for the same requests. */
  orderAfter(used: readonly StoredResponse[]): number | undefined {
    let order = 0;
    for (const { get, sha256 } of used) {
      const placed = this.find(get, order);
      if (placed?.response.sha256 !== sha256) return undefined;
      order = placed.order;
    }
    return order;
  }

  /** Whether a pagination for at least this many rows reached its end. */
  covers(rows: number): boolean {
    return [...this.finished.values()].some((came) => came >= rows);
  }

  /** The newest response to a request. */
  newest(get: string): StoredResponse | undefined {
    const all = (this.#responses.get(get) ?? []).map(({ response }) => response);
    return all.reduce<StoredResponse | undefined>(newerOf, undefined);
  }

  /** The newest response to each request. */
  get responses(): StoredResponse[] {
    return [...this.#responses.keys()].map((get) => this.newest(get) as StoredResponse);
  }
}

const MAX_FILES = 2 ** 24;

/** The order of the first responses in a part. */
export function firstOrder(part: number): number {
  return part * MAX_FILES;
}

/** The newer of two responses. */
function newerOf(known: StoredResponse | undefined, response: StoredResponse): StoredResponse {
  return known === undefined || known.receivedAt <= response.receivedAt ? response : known;
}
