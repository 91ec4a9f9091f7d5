import { randomBytes } from "node:crypto";
import { APIError, ArchiveError } from "../errors/index.js";
import { errorFromResponse } from "../service/http/failures.js";
import {
  type Cost,
  clientClosedError,
  markedResumed,
  type PaginationContext,
  type Requester,
  replay,
  type ServiceResponse,
  startedOverError,
} from "../service/http/requester.js";
import { operationOfPath } from "../service/operations/operations.js";
import { requestText } from "../service/operations/request.js";
import { isReadable } from "../service/paging/page.js";
import { escaped, quoted } from "../util/quoted.js";
import { responseOf, type StoredResponse } from "./responseFile.js";
import type { ResponseStore } from "./responseStore.js";
import type { Retrieval, Usable } from "./retrievals.js";

/** Which stored responses are used, and whether requests may be sent. */
export interface SnapshotUse {
  readonly usable: Usable;
  /** Whether stored refusals are replayed instead of requested again. */
  readonly replayRefusals: boolean;
  /** Whether this is a cache, whose responses cost nothing. A snapshot counts the recorded requests. */
  readonly cached: boolean;
  /** Sends requests to the service; undefined if none may be sent. */
  readonly requester: Requester | undefined;
  readonly redact: (text: string) => string;
}

/** Statuses caused by the request itself, not by the state of the service: they are stored too. */
const LASTING_REFUSALS: ReadonlySet<number> = new Set([400, 404, 410, 413, 422]);

export function snapshotRequester(store: ResponseStore, use: SnapshotUse): Requester {
  const paginations = new WeakMap<PaginationContext, StoredPagination>();
  const paginationOf = (context: PaginationContext = { rows: 0 }) => {
    const pagination = paginations.get(context) ?? new StoredPagination(store, context, use.usable);
    paginations.set(context, pagination);
    return pagination;
  };
  return {
    async request(path, query, context) {
      if (store.closed) throw clientClosedError(path);
      const get = use.redact(requestText(path, query, context?.pagination?.restarts));
      const pagination = paginationOf(context?.pagination);
      const stored = context?.isFresh === true ? undefined : pagination.find(get);
      const refused = stored !== undefined && stored.status > 299;
      if ((stored === undefined || refused) && pagination.startedOver) throw startedOverError(path);
      if (stored !== undefined && (use.replayRefusals || !refused)) {
        const cost = use.cached ? NO_COST : stored;
        // Replayed requests use up the budget like sent ones, so a replay stops at the same request as the recording.
        if (context?.budget?.take(cost.requests) === false) throw context.budget.usedUpError(path);
        try {
          return await replay(cost, context, () => readStored(store, stored, path, use.cached));
        } catch (error) {
          // A cache may lose responses: request them again.
          if (!(use.cached && isUnreadable(error))) throw error;
        }
      }
      if (use.requester !== undefined) {
        pagination.beforeRequest(refused);
        return requestAndStore(pagination, use.requester, get, [path, query, context]);
      }
      const { budget } = context ?? {};
      // The recording ended here too, perhaps after retries that are not stored.
      if (budget !== undefined && (budget.isUsedUp || pagination.isCovered)) throw budget.usedUpError(path);
      throw notInSnapshot(store, get, nearestHint(store, get));
    },
  };
}

const NO_COST: Cost = { requests: 0, retries: 0 };

function isUnreadable(error: unknown): boolean {
  return error instanceof ArchiveError && (error.code === "SNAPSHOT_DAMAGED" || error.code === "BODY_TOO_LARGE");
}

async function readStored(
  store: ResponseStore,
  stored: StoredResponse,
  path: string,
  cached: boolean,
): Promise<ServiceResponse> {
  const body = await store.read(stored);
  if (stored.status <= 299) return { ...responseOf(stored, body), ...(cached ? { cached } : {}) };
  const response = { status: stored.status, headers: {}, body: body.toString() };
  throw errorFromResponse({ path, response, attempts: stored.retries + 1 });
}

async function requestAndStore(
  pagination: StoredPagination,
  requester: Requester,
  get: string,
  [path, query, context]: Parameters<Requester["request"]>,
): Promise<ServiceResponse> {
  const operation = operationOfPath(path);
  let requests = 0;
  const onRequest = () => {
    requests++;
    context?.onRequest?.();
  };
  const sentAt = new Date(pagination.store.options.now());
  try {
    const response = markedResumed(await requester.request(path, query, { ...context, onRequest }), context);
    // An unreadable body would be replayed forever.
    if (isReadable(response, { operation, path, query })) await pagination.add(get, response);
    return response;
  } catch (error) {
    if (error instanceof APIError && LASTING_REFUSALS.has(error.statusCode ?? 0) && error.response !== undefined) {
      const { status, body } = error.response;
      const times = { sentAt, receivedAt: new Date(pagination.store.options.now()) };
      await pagination.add(get, { status, body: Buffer.from(body), ...times, requests, retries: requests - 1 });
    }
    throw error;
  }
}

function notInSnapshot(store: ResponseStore, get: string, detail: string): ArchiveError {
  return new ArchiveError(`GET ${escaped(get, 500)} is not in the snapshot ${store.dir}. ${detail}`, {
    code: "NOT_IN_SNAPSHOT",
    hint: `Use the arguments of the recording, including concurrency and pageSize, or request what is missing: { snapshot: { dir: ${quoted(store.dir, 1000)}, mode: "auto" } }.`,
    path: store.dir,
  });
}

function nearestHint({ retrievals: { requests } }: ResponseStore, get: string): string {
  if (requests.has(get))
    return "It has this page only from another retrieval, and rows may have moved since. Refresh the whole search.";
  const wanted = new URL(get, "http://x");
  let [nearest, least] = ["", Number.POSITIVE_INFINITY];
  for (const other of requests) {
    const distance = differing(wanted, new URL(other, "http://x"));
    if (distance < least) [nearest, least] = [other, distance];
  }
  if (nearest === "") return "The snapshot has no responses.";
  return `Nearest recorded request: GET ${escaped(nearest, 500)}.`;
}

/** The number of parameters with different values; a different path outweighs them all. */
function differing(one: URL, other: URL): number {
  const names = new Set([...one.searchParams.keys(), ...other.searchParams.keys()]);
  const differing = [...names].filter((name) => one.searchParams.get(name) !== other.searchParams.get(name));
  return differing.length + (one.pathname === other.pathname ? 0 : 100);
}

/** Searches page by cursor or by page number, so one or two changes of the retrieval are enough. */
const MAX_CHANGES = 4;

/**
 * Reads and stores the responses of one pagination. It reads one retrieval, and after a new response of the service it uses no stored
 * ones: otherwise rows that moved between pages from one retrieval to the next would be missing from a result that claims to be
 * complete. The responses that it stores become a new retrieval, together with the stored responses that it used before.
 */
class StoredPagination {
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
