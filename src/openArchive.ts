import { join, relative } from "node:path";
import type { ArchiveClientOptions, DecidedOutput } from "./call/clientSettings.js";
import type { Format } from "./call/formats.js";
import { ArchiveClient } from "./client.js";
import type { Engine } from "./frames/engine.js";
import { snapshotOf } from "./snapshots/snapshotOptions.js";
import { escaped } from "./util/quoted.js";
import { withoutNulls } from "./util/withoutNulls.js";

/** What openArchive tells. */
export interface AnnounceOptions {
  /** Write to stderr which archive answers. Default true. */
  announce?: boolean | undefined;
}

/** Options of {@link openArchive}: those of a client, and whether to say what answers. */
export type OpenArchiveOptions<F extends Format = Format, E extends Engine = Engine> = ArchiveClientOptions<F, E> &
  AnnounceOptions;

/**
 * A client of the live service where a key is set (`apiKey` or `ARCHIVE_API_KEY`), otherwise of the embedded archive: a
 * synthetic one inside this process, which needs no key and no network. It says which on stderr. `close()` closes both.
 *
 * Where `snapshot` is not given, `ARCHIVE_SNAPSHOT` names its folder and `ARCHIVE_SNAPSHOT_MODE` its mode: a replay needs neither
 * key nor archive.
 *
 * @example
 * const archive = await openArchive();
 * // archive-frames: the embedded archive answers (synthetic data). Set ARCHIVE_API_KEY for the live service.
 * (await archive.bills("infrastructure")).height; //=> 20
 */
export async function openArchive<F extends Format = "dataframe", E extends Engine = "polars">(
  options?: OpenArchiveOptions<F, E> & DecidedOutput<F, E>,
): Promise<ArchiveClient<F, E>> {
  const { announce = true, ...given } = withoutNulls<OpenArchiveOptions<F, E>>(options ?? {});
  const snapshot = given.snapshot ?? (given.cache === undefined ? snapshotOf(process.env) : undefined);
  // One of them is there at most.
  const client = (snapshot === undefined ? given : { ...given, snapshot }) as ArchiveClientOptions<F, E> &
    DecidedOutput<F, E>;
  const say = (text: string) => announce && process.stderr.write(`archive-frames: ${text}\n`);
  if (snapshot?.mode === "replay") {
    const replay = new ArchiveClient<F, E>(client);
    say(
      `the snapshot ${escaped(fromHere(snapshot.dir), 1000)} answers, as ${escaped(replay.source, 200)} did then. Nothing is asked.`,
    );
    return replay;
  }
  if (client.apiKey !== undefined || client.baseUrl !== undefined || process.env.ARCHIVE_API_KEY?.trim()) {
    const live = new ArchiveClient<F, E>(client);
    say(`${live.baseUrl} answers.`);
    return live;
  }
  const { EmbeddedClient } = await import("./embeddedClient.js");
  const embedded = await EmbeddedClient.open<F, E>(client);
  const unused = process.env.ARCHIVE_BASE_URL ? ` at ${escaped(process.env.ARCHIVE_BASE_URL, 200)}` : "";
  say(`the embedded archive answers (synthetic data). Set ARCHIVE_API_KEY for the live service${unused}.`);
  return embedded;
}

/** As a folder of the same project is called in every copy of it: what a notebook announces is in its report. */
function fromHere(dir: string): string {
  const path = relative("", dir) || ".";
  return path.startsWith(join("..", "..")) ? dir : path;
}
