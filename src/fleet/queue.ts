import { gunzipSync, gzipSync } from "node:zlib";
import { copyCause } from "../errors/causes.js";
import { ArchiveError } from "../errors/index.js";
import { invalid } from "../errors/validators.js";
import { warn } from "../errors/warn.js";
import { userPath } from "../fs/paths.js";
import { readInputFile } from "../fs/receivedFile.js";
import { Secret } from "../service/http/secret.js";
import { sha256Of } from "../util/hash.js";
import { escaped } from "../util/text.js";

/** The data of a job: a request without headers, so that no key reaches Redis. */
export interface QueuedRequest {
  readonly path: string;
  readonly query: ReadonlyArray<readonly [string, string]>;
}

/** The result of a job: a response without its body, which has a separate Redis key. */
export interface QueuedResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** HTTP requests that the worker has sent, including those refused with 429. */
  readonly requests: number;
}

export type RequestQueue = Awaited<ReturnType<typeof openQueue>>;

const TTL_SECONDS = 3600;

const HINT =
  "Set ARCHIVE_QUEUE to the URL of a Redis server, for example redis://localhost:6379, or rediss://user:password@host:6380/0 with TLS, " +
  "or give the path of a file that contains it.";

/**
 * Opens the queue of requests to a service. All clients and workers of the service share it.
 *
 * @param address the URL of a Redis server, or the path of a file with it. Default `ARCHIVE_QUEUE`
 * @throws ValidationError; ArchiveError `QUEUE_MISSING` without bullmq and ioredis, `QUEUE_FAILED` if Redis cannot be used
 */
export async function openQueue(address: unknown, baseUrl: string) {
  const url = redisUrl(address);
  const [{ Queue, QueueEvents, Worker }, { Redis }] = await Promise.all([import("bullmq"), import("ioredis")]).catch(
    (cause) => {
      const what = "a queue needs bullmq and ioredis, which cannot be loaded.";
      throw new ArchiveError(what, { code: "QUEUE_MISSING", hint: "Run: npm install bullmq@6 ioredis@5", cause });
    },
  );
  let [isOpen, isAway] = [false, false];
  const redis = new Redis(url.href, {
    lazyConnect: true,
    maxRetriesPerRequest: null,
    // Also for BullMQ's copies of the connection: after `close` nothing waits for a server that is away.
    retryStrategy: (times) => (isOpen ? Math.min(50 * times, 2000) : null),
  });
  let failure: unknown;
  redis.on("error", (error) => {
    failure = error;
  });
  redis.on("reconnecting", () => {
    if (!isAway) warn("QUEUE_AWAY", `The queue at ${url.host} is away. Waiting for it.`);
    isAway = true;
  });
  redis.on("ready", () => {
    isAway = false;
  });
  try {
    await redis.connect();
    await redis.ping();
    // Throws for a database that does not exist, where connecting would silently use another one.
    await redis.select(Number(url.pathname.slice(1)));
  } catch (error) {
    redis.disconnect();
    throw queueError(url, failure ?? error);
  }
  isOpen = true;
  const name = `archive-frames-${sha256Of(baseUrl).slice(0, 12)}`;
  const expiry = { age: TTL_SECONDS };
  const jobs = new Queue<QueuedRequest, QueuedResponse>(name, {
    connection: redis,
    defaultJobOptions: { removeOnComplete: expiry, removeOnFail: expiry },
  });
  jobs.on("error", () => undefined);
  jobs.setMaxListeners(0);
  const bodyKey = (id: string) => `${name}:body:${id}`;
  return {
    name,
    redis,
    jobs,
    Worker,
    events() {
      const connection = redis.duplicate();
      const events = new QueueEvents(name, { connection });
      for (const emitter of [connection, events]) emitter.on("error", () => undefined);
      // One listener for each request that is waiting.
      events.setMaxListeners(0);
      return events;
    },
    putBody: (id: string, body: Uint8Array) => redis.set(bodyKey(id), gzipSync(body, { level: 1 }), "EX", TTL_SECONDS),
    /** @returns undefined if Redis has lost the body, or if it is invalid or too large */
    async takeBody(id: string, maxBytes: number): Promise<Buffer | undefined> {
      try {
        const compressed = await redis.getdelBuffer(bodyKey(id));
        return compressed === null ? undefined : gunzipSync(compressed, { maxOutputLength: maxBytes });
      } catch {
        return undefined;
      }
    },
    async close(): Promise<void> {
      isOpen = false;
      if (redis.status === "ready") await jobs.close();
      redis.disconnect();
    },
  };
}

/** @throws ValidationError without the address, which may contain a password */
function redisUrl(address: unknown): URL {
  const urlOrPath = address ?? process.env.ARCHIVE_QUEUE;
  try {
    const text = String(urlOrPath);
    const url = new URL((text.includes("://") ? text : readInputFile(userPath("queue", text), 4096).toString()).trim());
    const { protocol, hostname, pathname, search, hash } = url;
    const isAddress = /^rediss?:$/.test(protocol) && hostname !== "" && /^\/?\d{0,5}$/.test(pathname);
    if (!isAddress || search !== "" || hash !== "") throw new TypeError();
    decodeURIComponent(url.password);
    return url;
  } catch {
    throw invalid("queue", urlOrPath === undefined ? undefined : "…", HINT);
  }
}

/** A failure of Redis in words, without user and password. */
function queueError(url: URL, failure: unknown): ArchiveError {
  const redact = new Secret(decodeURIComponent(url.password)).redact;
  const { code = "", message = "" } = (failure ?? {}) as { readonly code?: unknown; readonly message?: string };
  const text = redact(`${code} ${message}`.trim());
  let [problem, hint] = [escaped(text, 200).replace(/\.$/, "") || "no connection", "Check the URL and the server."];
  if (text.includes("ECONNREFUSED"))
    [problem, hint] = ["connection refused", "Start it with redis-server, or check the host and port of the URL."];
  if (/NOAUTH|WRONGPASS|invalid password/i.test(text))
    [problem, hint] = [
      "user or password are missing or wrong",
      "Put them into ARCHIVE_QUEUE: redis://user:password@host:6379.",
    ];
  const what = `the queue at ${url.protocol}//${url.host} failed: ${problem}.`;
  return new ArchiveError(what, { code: "QUEUE_FAILED", hint, cause: copyCause(failure, redact) });
}
