import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cross, openCorpus } from "../../src/corpus/index.js";
import { type OpenFleetOptions, openFleet, startWorker } from "../../src/fleet/index.js";
import { clientTo } from "../client/clientTo.js";
import type { CorpusService } from "../corpus/corpusServer.js";
import { tableBytes } from "../corpus/tableBytes.js";
import { KEY } from "../service/helpers.js";
import type { RedisServer } from "./redisServer.js";

export const searches = cross({ query: ["alpha", "beta"], mindate: "2024-01-01", maxdate: "2024-03-31" });
const shape = { searches, window: "month", lookups: [] } as const;

/** A directory for one purpose below the folder of a test file. */
export const folder = (root: string, name: string): string => mkdtempSync(join(root || tmpdir(), `${name}-`));

/** The URLs of the requests from one on, in order of their text. */
export function urlsOf({ server }: CorpusService, from: number): string[] {
  return server.requests
    .slice(from)
    .map(({ url }) => url)
    .sort();
}

/** What one process makes of the service: the bytes, and the requests. */
export async function oneProcess(service: CorpusService, root: string) {
  const dir = folder(root, "one");
  const corpus = await openCorpus(dir, { archive: clientTo(service, { pageSize: 10 }), ...shape });
  const before = service.server.requests.length;
  await corpus.build();
  return { bytes: await contentOf(dir), urls: urlsOf(service, before) };
}

/** The bytes of every table; of the searches the rows, without the requests, which count failed attempts. */
export async function contentOf(dir: string): Promise<Record<string, unknown>> {
  const { "searches/part.parquet": _, ...others } = tableBytes(dir);
  const searches = (await (await openCorpus(dir)).searches().collect()).drop("requests");
  return { ...others, searches: searches.toRecords() };
}

/** A coordinator for a corpus of the service. */
export async function openBuild(
  service: CorpusService,
  { url }: Pick<RedisServer, "url">,
  dir: string,
  storage: string,
  more: Partial<OpenFleetOptions> = {},
) {
  const given = { baseUrl: service.baseUrl, pageSize: 10, backoffFactor: 0, storage, queue: url, corpus: dir };
  const archive = await openFleet({ ...given, ...more });
  return { archive, corpus: await openCorpus(dir, { archive, ...shape }) };
}

/** A worker in this process. */
export async function workerOf(
  service: CorpusService,
  { url }: Pick<RedisServer, "url">,
  storage: string,
  apiKey: string = KEY,
) {
  const worker = await startWorker({ apiKey, baseUrl: service.baseUrl, queue: url, storage, lostAfter: 1 });
  return Object.assign(worker, { [Symbol.asyncDispose]: () => worker.close() });
}
