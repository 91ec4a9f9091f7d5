import { randomBytes } from "node:crypto";
import { APIError, ArchiveError } from "../errors/index.js";
import { failedResponse } from "../service/http/failedResponse.js";
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
import { sha256Of } from "../util/hash.js";
import { escaped, quoted } from "../util/text.js";
import { chooseRun, packBody, type ResponseLine, type ResponseStore, type Run } from "./store.js";

const RESTART =
  'If the service has forgotten the cursor of the earlier run, read the search again: { resume: false } for a file, mode: "record" for a snapshot, or without a cache.';

/** Statuses caused by the request itself, not by the state of the service: a snapshot stores them too. */
const LASTING_REFUSALS: ReadonlySet<number> = new Set([400, 404, 410, 413, 422]);

/**
 * A requester that uses stored responses, and requests and stores those that are missing.
 *
 * @param requester sends requests to the service; undefined if none may be sent
 */
export function storedRequester(
  store: ResponseStore,
  requester: Requester | undefined,
  redact: (text: string) => string,
): Requester {
  const { kind } = store.options;
  const paginations = new WeakMap<PaginationContext, StoredPagination>();
  return {
    async request(path, query, context = {}) {
      if (store.isClosed) throw clientClosedError(path);
      const { pagination: key = { rows: 0 }, budget } = context;
      const pagination = paginations.get(key) ?? new StoredPagination(store, key);
      paginations.set(key, pagination);
      const get = redact(requestText(path, query));
      const line = await pagination.find(get);
      if (line !== undefined) {
        // A replay of a snapshot uses up the budget like its recording. A cache costs nothing.
        if (kind === "snapshot" && budget?.take(line.requests) === false) throw budget.usedUpError(path);
        const isFree = kind === "cache";
        const response = { ...line, ...(isFree && { cached: true as const }) };
        return replay(isFree ? { requests: 0, retries: 0 } : line, context, () => responseOf(path, response));
      }
      if (requester !== undefined)
        return pagination.send(requester, get, { operation: operationOfPath(path), path, query }, context);
      if (budget?.isUsedUp) throw budget.usedUpError(path);
      const hint = `Use the arguments of the recording, including pageSize, or request what is missing: { snapshot: { dir: ${quoted(store.dir, 1000)}, mode: "auto" } }.`;
      const message = `GET ${escaped(get, 500)} is not in the snapshot ${store.dir}.`;
      throw new ArchiveError(message, { code: "NOT_IN_SNAPSHOT", hint, path: store.dir });
    },
  };
}

type StoredResponse = ResponseLine & Pick<ServiceResponse, "body">;

function responseOf(path: string, { run, get, bytes, sha256, gzip, ...response }: StoredResponse): ServiceResponse {
  const { status, body, retries, sentAt, receivedAt } = response;
  if (status <= 299) return { ...response, headers: {}, sentAt: new Date(sentAt), receivedAt: new Date(receivedAt) };
  throw failedResponse({ status, headers: {}, body: body.toString() }).toError(path, retries + 1);
}

/**
 * One pagination. It replays one run, and nothing after the first new response of the service: otherwise rows that moved between pages
 * since that run would be missing from a complete result. The replayed responses and the new ones become a new run.
 */
class StoredPagination {
  readonly #newRunId = randomBytes(8).toString("hex");
  /** The run to replay. */
  #run: Run | undefined;
  /** The stored responses so far. */
  readonly #storedLines: ResponseLine[] = [];
  /** Whether a new run has begun, with a response or a refusal; and whether the service has sent a response. */
  #isRecording = false;
  #isLive = false;

  constructor(
    readonly store: ResponseStore,
    readonly context: PaginationContext,
  ) {
    const { onEnd } = context;
    context.onEnd = (rows) => {
      onEnd?.(rows);
      if (this.#isRecording)
        store.append({ run: this.#newRunId, rows: rows === Number.POSITIVE_INFINITY ? null : rows });
    };
  }

  /** The stored response to the next request; undefined if it has to be sent. */
  async find(get: string): Promise<StoredResponse | undefined> {
    const { store, context } = this;
    if (this.#isLive) return undefined;
    if (!this.#run?.responses.has(get))
      this.#run = chooseRun(store.runsWith(get), context.rows, this.#storedLines) ?? this.#run;
    const line = this.#run?.responses.get(get);
    const body = line && (await store.read(line));
    // Meanwhile the service may have responded to another request of the pagination.
    if (line === undefined || body === undefined || this.#isLive) return undefined;
    this.#storedLines.push(line);
    if (this.#isRecording) store.append({ ...line, run: this.#newRunId });
    return { ...line, body };
  }

  /** Sends a request, and stores the response. */
  async send(requester: Requester, get: string, request: ArchiveRequest, context: RequestContext) {
    const cursor = new Map(request.query).get("cursor");
    const last = this.#isLive || cursor === undefined ? undefined : this.#storedLines.at(-1);
    try {
      const response = await requester.request(request.path, request.query, context);
      const page = readablePage(response, request);
      if (page?.records.rows === 0 && last !== undefined) {
        // A service that has forgotten the cursor may return an empty page, which looks like the end of the search.
        const { pathname, searchParams } = new URL(last.get, "http://localhost");
        const lastPage = readablePage(await requester.request(pathname, [...searchParams], context), request);
        const details = { code: "UNKNOWN_CURSOR", hint: RESTART, path: request.path } as const;
        if (!lastPage?.records.rows || lastPage.cursor !== cursor)
          throw new APIError("the service returns no rows after the last stored page.", details);
      }
      // An unreadable body would be replayed forever.
      if (page !== undefined) await this.#add(get, response);
      return response;
    } catch (error) {
      const { statusCode: status = 0, response } = error instanceof APIError ? error : {};
      if (response === undefined || !LASTING_REFUSALS.has(status)) throw error;
      if (last !== undefined) throw (error as APIError).advise(RESTART);
      const [at, body] = [new Date(), Buffer.from(response.body)];
      if (this.store.options.kind === "snapshot")
        await this.#add(get, { status, headers: {}, body, sentAt: at, receivedAt: at, requests: 1, retries: 0 });
      throw error;
    }
  }

  async #add(get: string, { headers, pace, sentAt, receivedAt, body, ...facts }: ServiceResponse): Promise<void> {
    if (facts.status <= 299) this.#isLive = true;
    const packed = await packBody(body);
    if (!this.#isRecording) for (const line of this.#storedLines) this.store.append({ ...line, run: this.#newRunId });
    this.#isRecording = true;
    const times = { sentAt: sentAt.toISOString(), receivedAt: receivedAt.toISOString() };
    const content = { bytes: body.length, sha256: sha256Of(body) };
    this.store.append({ run: this.#newRunId, get, ...facts, ...times, ...content }, packed);
  }
}
