import { invalid } from "../errors/validators.js";
import { readInputFile } from "../fs/readInputFile.js";
import { userPath } from "../fs/userPath.js";

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
  try {
    const text = String(value);
    const url = new URL((text.includes("://") ? text : contentOf(text)).trim());
    const { protocol, hostname, pathname, search, hash } = url;
    const isWhole = /^rediss?:$/.test(protocol) && hostname !== "" && /^\/?\d{0,5}$/.test(pathname);
    if (!isWhole || search !== "" || hash !== "") throw new TypeError();
    const port = Number(url.port || 6379);
    const [username, password] = [decodeURIComponent(url.username), decodeURIComponent(url.password)];
    return {
      host: hostname.replace(/^\[(.*)\]$/, "$1"),
      port,
      db: Number(pathname.slice(1)),
      isEncrypted: protocol === "rediss:",
      shown: `${protocol}//${hostname}:${port}${pathname === "/" ? "" : pathname}`,
      credentials: () => ({ ...(username !== "" && { username }), ...(password !== "" && { password }) }),
    };
  } catch {
    throw invalid("queue", value === undefined ? undefined : "…", HINT);
  }
}

/** The URL in a file. */
function contentOf(path: string): string {
  return readInputFile(userPath("queue", path), MAX_FILE_BYTES).toString();
}
