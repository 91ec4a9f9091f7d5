import type { EmbeddedArchive } from "./EmbeddedArchive.js";
import { type EmbeddedArchiveOptions, resolveOptions } from "./options.js";
import { startArchive } from "./startArchive.js";

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
