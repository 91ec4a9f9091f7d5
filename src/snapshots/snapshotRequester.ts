import { AbortedError, APIError, ArchiveError, SnapshotError } from "../errors/index.js";
import { errorFromResponse } from "../service/http/errorFromResponse.js";
import { replay } from "../service/http/replay.js";
import {
  type Cost,
  clientClosedError,
  type Requester,
  type ServiceResponse,
  type WalkContext,
} from "../service/http/requester.js";
import { operationOfPath } from "../service/operations/operationNames.js";
import { requestText } from "../service/operations/request.js";
import { isReadable } from "../service/paging/page.js";
import { escaped, quoted } from "../util/quoted.js";
import type { StoredAnswer } from "./indexLine.js";
import { nearestRequest } from "./nearestRequest.js";
import type { SnapshotStore } from "./snapshotStore.js";
import { StoredWalk, type Usable } from "./storedWalk.js";

/** Which stored answers are used, and whether the service may be asked. */
export interface SnapshotUse {
  /** Whether stored answers may be used: those of one retrieval of a search, or one to a look-up. */
  readonly usable: Usable;
  /** Refusals are used again. */
  readonly refusals: boolean;
  /** Stored answers count as of now, and cost nothing: a cache. Otherwise as of then. */
  readonly cached: boolean;
  /** What asks; undefined where nothing may be asked. */
  readonly requester: Requester | undefined;
  /** Takes the key out of a text. */
  readonly redact: (text: string) => string;
}

/** Refusals that are about the request, and not about the moment: they are answers as well. */
const LASTING: ReadonlySet<number> = new Set([400, 404, 410, 422]);

/** Answers from a store, and stores what the service answers. */
export function snapshotRequester(store: SnapshotStore, use: SnapshotUse): Requester {
  const walks = new WeakMap<WalkContext, StoredWalk>();
  const walkOf = (context: WalkContext | undefined) => {
    const walk = (context && walks.get(context)) ?? new StoredWalk(store, context, use.usable);
    if (context !== undefined) walks.set(context, walk);
    return walk;
  };
  return {
    async request(path, query, context) {
      if (store.closed) throw clientClosedError(path);
      const get = use.redact(requestText(path, query));
      const walk = walkOf(context?.walk);
      const known = walk.find(get);
      const refused = known !== undefined && known.status > 299;
      if (known !== undefined && (use.refusals || !refused)) {
        const cost = use.cached ? NOTHING : known;
        // A replay ends where the recorded call would have: its requests count as if they were sent.
        if (context?.budget?.take(cost.requests) === false) throw context.budget.usedUpError(path);
        const response = await replay(cost, context, () => replayed(store, known, path, use.cached)).catch((error) => {
          // A cache is no archive: what is gone from it is asked for again.
          if (use.cached && error instanceof SnapshotError) return undefined;
          throw error;
        });
        if (response !== undefined) return response;
      }
      if (use.requester !== undefined) {
        walk.asks(get, refused);
        return asked(walk, use.requester, get, [path, query, context]);
      }
      const givenUp = walk.costOfGivenUp(get);
      if (context?.budget !== undefined && (context.budget.isUsedUp || givenUp !== undefined))
        throw context.budget.usedUpError(path);
      if (givenUp === undefined) throw notThere(store, get, nearestIn(store, get));
      context?.onReplay?.(givenUp);
      throw notThere(store, get, "It was asked for, and given up before its answer came.");
    },
  };
}

const NOTHING: Cost = { requests: 0, retries: 0 };

async function replayed(
  store: SnapshotStore,
  answer: StoredAnswer,
  path: string,
  cached: boolean,
): Promise<ServiceResponse> {
  const { status, requests, retries, redactions } = answer;
  const body = await store.read(answer);
  if (status > 299) {
    const response = { status, headers: {}, body: body.toString() };
    throw errorFromResponse({ method: "GET", path, response, attempts: retries + 1 });
  }
  const times = { sentAt: new Date(answer.sentAt), receivedAt: new Date(answer.receivedAt) };
  return {
    status,
    body,
    headers: {},
    ...times,
    requests,
    retries,
    ...(redactions && { redactions }),
    ...(cached ? { cached } : {}),
  };
}

async function asked(
  walk: StoredWalk,
  requester: Requester,
  get: string,
  ask: Parameters<Requester["request"]>,
): Promise<ServiceResponse> {
  const [path, query, context] = ask;
  let requests = 0;
  const onRequest = () => {
    requests++;
    context?.onRequest?.();
  };
  const sentAt = new Date(walk.store.now());
  try {
    const response = await requester.request(path, query, { ...context, onRequest });
    // A body that nobody can read would be replayed for ever.
    if (isReadable(response, { operation: operationOfPath(path), path, query })) await walk.add(get, response);
    return response;
  } catch (error) {
    const isCut = error instanceof AbortedError || (error instanceof ArchiveError && error.code === "OUT_OF_REQUESTS");
    if (isCut) walk.giveUp(get, requests);
    if (error instanceof APIError && LASTING.has(error.statusCode ?? 0) && error.response !== undefined) {
      const { status, body } = error.response;
      const receivedAt = new Date(walk.store.now());
      await walk.add(get, { status, body: Buffer.from(body), sentAt, receivedAt, requests, retries: requests - 1 });
    }
    throw error;
  }
}

function nearestIn({ generations }: SnapshotStore, get: string): string {
  if (generations.newest(get) !== undefined) {
    return "It holds that page from another retrieval of the search only, and rows may have moved since: refresh the whole search.";
  }
  const near = nearestRequest(get, generations.requests);
  return near === undefined ? "It holds no answer at all." : `The nearest that is: GET ${escaped(near, 500)}.`;
}

function notThere(store: SnapshotStore, get: string, more: string): SnapshotError {
  return new SnapshotError(`GET ${escaped(get, 500)} is not in the snapshot ${store.dir}. ${more}`, {
    code: "NOT_IN_SNAPSHOT",
    hint: `Ask as it was recorded (concurrency and pageSize count too), or let the client ask for what is missing: { snapshot: { dir: ${quoted(store.dir, 1000)}, mode: "auto" } }.`,
    path: store.dir,
  });
}
