import { embeddedCollection } from "./data.js";
import { type EmbeddedArchiveOptions, resolveOptions } from "./options.js";
import { Archive } from "./server/archive.js";
import { type EmbeddedArchive, startServer } from "./server/startServer.js";

/** Programs start the archive again, and reading the data takes half a second. */
let archive: Archive | undefined;

/**
 * Starts the archive service in this process, on the loopback interface, with synthetic data, which are the same on every machine.
 *
 * @returns the archive; the process stays alive until `close()` or `unref()`
 * @throws ArchiveError `PORT_UNAVAILABLE`
 * @example
 * await using archive = await startEmbeddedArchive();
 * const response = await fetch(`${archive.baseUrl}/bills?query=budget`, { headers: { "x-api-key": archive.apiKey } });
 * response.status; //=> 200
 */
export async function startEmbeddedArchive(options: EmbeddedArchiveOptions = {}): Promise<EmbeddedArchive> {
  const open = () => {
    archive ??= new Archive(embeddedCollection());
    return archive;
  };
  return startServer(open, resolveOptions(options));
}
