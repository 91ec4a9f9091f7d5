import { scryptSync } from "node:crypto";
import { isIP } from "node:net";
import type { ConnectionOptions } from "bullmq";
import type { Redis, RedisOptions } from "ioredis";
import { copyCause } from "../errors/causes.js";
import { ArchiveError } from "../errors/index.js";
import { invalid } from "../errors/validators.js";
import { warn } from "../errors/warn.js";
import { readInputFile } from "../fs/readInputFile.js";
import { userPath } from "../fs/userPath.js";
import type { ResolvedOptions } from "../service/http/options.js";
import { createRedactor } from "../service/http/secret.js";
import { escaped } from "../util/quoted.js";

/** Where a queue is. Nothing prints its password. */
export interface QueueAddress {
  /** The address for messages: without user and password. */
  readonly shown: string;
  /** Options of lasting connections: they reconnect for as long as it takes, and commands wait meanwhile. */
  readonly options: () => RedisOptions & ConnectionOptions;
}

export interface Connection {
  readonly address: QueueAddress;
  readonly bullmq: typeof import("bullmq");
  readonly redis: Redis;
  /** From now on nothing waits for a server that is away: commands fail. */
  leave(): void;
  /** Connects again after {@link leave}. */
  rejoin(): Promise<void>;
}

const MAX_FILE_BYTES = 4096;
/** Milliseconds. */
const CONNECT_TIMEOUT = 10_000;

const HINT =
  "Set ARCHIVE_QUEUE to the URL of a Redis server, for example redis://localhost:6379, or rediss://user:password@host:6380/0 with TLS, " +
  "or give the path of a file that contains it.";

/**
 * Reads the address of a queue: a URL, or the path of a file that contains one. No message shows an address that is refused, because it may
 * contain a password anywhere.
 *
 * @param given undefined for `ARCHIVE_QUEUE`
 * @throws ValidationError
 * @example
 * queueAddress("redis://:secret@localhost").shown; //=> "redis://localhost:6379"
 */
export function queueAddress(given: unknown): QueueAddress {
  const value = given ?? process.env.ARCHIVE_QUEUE;
  try {
    const text = String(value);
    const content = () => readInputFile(userPath("queue", text), MAX_FILE_BYTES).toString();
    const url = new URL((text.includes("://") ? text : content()).trim());
    const { protocol, hostname, pathname, search, hash } = url;
    const isWhole = /^rediss?:$/.test(protocol) && hostname !== "" && /^\/?\d{0,5}$/.test(pathname);
    if (!isWhole || search !== "" || hash !== "") throw new TypeError();
    const [port, host] = [Number(url.port || 6379), hostname.replace(/^\[(.*)\]$/, "$1")];
    const [username, password] = [decodeURIComponent(url.username), decodeURIComponent(url.password)];
    return {
      shown: `${protocol}//${hostname}:${port}${pathname === "/" ? "" : pathname}`,
      options: () => ({
        host,
        port,
        db: Number(pathname.slice(1)),
        ...(protocol === "rediss:" && { tls: isIP(host) === 0 ? { servername: host } : {} }),
        ...(username !== "" && { username }),
        ...(password !== "" && { password }),
        connectTimeout: CONNECT_TIMEOUT,
        maxRetriesPerRequest: null,
        retryStrategy: (times) => Math.min(50 * times, 2000),
      }),
    };
  } catch {
    throw invalid("queue", value === undefined ? undefined : "…", HINT);
  }
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
  const options = address.options();
  let [isConnected, isLeaving] = [false, false];
  let reason: unknown;
  const retryStrategy = (times: number) => {
    if (isLeaving) return null;
    // Commands wait for the server, so a warning says why nothing happens.
    if (isConnected && times === 1) warn("QUEUE_AWAY", `The queue at ${address.shown} is away. Waiting for it.`);
    return isConnected ? options.retryStrategy?.(times) : null;
  };
  /** Can be disconnected between two attempts to reconnect: ioredis emits no "end" then, and BullMQ waits for it when it closes a worker. */
  class EndingRedis extends Redis {
    override disconnect(reconnect = false): void {
      if (this.status === "reconnecting" && !reconnect) this.status = "wait";
      super.disconnect(reconnect);
    }

    override duplicate(override?: Partial<RedisOptions>): Redis {
      return new EndingRedis({ ...options, ...override });
    }
  }
  const redis = new EndingRedis({ ...options, lazyConnect: true, retryStrategy });
  redis.on("error", (error) => {
    reason = error;
  });
  try {
    await redis.connect();
    await redis.ping();
    // A database that does not exist leaves the connection at another one.
    if (options.db !== 0) await redis.select(options.db as number);
    isConnected = true;
    const leave = () => {
      isLeaving = true;
      if (redis.status !== "ready") redis.disconnect();
    };
    const rejoin = async () => {
      isLeaving = false;
      if (redis.status === "end") await redis.connect();
    };
    return { address, bullmq, redis, leave, rejoin };
  } catch (error) {
    redis.disconnect();
    throw queueError(address, reason ?? error);
  }
}

/** Converts a failure of Redis to a typed error. Its cause is a copy, because errors of ioredis carry commands with passwords. */
export function queueError({ shown, options }: QueueAddress, failure: unknown): ArchiveError {
  if (failure instanceof ArchiveError) return failure;
  const { previousErrors = [failure] } = (failure ?? {}) as { readonly previousErrors?: readonly unknown[] };
  const { code = "", message = "" } = (previousErrors[0] ?? {}) as {
    readonly code?: unknown;
    readonly message?: string;
  };
  const redact = createRedactor(options().password ?? "");
  const text = redact(`${code} ${message}`.trim());
  const [problem, hint] = text.includes("ECONNREFUSED")
    ? ["connection refused", "Start it with redis-server, or check the host and port of the URL."]
    : /NOAUTH|WRONGPASS|invalid password/i.test(text)
      ? ["user or password are missing or wrong", "Put them into ARCHIVE_QUEUE: redis://user:password@host:6379."]
      : [escaped(text, 200) || "no connection", "Check the URL and the server."];
  const what = `the queue at ${shown} failed: ${problem.replace(/\.$/, "")}.`;
  return new ArchiveError(what, { code: "QUEUE_FAILED", hint, cause: copyCause(failure, redact) });
}

/** Whether somebody has replaced a key by one of another type, or a count. Removing it is enough: the coordinator restores what Redis loses. */
export function isDamage(error: unknown): boolean {
  return /WRONGTYPE|not an integer/.test(String(error));
}

/** Id of a key at a service, by which workers with the same key share its rate. It is slow to compute, and too short to confirm a guess. */
export function keyId({ key, baseUrl }: Pick<ResolvedOptions, "key" | "baseUrl">): string {
  return scryptSync(key.reveal(), baseUrl, 2).toString("hex");
}
