import type { Redis } from "ioredis";
import { copyCause } from "../errors/causes.js";
import { ArchiveError } from "../errors/index.js";
import { createRedactor } from "../service/http/secret.js";
import { escaped } from "../util/quoted.js";
import type { QueueAddress } from "./queueAddress.js";
import type { QueueLibrary } from "./queueLibrary.js";

/** Milliseconds. */
const CONNECT_TIMEOUT = 10_000;
const MAX_RECONNECT_DELAY = 2000;

/** Options of connections that last: they reconnect for as long as it takes, and commands wait for them. */
export function connectionOptions(address: QueueAddress) {
  const { host, port, db, username, password, isEncrypted } = address;
  return {
    host,
    port,
    db,
    ...(username !== undefined && { username }),
    ...(password !== undefined && { password }),
    ...(isEncrypted && { tls: { servername: host } }),
    connectTimeout: CONNECT_TIMEOUT,
    maxRetriesPerRequest: null,
    retryStrategy: (times: number) => Math.min(50 * 2 ** Math.min(times, 10), MAX_RECONNECT_DELAY),
  };
}

/**
 * Connects to Redis.
 *
 * @throws ArchiveError `QUEUE_FAILED` if the server cannot be reached, or refuses the password
 */
export async function connect(address: QueueAddress, { Redis }: QueueLibrary): Promise<Redis> {
  let isConnected = false;
  let reason: unknown;
  const options = connectionOptions(address);
  const redis = new Redis({
    ...options,
    lazyConnect: true,
    retryStrategy: (times) => (isConnected ? options.retryStrategy(times) : null),
  });
  redis.on("error", (error) => {
    reason = error;
  });
  // Commands wait for the server; nobody should wait without knowing.
  let isAway = false;
  redis.on("reconnecting", () => {
    if (!isAway) warn(`The queue at ${address.shown} is away. Waiting for it.`, "QUEUE_AWAY");
    isAway = true;
  });
  redis.on("ready", () => {
    isAway = false;
  });
  try {
    await redis.connect();
    await redis.ping();
    isConnected = true;
    return redis;
  } catch (error) {
    redis.disconnect();
    throw queueError(address, reason ?? error);
  }
}

/** Warns whoever waits. */
export function warn(text: string, code: string): void {
  process.emitWarning(text, { type: "ArchiveFramesWarning", code });
}

/** A failure of Redis as a typed error, without the password. */
export function queueError({ shown, password = "" }: QueueAddress, failure: unknown): ArchiveError {
  if (failure instanceof ArchiveError) return failure;
  const cause = copyCause(failure ?? {}, createRedactor(password));
  const { code, message = "" } = cause as { code?: unknown; message?: string };
  const known = FAILURES.find(([pattern]) => pattern.test(`${String(code)} ${message}`));
  const [, problem, hint] = known ?? [
    undefined,
    escaped(message, 200) || "no connection",
    "Check the URL and the server.",
  ];
  return new ArchiveError(`the queue at ${shown} failed: ${problem}.`, { code: "QUEUE_FAILED", hint, cause });
}

/** What the most frequent failures mean, and what helps. */
const FAILURES: ReadonlyArray<readonly [pattern: RegExp, problem: string, hint: string]> = [
  [/ECONNREFUSED/, "connection refused", "Start it with redis-server, or check the host and port of the URL."],
  [/ENOTFOUND|EAI_AGAIN/, "the host name cannot be resolved", "Check the host of the URL."],
  [/ETIMEDOUT/, "no response", "Check the host and port of the URL, and the firewall."],
  [
    /NOAUTH|WRONGPASS|NOPERM|invalid password/i,
    "user or password are missing or wrong",
    "Put them into the URL: redis://user:password@host:6379.",
  ],
  [/^OOM|\bOOM command/, "Redis is full", "Raise its maxmemory, then run the command again: nothing is lost."],
  [/MISCONF|READONLY/, "Redis does not accept writes", "Check the disk of the server, and that it is not a replica."],
  [/CERT|SELF_SIGNED|ERR_TLS|EPROTO|UNABLE_TO/, "TLS failure", "Check the certificate, or use redis:// without TLS."],
];
