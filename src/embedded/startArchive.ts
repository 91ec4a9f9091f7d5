import { Corpus } from "./corpus/Corpus.js";
import type { EmbeddedArchive } from "./EmbeddedArchive.js";
import type { ResolvedOptions } from "./options.js";
import { Archive } from "./server/Archive.js";
import { answer, type ServerContext } from "./server/answer.js";
import { listen } from "./server/listen.js";
import { Quota } from "./server/Quota.js";
import { BASE_PATH } from "./server/routes.js";

/**
 * Puts the archive together from checked options.
 *
 * @param now the clock of the quota, in milliseconds; tests bring their own
 */
export async function startArchive(options: ResolvedOptions, now: () => number): Promise<EmbeddedArchive> {
  const { apiKey, personTitles, quota, seed, size } = options;
  const desk: ServerContext = {
    archive: new Archive(new Corpus(seed, size), { personTitles }),
    apiKey,
    quota: quota && new Quota(quota, now),
  };
  const listening = await listen((request) => answer(desk, request), options);
  return {
    baseUrl: `http://127.0.0.1:${listening.port}${BASE_PATH}`,
    apiKey,
    seed,
    get requests() {
      return listening.requests();
    },
    unref: listening.unref,
    close: listening.close,
    [Symbol.asyncDispose]: listening.close,
  };
}
