import type { ArchiveClientOptions, DecidedOutput } from "../call/clientSettings.js";
import type { Format } from "../call/formats.js";
import { ArchiveClient } from "../client.js";
import { nonEmptyString } from "../errors/validators.js";
import type { Engine } from "../frames/engine.js";
import { type ResolvedOptions, resolveOptions } from "../service/http/options.js";
import { withoutNulls } from "../util/withoutNulls.js";
import { connect, keyId } from "./connection.js";
import { Coordinator } from "./coordinator.js";
import { queueAddress } from "./queueAddress.js";
import { openStorage } from "./storage.js";

/** Where a fleet meets. */
export interface FleetOptions {
  /** URL of the Redis server, or the path of a file that contains it. Default: `ARCHIVE_QUEUE`. */
  queue?: string | undefined;
  /** The directory of the corpus that the fleet builds. It keeps the name of the queue while there is one. */
  corpus: string;
  /** The directory, or the bucket (`"s3://bucket/fleet"`), that workers and coordinator share. Default: a directory of this user. */
  storage?: string | undefined;
  /** Settings of the bucket, as of `save`: `{ aws_region: "eu-west-1" }`. Default: those of the environment (`AWS_REGION`, …). */
  cloudOptions?: Readonly<Record<string, string>> | undefined;
}

/** Options of {@link openFleet}: those of a client, and where the fleet meets. */
export type OpenFleetOptions<F extends Format = Format, E extends Engine = Engine> = Omit<
  ArchiveClientOptions<F, E>,
  "session"
> &
  FleetOptions;

/**
 * Opens a client for a corpus whose windows are fetched by the workers of a fleet ({@link startWorker}, or `archive-frames work` on other
 * machines). The tables are byte for byte those that a single process builds.
 *
 * Lookups, and whatever else the client does, it requests itself, with its own key, at the rate and from the budget that it shares with the
 * workers. `close()` removes everything from Redis and the storage.
 *
 * @param options see {@link OpenFleetOptions}
 * @throws ValidationError for an option that is not valid; AuthenticationError without a key; ArchiveError `QUEUE_MISSING` without bullmq and
 *   ioredis, `QUEUE_FAILED` if Redis cannot be reached
 * @example
 * const archive = await openFleet({ queue: "redis://localhost:6379", corpus: "inflation/" });
 * const corpus = await openCorpus("inflation/", { archive, searches, window: "month" });
 * await corpus.build();
 * await archive.close();
 */
export async function openFleet<F extends Format = "dataframe", E extends Engine = "polars">(
  options: OpenFleetOptions<F, E> & DecidedOutput<F, E>,
): Promise<ArchiveClient<F, E>> {
  const { queue, corpus, storage, cloudOptions, ...client } = withoutNulls<OpenFleetOptions<F, E>>(options);
  const address = queueAddress(queue);
  const { apiKey, baseUrl, allowInsecure } = client as ArchiveClientOptions;
  const { key } = resolveOptions({ apiKey, baseUrl, allowInsecure });
  const dir = nonEmptyString("corpus", corpus, "inflation/");
  const files = await openStorage(storage, cloudOptions);
  const connection = await connect(address);
  try {
    const id = await keyId(connection, key);
    const given = client as unknown as ArchiveClientOptions<F, E> & DecidedOutput<F, E>;
    const coordinator = (settings: ResolvedOptions) => new Coordinator(settings, connection, dir, files, id);
    return new ArchiveClient<F, E>(given, undefined, coordinator);
  } catch (error) {
    connection.redis.disconnect();
    throw error;
  }
}
