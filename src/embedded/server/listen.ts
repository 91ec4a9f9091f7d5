import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import type { ArchiveRequest, ArchiveResponse } from "./respond.js";

/** A server that is listening. */
export interface LoopbackServer {
  port: number;
  /** Requests answered so far, whatever the answer. */
  requests(): number;
  /** Stops keeping the process alive, connections included. */
  unref(): void;
  /** Ends the server, its open connections and its pending answers, at once. */
  close(): Promise<void>;
}

/** How many connections may wait to be accepted: a flood is slow, not refused. */
const BACKLOG = 4_096;

/** Listens on the loopback interface only, and sends what `answer` makes of each request after `latency` ms. */
export async function listen(
  answer: (request: ArchiveRequest) => ArchiveResponse,
  { port, latency }: { port: number; latency: number },
): Promise<LoopbackServer> {
  const closing = new AbortController();
  let requests = 0;

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    request.resume();
    if (latency > 0) await delay(latency, undefined, { signal: closing.signal });
    const { method = "", url = "", headers } = request;
    const { status, headers: more, body } = answer({ method, target: url, key: headers["x-api-key"]?.toString() });
    requests++;
    response.writeHead(status, {
      "content-type": "application/json; charset=utf-8",
      "content-length": Buffer.byteLength(body),
      ...more,
    });
    response.end(method === "HEAD" ? undefined : body);
  };

  const server = createServer((request, response) => {
    // The only failure left is an answer that close() overtook: its connection is gone.
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
  // A connection that could not be accepted is that client's trouble, not the end of the server.
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
        // Whoever waits for this is to hear of it, also where nothing else keeps the process alive.
        server.ref();
        server.close(() => resolve());
        closing.abort();
        for (const socket of sockets) socket.destroy();
      });
      return closed;
    },
  };
}
