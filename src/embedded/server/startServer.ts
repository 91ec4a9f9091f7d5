import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { ArchiveError } from "../../errors/index.js";
import type { ServerOptions } from "../options.js";
import { type Archive, BASE_PATH } from "./archive.js";
import { Quota, respond } from "./respond.js";

/** An archive service that runs in this process. */
export interface EmbeddedArchive extends AsyncDisposable {
  /** Base URL, for example `"http://127.0.0.1:49152/2.0"`. */
  readonly baseUrl: string;
  /** The key that it accepts. */
  readonly apiKey: string;
  /** Number of requests served so far, failed ones included. */
  readonly requests: number;
  /** Lets the process exit while the archive is still running. By default the archive keeps the process alive. */
  unref(): void;
  /** Stops the archive immediately and drops open connections. Safe to call twice. */
  close(): Promise<void>;
}

/** Pending connections: a burst of clients is served slowly instead of refused. */
const BACKLOG = 4_096;

/**
 * Serves an archive on the loopback interface.
 *
 * @param open gives the archive; called on the first request
 * @throws ArchiveError `PORT_UNAVAILABLE` if it cannot listen on the port
 */
export async function startServer(
  open: () => Archive,
  { apiKey, latency, port, quota }: ServerOptions,
): Promise<EmbeddedArchive> {
  const archive: Pick<Archive, "get"> = { get: (path, query) => open().get(path, query) };
  const context = { archive, apiKey, quota: quota && new Quota(quota) };
  const closing = new AbortController();
  let requests = 0;

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    request.resume();
    if (latency > 0) await delay(latency, undefined, { signal: closing.signal });
    const { method = "", url = "" } = request;
    const key = request.headers["x-api-key"]?.toString();
    const { status, headers, body } = respond(context, { method, target: url, key });
    requests++;
    const length = Buffer.byteLength(body);
    response.writeHead(status, {
      "content-type": "application/json; charset=utf-8",
      "content-length": length,
      ...headers,
    });
    response.end(method === "HEAD" ? undefined : body);
  };
  const server = createServer((request, response) => {
    // The only possible failure is close() during the delay; its connection is gone anyway.
    serve(request, response).catch(() => response.destroy());
  });
  let keepsAlive = true;
  server.on("connection", (socket) => {
    if (!keepsAlive) socket.unref();
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", (cause) => reject(portUnavailable(port, cause)));
    server.listen({ port, host: "127.0.0.1", backlog: BACKLOG }, resolve);
  });
  // A connection that cannot be accepted must not stop the server.
  server.removeAllListeners("error").on("error", () => {});

  /** Calls back at once, with an error, if the server is closed already. */
  const close = () =>
    new Promise<void>((resolve) => {
      // Keep the process alive until the caller's await resolves.
      server.ref();
      server.close(() => resolve());
      closing.abort();
      server.closeAllConnections();
    });
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}${BASE_PATH}`,
    apiKey,
    get requests() {
      return requests;
    },
    unref() {
      keepsAlive = false;
      server.unref();
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

function portUnavailable(port: number, cause: NodeJS.ErrnoException): ArchiveError {
  const what = cause.code === "EADDRINUSE" ? "is already in use" : `is not available (${cause.code ?? cause.message})`;
  const hint = "Give another port, or 0 for any free one.";
  return new ArchiveError(`port ${port} ${what}.`, { code: "PORT_UNAVAILABLE", hint, cause });
}
