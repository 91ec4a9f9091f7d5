import { APIError, SnapshotError } from "../errors/index.js";
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
import { responseOf, type StoredResponse } from "./line.js";
import type { ResponseStore } from "./responseStore.js";
import type { Usable } from "./retrievals.js";
import { StoredPagination } from "./storedPagination.js";

/** Which stored responses are used, and whether requests may be sent. */
export interface SnapshotUse {
  readonly usable: Usable;
  /** Whether stored refusals are replayed instead of requested again. */
  readonly replayRefusals: boolean;
  /** Whether this is a cache, whose responses cost nothing. A snapshot counts the recorded requests. */
  readonly cached: boolean;
  /** Sends requests to the service; undefined if none may be sent. */
  readonly requester: Requester | undefined;
  /** Removes the API key from a string. */
  readonly redact: (text: string) => string;
}

/** Statuses caused by the request itself, not by the state of the service: they are stored too. */
const LASTING_REFUSALS: ReadonlySet<number> = new Set([400, 404, 410, 413, 422]);

/** A requester that replays stored responses and stores new ones. */
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
          if (!(use.cached && error instanceof SnapshotError)) throw error;
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
  const sentAt = new Date(pagination.store.now());
  try {
    const response = markedResumed(await requester.request(path, query, { ...context, onRequest }), context);
    // An unreadable body would be replayed forever.
    if (isReadable(response, { operation, path, query })) await pagination.add(get, response);
    return response;
  } catch (error) {
    if (error instanceof APIError && LASTING_REFUSALS.has(error.statusCode ?? 0) && error.response !== undefined) {
      const { status, body } = error.response;
      const times = { sentAt, receivedAt: new Date(pagination.store.now()) };
      await pagination.add(get, { status, body: Buffer.from(body), ...times, requests, retries: requests - 1 });
    }
    throw error;
  }
}

function notInSnapshot(store: ResponseStore, get: string, detail: string): SnapshotError {
  return new SnapshotError(`GET ${escaped(get, 500)} is not in the snapshot ${store.dir}. ${detail}`, {
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
