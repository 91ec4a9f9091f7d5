import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { cross, openCorpus } from "../../src/corpus/index.js";
import { type FleetWorker, openFleet, startWorker, type WorkerOptions } from "../../src/fleet/index.js";
import type { ArchiveClient } from "../../src/index.js";
import { clientTo } from "../client/clientTo.js";
import { type CorpusService, servedRows, startCorpusService } from "../corpus/corpusServer.js";
import { tableBytes } from "../corpus/tableBytes.js";
import { KEY } from "../service/helpers.js";
import { type RedisServer, startRedis } from "./redisServer.js";

const searches = cross({ query: ["alpha", "beta"], mindate: "2024-01-01", maxdate: "2024-03-31" });

/** A service with some rows, and a Redis server: both are there until the test ends. */
export async function startServices(rows: number) {
  const service = await startCorpusService(servedRows(rows));
  const server = await startRedis();
  onTestFinished(async () => {
    await server[Symbol.asyncDispose]();
    await service[Symbol.asyncDispose]();
  });
  return { service, server };
}

/** A client of the fleet, until the test ends. */
export async function openTestFleet(service: CorpusService, server: RedisServer, more: object = {}) {
  const options = { baseUrl: service.baseUrl, queue: server.url, pageSize: 10, backoffFactor: 0, progress: false };
  const archive = await openFleet({ ...options, ...more });
  onTestFinished(() => archive.close());
  return archive;
}

/** Workers in this process, until the test ends. */
export async function startWorkers(
  count: number,
  service: CorpusService,
  server: RedisServer,
  more: WorkerOptions = {},
): Promise<FleetWorker[]> {
  const options = { apiKey: KEY, baseUrl: service.baseUrl, queue: server.url, backoffFactor: 0, ...more };
  const workers = await Promise.all(Array.from({ length: count }, () => startWorker(options)));
  onTestFinished(async () => void (await Promise.all(workers.map((worker) => worker.close()))));
  return workers;
}

/** Builds the corpus of the tests with a client. */
export async function built(archive: ArchiveClient, dir = newFolder()) {
  const corpus = await openCorpus(dir, { archive, searches, window: "week", lookups: [] });
  return { dir, corpus, build: (options: object = {}) => corpus.build(options) };
}

/** The bytes of the tables that one process builds. */
export async function oneProcess(service: CorpusService): Promise<Record<string, string>> {
  const { dir, build } = await built(clientTo(service, { pageSize: 10 }));
  await build();
  return contentOf(dir);
}

/** The bytes of the tables that do not depend on how often a request was repeated. */
export function contentOf(dir: string): Record<string, string> {
  return Object.fromEntries(Object.entries(tableBytes(dir)).filter(([path]) => /^(?:mentions|hits)\//.test(path)));
}

export const newFolder = (): string => mkdtempSync(join(tmpdir(), "fleet-"));
