import crypto from "node:crypto";
import { mkdtempSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { type Corpus, cross, openCorpus } from "../../src/corpus/index.js";
import { type OpenFleetOptions, openFleet, startWorker, type WorkerOptions } from "../../src/fleet/index.js";
import { clientTo } from "../client/clientTo.js";
import { type CorpusService, servedRows, startCorpusService } from "../corpus/corpusServer.js";
import { tableBytes } from "../corpus/tableBytes.js";
import { KEY } from "../service/helpers.js";
import { type RedisServer, startRedis } from "./redisServer.js";

const searches = cross({ query: ["alpha", "beta"], mindate: "2024-01-01", maxdate: "2024-03-31" });
export const shape = { searches, window: "week", lookups: [] } as const;

// The digests of keys are slow to compute on purpose.
const { scryptSync } = crypto;
crypto.scryptSync = (key, salt, length) => scryptSync(key, salt, length, { cost: 2 });
syncBuiltinESMExports();

/** A new directory for one purpose. */
export const folder = (name: string): string => mkdtempSync(join(tmpdir(), `${name}-`));

/** A service with some rows, and a Redis server: both are there until the test ends. */
export async function startServices(rows: number, fsync?: "never") {
  const service = await startCorpusService(servedRows(rows));
  const server = await startRedis(fsync);
  onTestFinished(async () => {
    await server[Symbol.asyncDispose]();
    await service[Symbol.asyncDispose]();
  });
  return { service, server };
}

/** The same, with a fleet and its workers. */
export async function startFleet(rows: number, count: number, options: Partial<WorkerOptions> = {}) {
  const { service, server } = await startServices(rows);
  const fleet = await openTestFleet(service, server);
  const { workers, ...started } = await startWorkers(count, { ...fleet.work, ...options });
  onTestFinished(async () => {
    await started[Symbol.asyncDispose]();
    await fleet[Symbol.asyncDispose]();
  });
  return { service, server, fleet, workers };
}

/** What one process builds, by the number of rows of the service. */
const built = new Map<number, ReturnType<typeof build>>();

/** The bytes of the tables that one process builds, and its requests. */
export function oneProcess(service: CorpusService) {
  const { length } = service.rows;
  const known = built.get(length) ?? build(service);
  built.set(length, known);
  return known;
}

async function build(service: CorpusService) {
  const dir = folder("one");
  const corpus = await openCorpus(dir, { archive: clientTo(service, { pageSize: 10 }), ...shape });
  const before = service.server.requests.length;
  await corpus.build();
  return { bytes: contentOf(dir), requests: service.server.requests.length - before };
}

/** The bytes of the tables that do not depend on how often a request was repeated. */
export function contentOf(dir: string): Record<string, string> {
  const names = Object.entries(tableBytes(dir)).filter(([path]) => /^(?:mentions|hits|people|programs)\//.test(path));
  return Object.fromEntries(names);
}

/** A fleet in this process: a storage, a corpus, and its coordinator. */
export interface TestFleet extends AsyncDisposable {
  readonly dir: string;
  readonly storage: string;
  readonly corpus: Corpus;
  /** Options of a worker. */
  readonly work: WorkerOptions;
}

/** Opens a coordinator. */
export async function openTestFleet(
  service: CorpusService,
  { url }: Pick<RedisServer, "url">,
  more: Partial<OpenFleetOptions & typeof shape> = {},
): Promise<TestFleet> {
  const { searches, window, lookups, ...options } = { ...shape, ...more };
  const dir = options.corpus ?? folder("corpus");
  // It need not exist.
  const storage = options.storage ?? join(folder("storage"), "new");
  const given = { apiKey: KEY, baseUrl: service.baseUrl, pageSize: 10, backoffFactor: 0, progress: false };
  const archive = await openFleet({ ...given, ...options, storage, queue: url, corpus: dir });
  const work = { apiKey: KEY, baseUrl: service.baseUrl, queue: url, storage };
  const corpus = await openCorpus(dir, { archive, searches, window, lookups: [...lookups] });
  return { dir, storage, corpus, work, [Symbol.asyncDispose]: () => archive.close() };
}

/** Workers in this process. */
export async function startWorkers(count: number, options: WorkerOptions) {
  const workers = await Promise.all(Array.from({ length: count }, () => startWorker(options)));
  const close = async () => void (await Promise.all(workers.map((worker) => worker.close())));
  return { workers, [Symbol.asyncDispose]: close };
}
