import { setTimeout as sleep } from "node:timers/promises";
import { Dispatcher } from "undici";
import { ArchiveError } from "../errors/index.js";
import { sha256 } from "../responses/bodyFiles.js";
import { AttemptTimeout } from "../service/http/failures.js";
import { BodyError } from "../service/http/httpResponse.js";
import { pageOf } from "./pageJob.js";
import { isFailed, type PageFailure, type PageResult, type StoredBody } from "./pageResult.js";

/** Requests pages through a queue. */
export interface Pages {
  request(get: string, signal: AbortSignal): Promise<PageResult>;
  received(get: string): void;
}

/** What a dispatcher needs. */
export interface QueueDispatcherOptions {
  readonly baseUrl: string;
  readonly maxBodyBytes: number;
  /** Reads the body of a result. */
  readonly read: (body: StoredBody, maxBodyBytes: number) => Promise<Buffer>;
  readonly pages: Pages;
}

/** The header of a response for the number of keys that a worker has removed from its body. No service can send it: see `HEADERS`. */
export const REDACTIONS = "archive-frames-redactions";

/** Milliseconds: a shared file system may show a new file late. */
const LATE = [50, 200, 1000];

/**
 * An undici dispatcher whose requests are sent by the workers of a fleet. So the transport of a client does the rest as ever: retries,
 * rate, budget, redirects and errors do not know that the wire is a queue. The headers, the key among them, stay here.
 */
export class QueueDispatcher extends Dispatcher {
  constructor(readonly options: QueueDispatcherOptions) {
    super();
  }

  override dispatch({ path }: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    const stop = new AbortController();
    const controller = controllerOf(stop);
    handler.onRequestStart?.(controller, {});
    this.#exchange(path, handler, controller, stop.signal).catch((error) =>
      handler.onResponseError?.(controller, error),
    );
    return true;
  }

  async #exchange(
    path: string,
    handler: Dispatcher.DispatchHandler,
    controller: Dispatcher.DispatchController,
    signal: AbortSignal,
  ): Promise<void> {
    const { baseUrl, pages } = this.options;
    const get = pageOf(path, baseUrl);
    if (get === undefined) throw refused("leads out of the service");
    const { status, headers, body, failure, redactions } = await pages.request(get, signal);
    if (failure !== undefined) {
      if (status !== undefined) handler.onResponseStart?.(controller, status, headers);
      throw errorOf(failure);
    }
    if (status === undefined || body === undefined) throw errorOf({ kind: "connection" });
    const bytes = await this.#read(body).catch(() => undefined);
    // Either the transport asks again, for a fresh job, or the page is received.
    if (bytes === undefined || !isFailed({ status })) pages.received(get);
    if (signal.aborted) return;
    handler.onResponseStart?.(controller, status, {
      ...headers,
      "content-length": String(bytes?.length ?? 0),
      ...(redactions !== undefined && { [REDACTIONS]: String(redactions) }),
    });
    if (bytes === undefined) throw new BodyError("truncated", "the body is not in the shared storage");
    handler.onResponseData?.(controller, bytes);
    handler.onResponseEnd?.(controller, {});
  }

  /** Reads a body from the storage, and checks it: whoever can write to Redis can name any file of it. */
  async #read(stored: StoredBody): Promise<Buffer> {
    for (const delay of [...LATE, undefined]) {
      try {
        const bytes = await this.options.read(stored, this.options.maxBodyBytes);
        if (sha256(bytes) !== stored.sha256) throw new Error("another body");
        return bytes;
      } catch (error) {
        const isMissing = ((error as Error).cause as { code?: unknown } | undefined)?.code === "ENOENT";
        if (delay === undefined || !isMissing) throw error;
        await sleep(delay);
      }
    }
    throw new Error("unreachable");
  }
}

/** The error that the exchange of one process would have had. */
function errorOf({ kind, code, seconds }: PageFailure): Error {
  if (kind === "timeout") return new AttemptTimeout(seconds);
  if (kind === "refused job") return refused("was refused by a worker");
  if (kind === "connection") return Object.assign(new Error("the worker has no response"), { code });
  return kind === "truncated"
    ? new BodyError(kind, "the worker's connection ended early")
    : new BodyError(kind, "reported by the worker");
}

function refused(what: string): ArchiveError {
  const hint = "Check that coordinator and workers have the same ARCHIVE_BASE_URL and version.";
  return new ArchiveError(`a request ${what}.`, { code: "QUEUE_FAILED", hint });
}

function controllerOf(stop: AbortController): Dispatcher.DispatchController {
  return {
    get aborted() {
      return stop.signal.aborted;
    },
    get reason() {
      return (stop.signal.reason ?? null) as Error | null;
    },
    paused: false,
    abort: (reason: Error) => stop.abort(reason),
    pause: () => undefined,
    resume: () => undefined,
  } as Dispatcher.DispatchController;
}
