import { randomBytes } from "node:crypto";
import type { ArchiveClientOptions, DecidedOutput } from "../call/clientSettings.js";
import type { Format } from "../call/formats.js";
import { ArchiveClient } from "../client.js";
import { boolean, nonEmptyString } from "../errors/validators.js";
import type { Engine } from "../frames/engine.js";
import { resolveOptions } from "../service/http/options.js";
import { withoutNulls } from "../util/withoutNulls.js";
import { Coordinator } from "./coordinator.js";
import { openStorage } from "./openStorage.js";
import { queueAddress } from "./queueAddress.js";
import { queueLibrary } from "./queueLibrary.js";

/** Where a fleet meets. */
export interface FleetOptions {
  /** URL of the Redis server: `"redis://localhost:6379"`, `"rediss://user:password@host:6380/0"`. */
  queue: string;
  /** The directory of the corpus that the fleet builds. It keeps the name of the queue while there is one. */
  corpus: string;
  /** The directory, or the bucket (`"s3://bucket/fleet"`), that workers and coordinator share. Default: a directory of this user. */
  storage?: string | undefined;
  /** Settings of the bucket, as of `save`: `{ aws_region: "eu-west-1" }`. Default: those of the environment (`AWS_REGION`, …). */
  cloudOptions?: Readonly<Record<string, string>> | undefined;
  /** Keep the bodies in the storage. Default false: they are removed after they were read. */
  keepBodies?: boolean | undefined;
}

/**
 * Options of {@link openFleet}: those of a client, and where the fleet meets. `concurrency` is the maximum over all workers, default 64:
 * give more to workers who can send more together.
 */
export type OpenFleetOptions<F extends Format = Format, E extends Engine = Engine> = Omit<
  ArchiveClientOptions<F, E>,
  "session" | "timeout"
> &
  FleetOptions;

/** Pages in flight over all workers, whose own concurrency may be lower. */
const CONCURRENCY = 64;

/**
 * Opens a client whose requests are sent by the workers of a fleet ({@link startWorker}, or `archive-frames work` on other machines).
 * Everything else is that of an {@link ArchiveClient}: a corpus that it builds is byte for byte the one that a single process builds.
 *
 * It needs no key: those of the workers are used. `close()` removes everything from Redis and the storage, except jobs that failed
 * for good.
 *
 * @param options see {@link OpenFleetOptions}
 * @throws ValidationError for an option that is not valid; ArchiveError `QUEUE_MISSING` without bullmq and ioredis, `QUEUE_FAILED` if
 *   Redis cannot be reached
 * @example
 * const archive = await openFleet({ queue: "redis://localhost:6379", corpus: "inflation/" });
 * const corpus = await openCorpus("inflation/", { archive, searches });
 * await corpus.build();
 * await archive.close();
 */
export async function openFleet<F extends Format = "dataframe", E extends Engine = "polars">(
  options: OpenFleetOptions<F, E> & DecidedOutput<F, E>,
): Promise<ArchiveClient<F, E>> {
  const { queue, corpus, storage, cloudOptions, keepBodies, ...given } = withoutNulls<OpenFleetOptions<F, E>>(options);
  const address = queueAddress(queue);
  const client = {
    ...given,
    concurrency: given.concurrency ?? CONCURRENCY,
    // No request of this process needs a key, but a client does. No response contains this one.
    apiKey: given.apiKey ?? (process.env.ARCHIVE_API_KEY?.trim() || randomBytes(24).toString("hex")),
  };
  const { apiKey, baseUrl, allowInsecure, maxBodyBytes } = client as ArchiveClientOptions;
  const settings = resolveOptions({ apiKey, baseUrl, allowInsecure, maxBodyBytes });
  const coordinator = new Coordinator({
    address,
    library: await queueLibrary(),
    corpus: nonEmptyString("corpus", corpus, "inflation/"),
    baseUrl: settings.baseUrl,
    storage: await openStorage(storage, cloudOptions),
    keepBodies: keepBodies === undefined ? false : boolean("keepBodies", keepBodies),
  });
  const fleet = new FleetClient<F, E>(
    client as unknown as ArchiveClientOptions<F, E> & DecidedOutput<F, E>,
    coordinator,
  );
  await coordinator.connect();
  return fleet;
}

/** A client that ends its fleet. */
class FleetClient<F extends Format, E extends Engine> extends ArchiveClient<F, E> {
  readonly #coordinator: Coordinator;

  constructor(options: ArchiveClientOptions<F, E> & DecidedOutput<F, E>, coordinator: Coordinator) {
    super(options, undefined, (settings) => coordinator.pools(settings));
    this.#coordinator = coordinator;
  }

  override async close(): Promise<void> {
    await super.close();
    await this.#coordinator.close();
  }
}
