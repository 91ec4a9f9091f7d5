import { readFileSync, statSync } from "node:fs";
import { invalid } from "../errors/validators.js";

/** Where a queue is. Nothing prints its password. */
export interface QueueAddress {
  readonly host: string;
  readonly port: number;
  readonly db: number;
  readonly isEncrypted: boolean;
  /** The address for messages: without user and password. */
  readonly shown: string;
  readonly credentials: () => { readonly username?: string; readonly password?: string };
}

const MAX_FILE_BYTES = 4096;

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
export function queueAddress(given: unknown, env: NodeJS.ProcessEnv = process.env): QueueAddress {
  const value = given ?? env.ARCHIVE_QUEUE;
  const text = typeof value === "string" && !value.includes("://") ? contentOf(value) : value;
  const url = typeof text === "string" && URL.canParse(text.trim()) ? new URL(text.trim()) : undefined;
  const [, db] = /^\/?(\d{0,5})$/.exec(url?.pathname ?? "?") ?? [];
  const isRedis = url?.protocol === "redis:" || url?.protocol === "rediss:";
  if (url === undefined || !isRedis || url.hostname === "" || db === undefined || url.search !== "" || url.hash !== "")
    throw invalid("queue", value === undefined ? undefined : "…", HINT);
  const { hostname, pathname } = url;
  const port = Number(url.port || 6379);
  const [username, password] = [decoded(url.username), decoded(url.password)];
  return {
    host: hostname.replace(/^\[(.*)\]$/, "$1"),
    port,
    db: Number(db),
    isEncrypted: url.protocol === "rediss:",
    shown: `${url.protocol}//${hostname}:${port}${pathname === "/" ? "" : pathname}`,
    credentials: () => ({ ...(username !== "" && { username }), ...(password !== "" && { password }) }),
  };
}

/** The URL in a file; undefined if it cannot be read. */
function contentOf(path: string): string | undefined {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats?.isFile() && stats.size <= MAX_FILE_BYTES ? readFileSync(path, "utf8") : undefined;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
