import type { ArchiveClientOptions, DecidedOutput } from "./call/clientSettings.js";
import type { Format } from "./call/formats.js";
import { ArchiveClient } from "./client.js";
import { type EmbeddedArchive, startEmbeddedArchive } from "./embedded/index.js";
import type { Engine } from "./frames/engine.js";

/** A client that brings its archive along, and closes it. */
export class EmbeddedClient<F extends Format, E extends Engine> extends ArchiveClient<F, E> {
  readonly #archive: EmbeddedArchive;

  private constructor(options: ArchiveClientOptions<F, E> & DecidedOutput<F, E>, archive: EmbeddedArchive) {
    super(options, `embedded archive, seed ${archive.seed}`);
    this.#archive = archive;
  }

  /** Starts the embedded archive and a client of it. */
  static async open<F extends Format, E extends Engine>(
    options: ArchiveClientOptions<F, E> & DecidedOutput<F, E>,
  ): Promise<EmbeddedClient<F, E>> {
    const archive = await startEmbeddedArchive();
    archive.unref();
    const { baseUrl, apiKey } = archive;
    try {
      return new EmbeddedClient({ ...options, baseUrl, apiKey }, archive);
    } catch (error) {
      await archive.close();
      throw error;
    }
  }

  override async close(): Promise<void> {
    await super.close();
    await this.#archive.close();
  }
}
