import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";

/** A request as the server received it. */
export interface SeenRequest {
  readonly method: string;
  /** Path and query as sent. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  /** Index of its connection, from 0. */
  readonly connection: number;
}

/** How the server responds to a request. */
export type ScriptedAnswer =
  /** An HTTP response; an object is sent as JSON. Default: status 200, content-type application/json. */
  | {
      status?: number;
      statusText?: string;
      headers?: Record<string, string | string[]>;
      body?: object | string | Buffer;
    }
  /** Raw bytes for the socket, which is then closed or left open: truncated, overlong and invalid responses. */
  | { raw: string | Buffer; keepOpen?: boolean }
  /** Resets the connection before sending a byte. */
  | { reset: true }
  /** Sends nothing until the client gives up or the server closes. */
  | { hang: true }
  /** Sends the head, then one byte every `everyMs` milliseconds, forever. */
  | { drip: string; everyMs: number; status?: number };

/** Returns the response to the `index`-th request, from 0. May be asynchronous. */
export type Script = (request: SeenRequest, index: number) => ScriptedAnswer | Promise<ScriptedAnswer>;

/** A running server on 127.0.0.1. */
export interface ScriptedServer extends AsyncDisposable {
  /** Without a trailing slash. */
  readonly baseUrl: string;
  readonly port: number;
  /** All requests so far, in order of arrival. */
  readonly requests: readonly SeenRequest[];
  /** Open requests: now, and at most so far. */
  readonly load: { now: number; peak: number };
  /** Connections: opened so far, and open now. */
  readonly connections: { opened: number; open: number };
  /** Resolves once `count` requests have arrived. */
  arrived(count: number): Promise<void>;
  /** Resolves once no request and exactly `open` connections are open. Default: any number of connections. */
  quiet(open?: number): Promise<void>;
  close(): Promise<void>;
}

/**
 * Starts a server whose responses a script decides.
 *
 * @example
 * await using server = await startScriptedServer((_, index) => (index === 0 ? { status: 503 } : { body: { bills: [] } }));
 * await fetch(`${server.baseUrl}/bills`); // 503
 * server.requests[0]?.url; //=> "/bills"
 */
export async function startScriptedServer(script: Script): Promise<ScriptedServer> {
  const requests: SeenRequest[] = [];
  const load = { now: 0, peak: 0 };
  const connections = { opened: 0, open: 0 };
  const sockets = new Map<Socket, number>();
  const watchers = new Set<() => void>();
  const changed = () => {
    for (const watcher of watchers) watcher();
  };
  const until = (condition: () => boolean) =>
    new Promise<void>((resolve) => {
      const watcher = () => {
        if (!condition()) return;
        watchers.delete(watcher);
        resolve();
      };
      watchers.add(watcher);
      watcher();
    });

  const server: Server = createServer(async (request, response) => {
    const { method = "", url = "", headers, socket } = request;
    const seen: SeenRequest = { method, url, headers, connection: sockets.get(socket) ?? -1 };
    const index = requests.push(seen) - 1;
    load.now += 1;
    load.peak = Math.max(load.peak, load.now);
    response.once("close", () => {
      load.now -= 1;
      changed();
    });
    changed();
    try {
      act(await script(seen, index), response, socket);
    } catch (error) {
      // Otherwise the client would wait for its timeout, try again, and may succeed.
      socket.destroy();
      throw error;
    }
  });
  server.on("connection", (socket) => {
    sockets.set(socket, connections.opened);
    connections.opened += 1;
    connections.open += 1;
    socket.on("error", () => {});
    socket.once("close", () => {
      sockets.delete(socket);
      connections.open -= 1;
      changed();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));

  const { port } = server.address() as AddressInfo;
  const close = async () => {
    if (!server.listening) return;
    const closed = new Promise((resolve) => server.close(resolve));
    for (const socket of sockets.keys()) socket.destroy();
    await closed;
  };
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    port,
    requests,
    load,
    connections,
    arrived: (count) => until(() => requests.length >= count),
    quiet: (open) => until(() => load.now === 0 && (open === undefined || connections.open === open)),
    close,
    [Symbol.asyncDispose]: close,
  };
}

function act(answer: ScriptedAnswer, response: ServerResponse, socket: Socket): void {
  if ("hang" in answer) return;
  if ("reset" in answer) {
    socket.resetAndDestroy();
  } else if ("raw" in answer) {
    if (answer.keepOpen) socket.write(answer.raw);
    else socket.end(answer.raw);
  } else if ("drip" in answer) {
    response.writeHead(answer.status ?? 200, { "content-type": "application/json" });
    let at = 0;
    const timer = setInterval(() => response.write(answer.drip[at++ % answer.drip.length]), answer.everyMs);
    response.once("close", () => clearInterval(timer));
  } else {
    const { status = 200, statusText, headers = {}, body = "" } = answer;
    const bytes = typeof body === "string" || Buffer.isBuffer(body) ? body : JSON.stringify(body);
    const all = { "content-type": "application/json", "content-length": Buffer.byteLength(bytes), ...headers };
    if (statusText === undefined) response.writeHead(status, all);
    else response.writeHead(status, statusText, all);
    response.end(bytes);
  }
}
