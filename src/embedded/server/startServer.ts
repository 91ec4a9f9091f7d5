import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { ArchiveError } from "../../errors/index.js";
import type { ServerOptions } from "../options.js";
import { type Archive, BASE_PATH } from "./archive.js";
import { requestCounter, respond } from "./respond.js";

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

  /** Calls back at once, with an error, if the server is closed already. */
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
