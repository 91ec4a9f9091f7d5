import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { ArchiveError } from "../errors/index.js";
import { Corpus } from "./corpus/corpus.js";
import { type EmbeddedArchiveOptions, resolveOptions } from "./options.js";
import { Archive, BASE_PATH } from "./server/operations.js";
import { Quota, respond } from "./server/respond.js";

/** An archive service that runs in this process. */
export interface EmbeddedArchive extends AsyncDisposable {
  /** Base URL, for example `"http://127.0.0.1:49152/2.0"`. */
  readonly baseUrl: string;
  /** The key that it accepts. */
  readonly apiKey: string;
  /** The seed of its data. */
  readonly seed: number;
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
 * Starts the archive service in this process, on the loopback interface, with synthetic data. The same `seed`, `size` and
 * `reairings` give the same responses on every machine.
 *
 * @param options port, seed, size, latency, quota, key; see {@link EmbeddedArchiveOptions}
 * @returns the running archive; the process stays alive until `close()` or `unref()`
 * @throws ValidationError for an unknown option or an invalid value
 * @throws ArchiveError `PORT_UNAVAILABLE` if it cannot listen on the port
 * @example
 * await using archive = await startEmbeddedArchive({ seed: 7 });
 * const response = await fetch(`${archive.baseUrl}/bills?query=budget`, { headers: { "x-api-key": archive.apiKey } });
 * response.status; //=> 200
 */
export async function startEmbeddedArchive(options: EmbeddedArchiveOptions = {}): Promise<EmbeddedArchive> {
  const { apiKey, latency, port, quota, reairings, seed, size } = resolveOptions(options);
  const archive = archiveOf(seed, size, reairings);
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
    seed,
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

/** The data of the last archive. Generating and indexing it takes a second, and programs start the same archive again. */
let last: { readonly name: string; readonly archive: Archive } | undefined;

function archiveOf(seed: number, size: number, reairings: boolean): Archive {
  const name = [seed, size, reairings].join();
  if (last?.name !== name) last = { name, archive: new Archive(new Corpus(seed, size, { reairings })) };
  return last.archive;
}

function portUnavailable(port: number, cause: NodeJS.ErrnoException): ArchiveError {
  const what = cause.code === "EADDRINUSE" ? "is already in use" : `is not available (${cause.code ?? cause.message})`;
  const hint = "Give another port, or 0 for any free one.";
  return new ArchiveError(`port ${port} ${what}.`, { code: "PORT_UNAVAILABLE", hint, cause });
}
