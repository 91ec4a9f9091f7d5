import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import type { ArchiveRequest, ArchiveResponse } from "./respond.js";

/** A running server on the loopback interface. */
export interface LoopbackServer {
  port: number;
  /** Number of requests served so far, failed ones included. */
  requests(): number;
  /** Lets the process exit, open connections included. */
  unref(): void;
  /** Stops the server immediately, including open connections and pending responses. */
  close(): Promise<void>;
}

/** Pending connections: a burst of clients is served slowly instead of refused. */
const BACKLOG = 4_096;

/** Listens on the loopback interface only, and sends each response after `latency` milliseconds. */
export async function listen(
  respond: (request: ArchiveRequest) => ArchiveResponse,
  { port, latency }: { port: number; latency: number },
): Promise<LoopbackServer> {
  const closing = new AbortController();
  let requests = 0;

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    request.resume();
    if (latency > 0) await delay(latency, undefined, { signal: closing.signal });
    const { method = "", url = "", headers } = request;
    const { status, headers: extra, body } = respond({ method, target: url, key: headers["x-api-key"]?.toString() });
    requests++;
    response.writeHead(status, {
      "content-type": "application/json; charset=utf-8",
      "content-length": Buffer.byteLength(body),
      ...extra,
    });
    response.end(method === "HEAD" ? undefined : body);
  };

  const server = createServer((request, response) => {
    // The only possible failure is close() during the delay; its connection is gone anyway.
    serve(request, response).catch(() => response.destroy());
  });
  const sockets = new Set<Socket>();
  let keepsAlive = true;
  server.on("connection", (socket) => {
    if (!keepsAlive) socket.unref();
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen({ port, host: "127.0.0.1", backlog: BACKLOG }, resolve);
  });
  // A connection that cannot be accepted must not stop the server.
  server.removeAllListeners("error").on("error", () => {});
  const address = server.address();

  let closed: Promise<void> | undefined;
  return {
    port: typeof address === "object" && address !== null ? address.port : port,
    requests: () => requests,
    unref: () => {
      keepsAlive = false;
      server.unref();
      for (const socket of sockets) socket.unref();
    },
    close: () => {
      closed ??= new Promise<void>((resolve) => {
        // Keep the process alive until the caller's await resolves.
        server.ref();
        server.close(() => resolve());
        closing.abort();
        for (const socket of sockets) socket.destroy();
      });
      return closed;
    },
  };
}
