import type { Format } from "./call/callOptions.js";
import { type ArchiveClientOptions, contextOf, type DecidedOutput } from "./call/clientContext.js";
import { notebookHost } from "./call/progress.js";
import { ArchiveClient, createClient } from "./client.js";
import type { EmbeddedArchiveOptions } from "./embedded/index.js";
import { ArchiveError } from "./errors/index.js";
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
 * Opens a client of the live service if there is a key (`apiKey`, `ARCHIVE_API_KEY` or `CSPAN_API_KEY`). Otherwise starts the embedded
 * archive in this process, which serves synthetic data. Prints which one it uses. A replay of a snapshot needs no key. `close()` closes
 * both.
 *
 * @example
 * const archive = await openArchive();
 * // archive-frames: using the embedded archive (synthetic data). Set ARCHIVE_API_KEY to use the live service.
 * (await archive.bills("infrastructure")).height; //=> 20
 */
export async function openArchive<F extends Format = "dataframe", E extends Engine = "polars">(
  options?: OpenArchiveOptions<F, E> & DecidedOutput<F, E>,
): Promise<ArchiveClient<F, E>> {
  // The client refuses anything but an object, without repeating it: it may be the key.
  if (!isObject(options ?? {})) return new ArchiveClient<F, E>(options);
  const { announce = true, embedded: settings, ...given } = withoutNulls<OpenArchiveOptions<F, E>>(options ?? {});
  const snapshot = given.snapshot ?? (given.cache === undefined ? snapshotFromEnvironment(process.env) : undefined);
  const client = (snapshot === undefined ? given : { ...given, snapshot }) as ClientOptions<F, E>;
  const say = (text: string) => announce && note(`archive-frames: ${text}`);
  if (snapshot?.mode === "replay") {
    const replay = new ArchiveClient<F, E>(client);
    say(`replaying a snapshot of ${escaped(contextOf(replay).source, 200)}. No requests are sent.`);
    return replay;
  }
  if (client.apiKey !== undefined || client.baseUrl !== undefined || environmentKey(process.env)) {
    const live = new ArchiveClient<F, E>(client);
    say(`using ${live.baseUrl}.`);
    return live;
  }
  const embedded = await openEmbedded(client, settings);
  say("using the embedded archive (synthetic data). Set ARCHIVE_API_KEY to use the live service.");
  return embedded;
}

/** Notebooks show stderr in red, like an error. */
function note(text: string): void {
  const { display } = notebookHost();
  if (display === undefined) process.stderr.write(`${text}\n`);
  else display({ "text/plain": text });
}

type ClientOptions<F extends Format, E extends Engine> = ArchiveClientOptions<F, E> & DecidedOutput<F, E>;

// Rows of a snapshot or file also name the embedded archive, even if it is not running.
provideMembers((source) => {
  if (!source.startsWith("embedded archive ")) return undefined;
  return import("./embedded/data.js").then(({ embeddedLegislators, embeddedSource }) => {
    if (source === embeddedSource()) return embeddedLegislators();
    const hint = "Repeat the search, or give legislators.";
    throw new ArchiveError(`the rows are from another version of the ${escaped(source, 100)}.`, { hint });
  });
});

async function openEmbedded<F extends Format, E extends Engine>(
  options: ClientOptions<F, E>,
  settings: EmbeddedArchiveOptions | undefined,
): Promise<ArchiveClient<F, E>> {
  // Loaded on demand: clients of the live service do not need its data and search.
  const { startEmbeddedArchive } = await import("./embedded/index.js");
  const { embeddedSource } = await import("./embedded/data.js");
  const archive = await startEmbeddedArchive(settings);
  archive.unref();
  const { baseUrl, apiKey } = archive;
  try {
    const own = { source: embeddedSource(), onClose: () => archive.close() };
    return createClient<F, E>({ ...options, baseUrl, apiKey }, own);
  } catch (error) {
    await archive.close();
    throw error;
  }
}
