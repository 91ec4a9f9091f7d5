import { invalid } from "../errors/validators.js";

/** Where a queue is. */
export interface QueueAddress {
  readonly host: string;
  readonly port: number;
  readonly db: number;
  readonly username: string | undefined;
  readonly password: string | undefined;
  readonly isEncrypted: boolean;
  /** The address for messages: without user and password. */
  readonly shown: string;
}

const DEFAULT_PORT = 6379;

const HINT =
  "Give the URL of a Redis server, for example redis://localhost:6379, or rediss://user:password@host:6380/0 with TLS.";

/**
 * Checks the URL of a queue. No message shows its user or password.
 *
 * @throws ValidationError
 * @example
 * queueAddress("redis://:secret@localhost").shown; //=> "redis://localhost:6379"
 */
export function queueAddress(value: unknown): QueueAddress {
  const url = typeof value === "string" && URL.canParse(value) ? new URL(value) : undefined;
  // A text that is no URL may contain a password anywhere.
  if (url === undefined) throw invalid("queue", typeof value === "string" ? "…" : value, HINT);
  const { protocol, hostname, port, pathname } = url;
  const shown = `${protocol}//${hostname}:${port || DEFAULT_PORT}${pathname === "/" ? "" : pathname}`;
  const isRedis = protocol === "redis:" || protocol === "rediss:";
  const [, db] = /^\/?(\d{0,5})$/.exec(pathname) ?? [];
  if (!isRedis || hostname === "" || db === undefined || url.search !== "" || url.hash !== "")
    throw invalid("queue", shown, HINT);
  return {
    host: hostname.replace(/^\[(.*)\]$/, "$1"),
    port: Number(port || DEFAULT_PORT),
    db: Number(db),
    username: decoded(url.username),
    password: decoded(url.password),
    isEncrypted: protocol === "rediss:",
    shown,
  };
}

function decoded(text: string): string | undefined {
  if (text === "") return undefined;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
