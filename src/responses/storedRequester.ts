import { randomBytes } from "node:crypto";
import { APIError, ArchiveError } from "../errors/index.js";
import { errorFromResponse } from "../service/http/failures.js";
import {
  clientClosedError,
  type PaginationContext,
  type RequestContext,
  type Requester,
  replay,
  type ServiceResponse,
} from "../service/http/requester.js";
import { operationOfPath } from "../service/operations/operations.js";
import { type ArchiveRequest, requestText } from "../service/operations/request.js";
import { readablePage } from "../service/paging/page.js";
import { escaped, quoted } from "../util/quoted.js";
import { sha256Of } from "../util/sha256Of.js";
import { BLOCK_BYTES, packBody } from "./bodies.js";
import type { ResponseLine } from "./log.js";
import type { ResponseStore } from "./responseStore.js";
import { chooseRun, type Run } from "./run.js";

/** How stored responses are used. */
export interface StoreUse {
  readonly isUsable: (run: Run) => boolean;
  /** Sends requests to the service; undefined if none may be sent. */
  readonly requester: Requester | undefined;
  readonly redact: (text: string) => string;
}

const RESTART =
  'If the service has forgotten the cursor of the earlier run, read the search again: { resume: false } for a file, mode: "record" for a snapshot, or without a cache.';

/** Statuses caused by the request itself, not by the state of the service: a snapshot stores them too. */
const LASTING_REFUSALS: ReadonlySet<number> = new Set([400, 404, 410, 413, 422]);

/** A requester that uses stored responses, and requests and stores the others. */
export function storedRequester(store: ResponseStore, use: StoreUse): Requester {
  const { kind } = store.options;
  const paginations = new WeakMap<PaginationContext, StoredPagination>();
  return {
    async request(path, query, context = {}) {
      if (store.isClosed) throw clientClosedError(path);
      const { pagination: key = { rows: 0 }, budget } = context;
      const pagination = paginations.get(key) ?? new StoredPagination(store, use, key);
      paginations.set(key, pagination);
      const get = use.redact(requestText(path, query));
      const stored = context.isFresh ? undefined : await pagination.find(get);
      if (stored !== undefined) {
        // A replay of a snapshot uses up the budget like its recording. A cache costs nothing.
        if (kind === "snapshot" && budget?.take(stored.requests) === false) throw budget.usedUpError(path);
        const cost = kind === "cache" ? { requests: 0, retries: 0 } : stored;
        return replay(cost, context, () => ({
          ...responseOf(stored),
          ...(kind === "cache" && { cached: true as const }),
        }));
      }
      const request = { operation: operationOfPath(path), path, query };
      if (use.requester !== undefined) return pagination.send(use.requester, get, request, context);
      // The recording ended here too, perhaps after retries that are not stored.
      if (budget !== undefined && (budget.isUsedUp || pagination.isCovered)) throw budget.usedUpError(path);
      throw notInSnapshot(store, get);
    },
  };
}

type StoredResponse = ResponseLine & Pick<ServiceResponse, "body">;

function responseOf({ run, get, bytes, sha256, gzip, ...response }: StoredResponse): ServiceResponse {
  const { status, body, retries, sentAt, receivedAt } = response;
  if (status <= 299) return { ...response, headers: {}, sentAt: new Date(sentAt), receivedAt: new Date(receivedAt) };
  const refusal = { status, headers: {}, body: body.toString() };
  throw errorFromResponse({ path: get.replace(/\?.*/, ""), response: refusal, attempts: retries + 1 });
}

/**
 * One pagination. It reads one run, and after a new response of the service it uses no stored ones: otherwise rows that moved between
 * pages from one run to the next would be missing from a result that claims to be complete. Its stored responses so far and the new ones
 * become one run.
 */
class StoredPagination {
  readonly #id = randomBytes(8).toString("hex");
  /** The run that is read, until the service has returned a response. */
  #source: Run | undefined;
  /** The stored responses so far. */
  readonly #before: ResponseLine[] = [];
  /** Whether its own run has begun: with a new response, or a refusal. */
  #hasBegun = false;
  /** Whether the service has returned a response. */
  #isLive = false;

  constructor(
    readonly store: ResponseStore,
    readonly use: StoreUse,
    readonly context: PaginationContext,
  ) {
    const { onEnd } = context;
    context.onEnd = (rows) => {
      onEnd?.(rows);
      if (this.#hasBegun) store.append({ run: this.#id, rows: rows === Number.POSITIVE_INFINITY ? null : rows });
    };
  }

  async find(get: string): Promise<StoredResponse | undefined> {
    const { store, use, context } = this;
    const isLive = this.#isLive;
    if (!isLive && !this.#source?.responses.has(get)) {
      const runs = [...(store.runsWith.get(get) ?? [])].filter(use.isUsable);
      this.#source = chooseRun(runs, get, context.rows, this.#before) ?? this.#source;
    }
    const source = isLive ? store.runs.get(this.#id) : this.#source;
    const line = source?.responses.get(get);
    const body = line && (await store.read(line));
    if (line === undefined || body === undefined || isLive !== this.#isLive) return undefined;
    if (!isLive) this.#before.push(line);
    if (!isLive && this.#hasBegun) store.append({ ...line, run: this.#id });
    return { ...line, body };
  }

  /** Whether an earlier pagination with as many rows ended without needing the missing response. */
  get isCovered(): boolean {
    return this.#source !== undefined && this.#source.rows >= this.context.rows;
  }

  /** Sends a request, and stores the response. */
  async send(requester: Requester, get: string, request: ArchiveRequest, context: RequestContext) {
    const cursor = new Map(request.query).get("cursor");
    const last = this.#isLive || cursor === undefined ? undefined : this.#before.at(-1);
    const { now, kind } = this.store.options;
    const sentAt = new Date(now());
    let requests = 0;
    const onRequest = () => {
      requests++;
      context.onRequest?.();
    };
    try {
      const response = await requester.request(request.path, request.query, { ...context, onRequest });
      const page = readablePage(response, request);
      if (page?.tape.rows === 0 && last && !(await leadsTo(cursor, last, request, requester, context)))
        throw new APIError(`GET ${request.path}: the service returns no rows after the last stored page.`, {
          ...{ code: "UNKNOWN_CURSOR", hint: RESTART, method: "GET", path: request.path },
        });
      // An unreadable body would be replayed forever.
      if (page !== undefined) await this.#add(get, response);
      return response;
    } catch (error) {
      const { statusCode: status = 0, response } = error instanceof APIError ? error : {};
      if (response === undefined || !LASTING_REFUSALS.has(status)) throw error;
      if (last !== undefined) throw (error as APIError).advise(RESTART);
      const times = { sentAt, receivedAt: new Date(now()) };
      const refusal = { status, headers: {}, body: Buffer.from(response.body), requests, retries: requests - 1 };
      if (kind === "snapshot") await this.#add(get, { ...refusal, ...times });
      throw error;
    }
  }

  async #add(get: string, { headers, pace, sentAt, receivedAt, body, ...response }: ServiceResponse): Promise<void> {
    if (response.status <= 299) this.#isLive = true;
    const packed = await packBody(body);
    const isSmall = packed.length < BLOCK_BYTES;
    const content = { bytes: body.length, sha256: sha256Of(body), ...(isSmall && { gzip: packed.toString("base64") }) };
    const times = { sentAt: sentAt.toISOString(), receivedAt: receivedAt.toISOString() };
    if (!this.#hasBegun) for (const line of this.#before) this.store.append({ ...line, run: this.#id });
    this.#hasBegun = true;
    this.store.append({ run: this.#id, get, ...response, ...times, ...content }, isSmall ? undefined : packed);
  }
}

/**
 * Whether the last stored page, requested again, has rows and leads to a cursor. A service that has forgotten the cursor of an earlier run
 * may answer it with an empty page, which is not the end of the search. Then it does not return the page before either.
 */
async function leadsTo(
  cursor: string | undefined,
  last: ResponseLine,
  request: ArchiveRequest,
  requester: Requester,
  context: RequestContext,
): Promise<boolean> {
  const { pathname, searchParams } = new URL(last.get, "http://localhost");
  const response = await requester.request(pathname, [...searchParams], { ...context, isFresh: true });
  const page = readablePage(response, request);
  // The service knows the first page in any case.
  return page !== undefined && page.tape.rows > 0 && (searchParams.has("cursor") || page.cursor === cursor);
}

function notInSnapshot({ dir, runsWith }: ResponseStore, get: string): ArchiveError {
  const [path = ""] = get.split("?");
  const nearest = [...runsWith.keys()].findLast((other) => other.startsWith(path));
  const detail =
    nearest === undefined
      ? `It has no request for ${path}.`
      : runsWith.has(get)
        ? "It has this page only from another run of the search, and rows may have moved since."
        : `The last similar one that it has: GET ${escaped(nearest, 500)}.`;
  return new ArchiveError(`GET ${escaped(get, 500)} is not in the snapshot ${dir}. ${detail}`, {
    code: "NOT_IN_SNAPSHOT",
    hint: `Use the arguments of the recording, including pageSize, or request what is missing: { snapshot: { dir: ${quoted(dir, 1000)}, mode: "auto" } }.`,
    path: dir,
  });
}
