import { scryptSync } from "node:crypto";
import type { Redis } from "ioredis";
import { copyCause } from "../errors/causes.js";
import { ArchiveError } from "../errors/index.js";
import { warn } from "../errors/warn.js";
import type { ResolvedOptions } from "../service/http/options.js";
import { createRedactor } from "../service/http/secret.js";
import { escaped } from "../util/quoted.js";
import type { QueueAddress } from "./queueAddress.js";

/** An open connection to Redis. */
export interface Connection {
  readonly address: QueueAddress;
  readonly bullmq: typeof import("bullmq");
  readonly redis: Redis;
}

/** Milliseconds. */
const CONNECT_TIMEOUT = 10_000;
const MAX_RECONNECT_DELAY = 2000;

/** Options of lasting connections: they reconnect for as long as it takes, and commands wait meanwhile. */
export function connectionOptions({ host, port, db, isEncrypted, credentials }: QueueAddress) {
  return {
    ...{ host, port, db, ...credentials(), ...(isEncrypted && { tls: { servername: host } }) },
    connectTimeout: CONNECT_TIMEOUT,
    maxRetriesPerRequest: null,
    retryStrategy: (times: number) => Math.min(50 * 2 ** Math.min(times, 10), MAX_RECONNECT_DELAY),
  };
}

/**
 * Connects to Redis. Loads BullMQ, an optional dependency, on first use.
 *
 * @throws ArchiveError `QUEUE_MISSING`; `QUEUE_FAILED` if the server cannot be reached or refuses the password
 */
export async function connect(address: QueueAddress): Promise<Connection> {
  const [bullmq, { Redis }] = await Promise.all([import("bullmq"), import("ioredis")]).catch((cause) => {
    const what = "a queue needs bullmq and ioredis, which cannot be loaded.";
    throw new ArchiveError(what, { code: "QUEUE_MISSING", hint: "Run: npm install bullmq@6 ioredis@5", cause });
  });
  const options = connectionOptions(address);
  let [isConnected, isAway] = [false, false];
  let reason: unknown;
  const retryStrategy = (times: number) => (isConnected ? options.retryStrategy(times) : null);
  const redis = new Redis({ ...options, lazyConnect: true, retryStrategy });
  redis.on("error", (error) => {
    reason = error;
  });
  // Commands wait for the server, so a warning says why nothing happens.
  redis.on("reconnecting", () => {
    if (!isAway) warn("QUEUE_AWAY", `The queue at ${address.shown} is away. Waiting for it.`);
    isAway = true;
  });
  redis.on("ready", () => {
    isAway = false;
  });
  try {
    await redis.connect();
    await redis.ping();
    isConnected = true;
    return { address, bullmq, redis };
  } catch (error) {
    redis.disconnect();
    throw queueError(address, reason ?? error);
  }
}

/** The most frequent failures, and what helps. */
const FAILURES: ReadonlyArray<readonly [pattern: RegExp, problem: string | undefined, hint: string]> = [
  [/ECONNREFUSED/, "connection refused", "Start it with redis-server, or check the host and port of the URL."],
  [
    /NOAUTH|WRONGPASS|NOPERM|invalid password/i,
    "user or password are missing or wrong",
    "Put them into ARCHIVE_QUEUE: redis://user:password@host:6379.",
  ],
  [/^/, undefined, "Check the URL and the server."],
];

/** Converts a failure of Redis to a typed error. Its cause is a copy, because errors of ioredis carry commands with passwords. */
export function queueError(address: QueueAddress, failure: unknown): ArchiveError {
  if (failure instanceof ArchiveError) return failure;
  const { code, message = "" } = (failure ?? {}) as { readonly code?: unknown; readonly message?: string };
  const redact = createRedactor(address.credentials().password ?? "");
  const text = redact(`${String(code ?? "")} ${message}`.trim());
  const [, problem = escaped(text, 200) || "no connection", hint] =
    FAILURES.find(([pattern]) => pattern.test(text)) ?? [];
  const cause = copyCause(failure, redact);
  return new ArchiveError(`the queue at ${address.shown} failed: ${problem}.`, { code: "QUEUE_FAILED", hint, cause });
}

/** Id of a key at a service, by which workers with the same key share its rate. It is slow to compute, and too short to confirm a guess. */
export function keyId({ key, baseUrl }: Pick<ResolvedOptions, "key" | "baseUrl">): string {
  return scryptSync(key.reveal(), baseUrl, 2).toString("hex");
}
