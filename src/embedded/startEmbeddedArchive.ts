import { ArchiveError } from "../errors/index.js";
import { Corpus } from "./corpus/corpus.js";
import { type EmbeddedArchiveOptions, resolveOptions } from "./options.js";
import { Archive } from "./server/archive.js";
import { listen } from "./server/listen.js";
import { BASE_PATH } from "./server/operations.js";
import { Quota, respond, type ServerContext } from "./server/respond.js";

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

/**
 * Starts the archive service in this process, on the loopback interface, with synthetic data. The same `seed`, `size`,
 * `personTitles` and `reairings` give the same responses on every machine.
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
  const { apiKey, latency, personTitles, port, quota, reairings, seed, size } = resolveOptions(options);
  const context: ServerContext = {
    archive: new Archive(new Corpus(seed, size, { reairings }), { personTitles }),
    apiKey,
    quota: quota && new Quota(quota),
  };
  const server = await listen((request) => respond(context, request), { port, latency }).catch((cause) => {
    throw portUnavailable(port, cause);
  });
  return {
    baseUrl: `http://127.0.0.1:${server.port}${BASE_PATH}`,
    apiKey,
    seed,
    get requests() {
      return server.requests();
    },
    unref: server.unref,
    close: server.close,
    [Symbol.asyncDispose]: server.close,
  };
}

function portUnavailable(port: number, cause: NodeJS.ErrnoException): ArchiveError {
  const what = cause.code === "EADDRINUSE" ? "is already in use" : `is not available (${cause.code ?? cause.message})`;
  return new ArchiveError(`port ${port} ${what}.`, {
    code: "PORT_UNAVAILABLE",
    hint: "Give another port, or 0 for any free one.",
    cause,
  });
}
