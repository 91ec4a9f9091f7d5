import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { ArchiveError } from "../../errors/index.js";
import { embeddedCollection } from "../data.js";
import { type EmbeddedArchiveOptions, type QuotaOptions, resolveOptions, type ServerOptions } from "../options.js";
import { Archive, BASE_PATH } from "./archive.js";
import { badRequest, HttpError } from "./request.js";

/** A running archive service. */
export interface EmbeddedArchive extends AsyncDisposable {
  /** Base URL: `"http://127.0.0.1:49152/2.0"`. */
  readonly baseUrl: string;
  /** The key that it accepts. */
  readonly apiKey: string;
  /** Requests served so far, failed ones included. */
  readonly requests: number;
  /** Lets the process exit while the archive is still running. */
  unref(): void;
  /** Stops the archive and drops open connections. */
  close(): Promise<void>;
}

/** Pending connections: a burst of clients is served slowly instead of refused. */
const BACKLOG = 4_096;

/**
 * Serves an archive on the loopback interface.
 *
 * @param open gives the archive; called on each request
 * @throws ArchiveError `PORT_UNAVAILABLE` if it cannot listen on the port
 */
export async function startServer(
  open: () => Archive,
  { apiKey, port, quota }: ServerOptions,
): Promise<EmbeddedArchive> {
  const context = { open, apiKey, count: quota && requestCounter(quota) };
  let requests = 0;
  const server = createServer((request, response) => {
    request.resume();
    const { status, headers, body } = respond(context, request);
    requests++;
    response.writeHead(status, { "content-type": "application/json; charset=utf-8", ...headers });
    response.end(body);
  });
  // Only the server itself keeps the process alive.
  server.on("connection", (socket) => socket.unref());
  await new Promise<void>((resolve, reject) => {
    server.once("error", (cause: NodeJS.ErrnoException) => {
      const problem = cause.code === "EADDRINUSE" ? "already in use" : `not available (${cause.code})`;
      const hint = "Give another port, or 0 for any free one.";
      reject(new ArchiveError(`port ${port} is ${problem}.`, { code: "PORT_UNAVAILABLE", hint, cause }));
    });
    server.listen({ port, host: "127.0.0.1", backlog: BACKLOG }, resolve);
  });
  // A connection that cannot be accepted must not stop the server.
  server.removeAllListeners("error").on("error", () => {});

  /** Idempotent: that the server is closed already, which `server.close` reports as an error, is ignored. */
  const close = () =>
    new Promise<void>((resolve) => {
      // Keep the process alive until the caller's await resolves.
      server.ref();
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}${BASE_PATH}`,
    apiKey,
    get requests() {
      return requests;
    },
    unref: () => server.unref(),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Programs start the archive again, and reading the data takes half a second. */
let archive: Archive | undefined;

/**
 * Starts the archive service in this process, on the loopback interface, with synthetic data, which are the same on every machine.
 *
 * @returns the archive; the process stays alive until `close()` or `unref()`
 * @throws ArchiveError `PORT_UNAVAILABLE`
 * @example
 * await using archive = await startEmbeddedArchive();
 * const response = await fetch(`${archive.baseUrl}/bills?query=budget`, { headers: { "x-api-key": archive.apiKey } });
 * response.status; //=> 200
 */
export async function startEmbeddedArchive(options: EmbeddedArchiveOptions = {}): Promise<EmbeddedArchive> {
  const open = () => {
    archive ??= new Archive(embeddedCollection());
    return archive;
  };
  return startServer(open, resolveOptions(options));
}

interface ServerContext {
  readonly open: () => Pick<Archive, "get">;
  readonly apiKey: string;
  readonly count: (() => number) | undefined;
}

type Request = Pick<IncomingMessage, "method" | "url" | "headers">;

/** Handles one request. Checks the key first, then quota, method, path and parameters. Never throws. */
export function respond(
  { open, apiKey, count }: ServerContext,
  { method, url = "", headers: { "x-api-key": key } }: Request,
) {
  try {
    if (!key) throw new HttpError(401, "an API key is required in the x-api-key header");
    if (key !== apiKey) throw new HttpError(403, "the API key is not valid");
    const wait = String(count?.() ?? 0);
    if (wait !== "0") throw new HttpError(429, `the request quota is used up; wait ${wait} s`, { "retry-after": wait });
    if (method !== "GET") throw new HttpError(405, "only GET is allowed", { allow: "GET" });
    const [, path = "", query = ""] = /^([^?#]*)\??([^#]*)/.exec(url) ?? [];
    return { status: 200, headers: {}, body: JSON.stringify(open().get(path, query)) };
  } catch (error) {
    const failure = error instanceof URIError ? badRequest("the path is not valid percent-encoding") : error;
    const { status, headers, message } =
      failure instanceof HttpError ? failure : new HttpError(500, "Internal server error");
    return { status, headers, body: JSON.stringify({ message }) };
  }
}

/**
 * Counts requests per window of fixed length, which begins with its first request. Returns 0 for a request within the quota, otherwise
 * the seconds to wait, an integer from 1.
 */
function requestCounter({ requests, seconds }: QuotaOptions): () => number {
  let windowEnd = Number.NEGATIVE_INFINITY;
  let used = 0;
  return () => {
    const now = performance.now();
    if (now >= windowEnd) [windowEnd, used] = [now + seconds * 1000, 0];
    used++;
    return used <= requests ? 0 : Math.max(1, Math.ceil((windowEnd - now) / 1000));
  };
}
