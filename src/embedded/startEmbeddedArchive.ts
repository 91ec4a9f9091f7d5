import { Corpus } from "./corpus/corpus.js";
import { type EmbeddedArchiveOptions, type ResolvedOptions, resolveOptions } from "./options.js";
import { Archive } from "./server/archive.js";
import { listen } from "./server/listen.js";
import { Quota } from "./server/quota.js";
import { respond, type ServerContext } from "./server/respond.js";
import { BASE_PATH } from "./server/routes.js";

/**
 * Starts the archive service in this process, over a synthetic corpus, on a port of the loopback interface.
 *
 * The process stays alive until close(). The same seed, size and personTitles give the same answers, byte for byte, everywhere.
 *
 * @throws TypeError or RangeError for an option that will not do, before anything listens
 * @throws the system's error where the port is taken
 * @example
 * await using archive = await startEmbeddedArchive({ seed: 7 });
 * const answer = await fetch(`${archive.baseUrl}/bills?query=budget`, { headers: { "x-api-key": archive.apiKey } });
 * answer.status; //=> 200
 */
export async function startEmbeddedArchive(options: EmbeddedArchiveOptions = {}): Promise<EmbeddedArchive> {
  return startArchive(resolveOptions(options), () => performance.now());
}

/** An archive that is running in this process. */
export interface EmbeddedArchive extends AsyncDisposable {
  /** Where it answers, e.g. "http://127.0.0.1:49152/2.0". */
  readonly baseUrl: string;
  /** The key that it accepts. */
  readonly apiKey: string;
  /** The number that decides what it holds. */
  readonly seed: number;
  /** How many requests it has answered so far, whatever the answer. */
  readonly requests: number;
  /** Lets the process end although the archive is still running. Without this call the archive keeps it alive. */
  unref(): void;
  /** Ends it at once, open connections and pending answers included; a second call changes nothing. */
  close(): Promise<void>;
}

/**
 * Puts the archive together from checked options.
 *
 * @param now the clock of the quota, in milliseconds; tests bring their own
 */
export async function startArchive(options: ResolvedOptions, now: () => number): Promise<EmbeddedArchive> {
  const { apiKey, personTitles, quota, seed, size } = options;
  const desk: ServerContext = {
    archive: new Archive(new Corpus(seed, size), { personTitles }),
    apiKey,
    quota: quota && new Quota(quota, now),
  };
  const listening = await listen((request) => respond(desk, request), options);
  return {
    baseUrl: `http://127.0.0.1:${listening.port}${BASE_PATH}`,
    apiKey,
    seed,
    get requests() {
      return listening.requests();
    },
    unref: listening.unref,
    close: listening.close,
    [Symbol.asyncDispose]: listening.close,
  };
}
