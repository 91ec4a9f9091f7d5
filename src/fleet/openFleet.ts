import type { Format } from "../call/callOptions.js";
import type { ArchiveClientOptions, DecidedOutput } from "../call/clientSettings.js";
import { ArchiveClient } from "../client.js";
import { positiveNumber } from "../errors/validators.js";
import type { Engine } from "../frames/engine.js";
import { userPath } from "../fs/userPath.js";
import { type ResolvedOptions, resolveOptions } from "../service/http/options.js";
import { withoutNulls } from "../util/withoutNulls.js";
import { connect, keyId, queueAddress } from "./connection.js";
import { Coordinator } from "./coordinator.js";
import { openStorage } from "./storage.js";

/** Where the processes of a fleet meet, and what they share. */
export interface FleetOptions {
  /** URL of the Redis server, or the path of a file that contains it. Default: `ARCHIVE_QUEUE`. */
  queue?: string | undefined;
  /** The directory of the corpus that the fleet builds. Its `work/queue` holds the name of the queue until `close()`. */
  corpus: string;
  /**
   * The directory or bucket (`"s3://bucket/fleet"`) that workers and the coordinator share. Default: a directory in this user's cache, which
   * serves one machine.
   */
  storage?: string | undefined;
  /** Settings of the bucket, the same as for `save`: `{ aws_region: "eu-west-1" }`. Default: the environment (`AWS_REGION`, …). */
  cloudOptions?: Readonly<Record<string, string>> | undefined;
}

/** Options of {@link openFleet}: those of a client and those of the fleet. */
export interface OpenFleetOptions<F extends Format = Format, E extends Engine = Engine>
  extends Omit<ArchiveClientOptions<F, E>, "session">,
    FleetOptions {
  /** Seconds after which a build ends without a worker that has its version and storage, and a valid key. Default 60. */
  waitWorkers?: number | undefined;
}

/**
 * Opens a client for building a corpus with a fleet: workers ({@link startWorker}, or `archive-frames work` on other machines) fetch the
 * windows. The tables are the same, byte for byte, as those of a single process.
 *
 * The client sends lookups and all other requests itself, with its own key. They share rate and budget with the workers. `close()` removes
 * the queue from Redis and its files from the storage.
 *
 * @param options see {@link OpenFleetOptions}
 * @throws ValidationError for an invalid option; AuthenticationError without a key; ArchiveError `QUEUE_MISSING` if bullmq or ioredis is not
 *   installed, `QUEUE_FAILED` if Redis cannot be reached
 * @example
 * const archive = await openFleet({ queue: "redis://localhost:6379", corpus: "inflation/" });
 * const corpus = await openCorpus("inflation/", { archive, searches, window: "month" });
 * await corpus.build();
 * await archive.close();
 */
export async function openFleet<F extends Format = "dataframe", E extends Engine = "polars">(
  options: OpenFleetOptions<F, E> & DecidedOutput<F, E>,
): Promise<ArchiveClient<F, E>> {
  const given = withoutNulls<OpenFleetOptions<F, E>>(options);
  const { queue, corpus, storage, cloudOptions, waitWorkers = 60, ...client } = given;
  const address = queueAddress(queue);
  const { apiKey, baseUrl, allowInsecure } = client as ArchiveClientOptions;
  const id = keyId(resolveOptions({ apiKey, baseUrl, allowInsecure }));
  const dir = userPath("corpus", corpus, "inflation/");
  const wait = positiveNumber("waitWorkers", waitWorkers, 60, "seconds");
  const files = await openStorage(storage, cloudOptions);
  const connection = await connect(address);
  try {
    const own = client as unknown as ArchiveClientOptions<F, E> & DecidedOutput<F, E>;
    const coordinator = (settings: ResolvedOptions) => new Coordinator(settings, connection, dir, files, id, wait);
    return new ArchiveClient<F, E>(own, undefined, coordinator);
  } catch (error) {
    connection.redis.disconnect();
    throw error;
  }
}
