import { createHash, randomBytes, scrypt } from "node:crypto";
import { promisify } from "node:util";
import type { Redis } from "ioredis";
import { copyCause } from "../errors/causes.js";
import { ArchiveError } from "../errors/index.js";
import { createRedactor, type Secret } from "../service/http/secret.js";
import { escaped } from "../util/quoted.js";
import type { QueueAddress } from "./queueAddress.js";

/** What a fleet uses of BullMQ and its Redis client. */
export type QueueLibrary = Pick<typeof import("bullmq"), "Queue" | "UnrecoverableError" | "Worker"> &
  Pick<typeof import("ioredis"), "Redis">;

/** An open connection to a queue. */
export interface Connection {
  readonly address: QueueAddress;
  readonly library: QueueLibrary;
  readonly redis: Redis;
}

/** Milliseconds. */
const CONNECT_TIMEOUT = 10_000;
const MAX_RECONNECT_DELAY = 2000;

/** Literal names, because bundlers cannot follow `import(name)`. */
const load = (name: "bullmq" | "ioredis"): Promise<unknown> =>
  name === "bullmq" ? import("bullmq") : import("ioredis");

/**
 * Loads BullMQ on first use: it is optional.
 *
 * @throws ArchiveError `QUEUE_MISSING` if it cannot be loaded
 */
export async function queueLibrary(loadModule = load): Promise<QueueLibrary> {
  try {
    const [bullmq, ioredis] = await Promise.all([loadModule("bullmq"), loadModule("ioredis")]);
    return { ...(bullmq as QueueLibrary), Redis: (ioredis as QueueLibrary).Redis };
  } catch (cause) {
    const what = "a queue needs bullmq and ioredis, which cannot be loaded.";
    throw new ArchiveError(what, { code: "QUEUE_MISSING", hint: "Run: npm install bullmq@6 ioredis@5", cause });
  }
}

/** Options of connections that last: they reconnect for as long as it takes, and commands wait for them. */
export function connectionOptions({ host, port, db, isEncrypted, credentials }: QueueAddress) {
  return {
    host,
    port,
    db,
    ...credentials(),
    ...(isEncrypted && { tls: { servername: host } }),
    connectTimeout: CONNECT_TIMEOUT,
    maxRetriesPerRequest: null,
    retryStrategy: (times: number) => Math.min(50 * 2 ** Math.min(times, 10), MAX_RECONNECT_DELAY),
  };
}

/**
 * Connects to Redis.
 *
 * @throws ArchiveError `QUEUE_MISSING`; `QUEUE_FAILED` if the server cannot be reached, or refuses the password
 */
export async function connect(address: QueueAddress): Promise<Connection> {
  const library = await queueLibrary();
  const options = connectionOptions(address);
  let [isConnected, isAway] = [false, false];
  let reason: unknown;
  const redis = new library.Redis({
    ...options,
    lazyConnect: true,
    retryStrategy: (times) => (isConnected ? options.retryStrategy(times) : null),
  });
  redis.on("error", (error) => {
    reason = error;
  });
  // Commands wait for the server; nobody should wait without knowing.
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
    return { address, library, redis };
  } catch (error) {
    redis.disconnect();
    throw queueError(address, reason ?? error);
  }
}

/** Warns whoever waits. */
export function warn(text: string, code: string): void {
  process.emitWarning(text, { type: "ArchiveFramesWarning", code });
}

/** A failure of Redis as a typed error. Its cause is a copy: the client's own errors carry the commands sent, passwords included. */
export function queueError(address: QueueAddress, failure: unknown): ArchiveError {
  if (failure instanceof ArchiveError) return failure;
  const { code, message = "" } = (failure ?? {}) as { readonly code?: unknown; readonly message?: string };
  const redact = createRedactor(address.credentials().password ?? "");
  const text = redact(`${String(code ?? "")} ${message}`.trim());
  const [, problem, hint] = FAILURES.find(([pattern]) => pattern.test(text)) ?? [
    undefined,
    escaped(text, 200) || "no connection",
    "Check the URL and the server.",
  ];
  const cause = copyCause(failure, redact);
  return new ArchiveError(`the queue at ${address.shown} failed: ${problem}.`, { code: "QUEUE_FAILED", hint, cause });
}

/** What the most frequent failures mean, and what helps. */
const FAILURES: ReadonlyArray<readonly [pattern: RegExp, problem: string, hint: string]> = [
  [/ECONNREFUSED/, "connection refused", "Start it with redis-server, or check the host and port of the URL."],
  [/ENOTFOUND|EAI_AGAIN/, "the host name cannot be resolved", "Check the host of the URL."],
  [/ETIMEDOUT/, "no response", "Check the host and port of the URL, and the firewall."],
  [
    /NOAUTH|WRONGPASS|NOPERM|invalid password/i,
    "user or password are missing or wrong",
    "Put them into ARCHIVE_QUEUE: redis://user:password@host:6379.",
  ],
  [/^OOM|\bOOM command/, "Redis is full", "Raise its maxmemory, then run the command again: nothing is lost."],
  [/MISCONF|READONLY/, "Redis does not accept writes", "Check the disk of the server, and that it is not a replica."],
  [/CERT|SELF_SIGNED|ERR_TLS|EPROTO|UNABLE_TO/, "TLS failure", "Check the certificate, or use redis:// without TLS."],
];

/** The Redis set of the queues that have work. */
export const QUEUES = "archive-frames:queues";
/** The name of BullMQ's queue, below the prefix of a corpus. */
export const WINDOWS = "windows";
/** Seconds until a queue without a coordinator is forgotten. */
const EXPIRES = 86_400;

/** The prefix of all Redis keys of a queue. */
export const prefixOf = (name: string): string => `archive-frames:${name}`;

/** Below it: what a coordinator says about itself, and how many requests each worker has sent in a run. */
export const planOf = (name: string): string => `${prefixOf(name)}:plan`;
export const sentOf = (name: string): string => `${prefixOf(name)}:sent`;
/** The files that workers have put into the storage, and that nobody has removed. */
export const filesOf = (name: string): string => `${prefixOf(name)}:files`;

/** For a minute: the queue was removed, and not lost. */
export const closedOf = (name: string): string => `archive-frames:closed:${name}`;

/** Whether a queue belongs to a service. Whoever can write to Redis can add other names. */
export function isOfService(name: string, baseUrl: string): boolean {
  return /^[\da-f]{16}-[\da-f]{8}$/.test(name) && name.endsWith(`-${serviceOf(baseUrl)}`);
}

/** The first digits of the hash of an address. */
export function serviceOf(baseUrl: string): string {
  return createHash("sha256").update(baseUrl).digest("hex").slice(0, 8);
}

/** All Redis keys of a queue. */
async function keysOf(redis: Redis, name: string): Promise<string[]> {
  const keys: string[] = [];
  for await (const some of redis.scanStream({ match: `${prefixOf(name)}:*`, count: 1000 })) keys.push(...some);
  return keys;
}

/** Locks of windows and of the coordinator, and BullMQ's time of the next look for lost windows. They expire within seconds. */
const LOCKS = /:(?:lock|stalled-check|coordinator)$/;

/** Lets a queue expire in a day, but not its locks. @param only "NX": what does not expire yet */
export async function expireQueue(redis: Redis, name: string, ...only: [] | ["NX"]): Promise<void> {
  const pipeline = redis.pipeline();
  for (const key of await keysOf(redis, name)) if (!LOCKS.test(key)) pipeline.call("EXPIRE", key, EXPIRES, ...only);
  await pipeline.exec();
}

/** Removes a queue from Redis. */
export async function removeQueue(redis: Redis, name: string): Promise<void> {
  await redis.set(closedOf(name), 1, "EX", 60);
  await redis.srem(QUEUES, name);
  const keys = await keysOf(redis, name);
  if (keys.length > 0) await redis.unlink(...keys);
}

/**
 * The id of a key, by which workers with the same key share its rate. It reveals nothing to Redis: it is salted, slow to compute, and too
 * short to confirm a guess.
 */
export async function keyId({ redis }: Connection, key: Secret): Promise<string> {
  const name = "archive-frames:salt";
  await redis.set(name, randomBytes(16).toString("hex"), "NX");
  const salt = (await redis.get(name)) ?? "";
  return ((await promisify(scrypt)(key.reveal(), salt, 2)) as Buffer).toString("hex");
}
