import { type EmbeddedArchive, type EmbeddedArchiveOptions, startEmbeddedArchive } from "../../src/embedded/index.js";
import { resolveOptions } from "../../src/embedded/options.js";
import { Archive } from "../../src/embedded/server/archive.js";
import { startServer } from "../../src/embedded/server/startServer.js";
import { collectionOf } from "./collection.js";
import { Corpus } from "./corpus/corpus.js";

export { type EmbeddedArchive, type EmbeddedArchiveOptions, startEmbeddedArchive };

/** What is generated, and options of the server. */
export interface GeneratedArchiveOptions extends EmbeddedArchiveOptions {
  /** Any safe integer. Default 1. */
  readonly seed?: number;
  /** Number of mentions. Default 30,000. */
  readonly size?: number;
  /** Broadcast about one mention in twelve again, in addition to `size`. Default false. */
  readonly reairings?: boolean;
}

/** The last archive: tests start the same one again. */
let last: { readonly key: string; readonly archive: Archive } | undefined;

/** Serves a generated corpus, whose truth is known (`truth.ts`): what is served has decoys and hard cases. */
export function startGeneratedArchive({
  seed = 1,
  size = 30_000,
  reairings = false,
  ...options
}: GeneratedArchiveOptions = {}): Promise<EmbeddedArchive> {
  const open = (): Archive => {
    const key = `${seed} ${size} ${reairings}`;
    if (last?.key !== key) last = { key, archive: new Archive(collectionOf(new Corpus(seed, size, { reairings }))) };
    return last.archive;
  };
  return startServer(open, resolveOptions(options));
}
