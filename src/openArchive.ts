import type { Format } from "./call/callOptions.js";
import { type ArchiveClientOptions, contextOf, type DecidedOutput } from "./call/clientContext.js";
import { notebookHost } from "./call/progress.js";
import { ArchiveClient, createClient } from "./client.js";
import type { EmbeddedArchiveOptions } from "./embedded/index.js";
import { ArchiveError } from "./errors/index.js";
import { faulty } from "./errors/validators.js";
import type { Engine } from "./frames/engine.js";
import { provideMembers } from "./members/legislators.js";
import { snapshotFromEnvironment } from "./responses/options.js";
import { environmentKey } from "./service/http/secret.js";
import { isObject, withoutNulls } from "./util/objects.js";
import { escaped } from "./util/text.js";

/** Options of {@link openArchive}, in addition to those of a client. */
export interface AnnounceOptions {
  /** Print which archive the client uses: to stderr, or below the cell of a notebook. Default: true. */
  announce?: boolean | undefined;
  /** Options of the embedded archive, used without a key: `{ quota: 100 }`. */
  embedded?: EmbeddedArchiveOptions | undefined;
}

/** Options of {@link openArchive}: those of the client, and `AnnounceOptions`. */
export type OpenArchiveOptions<F extends Format = Format, E extends Engine = Engine> = ArchiveClientOptions<F, E> &
  AnnounceOptions;

/**
 * Opens a client of the service if there is a key (`apiKey`, `ARCHIVE_API_KEY` or `CSPAN_API_KEY`). Without one, and without `baseUrl`
 * (`ARCHIVE_BASE_URL`), starts the embedded archive in this process, which serves synthetic data. Prints which one it uses. A replay of a
 * snapshot needs no key. `close()` closes both.
 *
 * @throws AuthenticationError with `baseUrl` but no key
 * @example
 * const archive = await openArchive();
 * // archive-frames: using the embedded archive (synthetic data). Set ARCHIVE_API_KEY to use the live service.
 * (await archive.bills("infrastructure")).height; //=> 20
 */
export async function openArchive<F extends Format = "dataframe", E extends Engine = "polars">(
  options?: OpenArchiveOptions<F, E> & DecidedOutput<F, E>,
): Promise<ArchiveClient<F, E>> {
  // The client rejects anything but an object without quoting it, because it may be the key.
  if (!isObject(options ?? {})) return new ArchiveClient<F, E>(options);
  const { announce = true, embedded, ...givenOptions } = withoutNulls<OpenArchiveOptions<F, E>>(options ?? {});
  const hasOnlyCache = givenOptions.cache !== undefined && givenOptions.snapshot === undefined;
  if (hasOnlyCache && process.env.ARCHIVE_SNAPSHOT_MODE === "replay")
    throw faulty("cache", 'with ARCHIVE_SNAPSHOT_MODE "replay" nothing is requested', "Unset it, or leave out cache.");
  const snapshot = hasOnlyCache ? undefined : snapshotFromEnvironment(process.env, givenOptions.snapshot);
  const clientOptions = { ...givenOptions, ...(snapshot && { snapshot }) } as ClientOptions<F, E>;
  const { apiKey, baseUrl = process.env.ARCHIVE_BASE_URL } = clientOptions;
  const isReplay = snapshot?.mode === "replay";
  const isEmbedded = !isReplay && apiKey === undefined && !baseUrl && !environmentKey(process.env);
  const archive = isEmbedded ? await openEmbedded(clientOptions, embedded) : new ArchiveClient<F, E>(clientOptions);
  if (!announce) return archive;
  if (isReplay) print(`replaying a snapshot of ${escaped(contextOf(archive).source, 200)}. No requests are sent.`);
  else if (isEmbedded)
    print("using the embedded archive (synthetic data). Set ARCHIVE_API_KEY to use the live service.");
  else print(`using ${archive.baseUrl}.`);
  return archive;
}

/** Prints to stderr, but in a notebook below the cell, because notebooks show stderr in red, like an error. */
function print(message: string): void {
  const text = `archive-frames: ${message}`;
  const { display } = notebookHost();
  if (display === undefined) process.stderr.write(`${text}\n`);
  else display({ "text/plain": text });
}

type ClientOptions<F extends Format, E extends Engine> = ArchiveClientOptions<F, E> & DecidedOutput<F, E>;

async function openEmbedded<F extends Format, E extends Engine>(
  options: ClientOptions<F, E>,
  settings: EmbeddedArchiveOptions | undefined,
): Promise<ArchiveClient<F, E>> {
  // Imported on demand: clients of the live service do not need its data and search.
  const { startEmbeddedArchive } = await import("./embedded/index.js");
  const { embeddedSource } = await import("./embedded/data.js");
  const archive = await startEmbeddedArchive(settings);
  archive.unref();
  try {
    const internals = { source: embeddedSource(), onClose: () => archive.close() };
    return createClient<F, E>({ ...options, baseUrl: archive.baseUrl, apiKey: archive.apiKey }, internals);
  } catch (error) {
    await archive.close();
    throw error;
  }
}

// Rows of the embedded archive may come from a snapshot or file, without a running one.
provideMembers((source) => {
  if (!source.startsWith("embedded archive ")) return undefined;
  return import("./embedded/data.js").then(({ embeddedLegislators, embeddedSource }) => {
    if (source === embeddedSource()) return embeddedLegislators();
    const hint = "Repeat the search, or give legislators.";
    throw new ArchiveError(`the rows are from another version of the ${escaped(source, 100)}.`, { hint });
  });
});
