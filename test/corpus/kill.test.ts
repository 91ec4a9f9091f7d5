import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { cross } from "../../src/corpus/index.js";
import { pl } from "../../src/index.js";
import { LONG, runs } from "../scale.js";
import { corpusOf, workOf } from "./corpora.js";
import { type CorpusService, servedRows, startCorpusService } from "./corpusServer.js";
import { tableBytes } from "./tableBytes.js";

const SCRIPT = fileURLToPath(new URL("buildOnce.mjs", import.meta.url));
/** `KILLS=500 npm run test:long -- test/corpus/kill` for more. */
const KILLS = Number(process.env.KILLS ?? runs(1, 100));
const searches = cross({ query: ["alpha", "beta", "gamma"], mindate: "2024-01-01", maxdate: "2024-03-31" });

/**
 * The bytes of the tables, also without the reasons of windows, and the number of the round. A refresh that is repeated after a kill at its end
 * has another number, and fewer readings, which show less.
 */
function contentOf(dir: string) {
  const searches = pl.readParquet(join(dir, "tables/searches/part.parquet"));
  const content = (...without: string[]) => ({
    ...tableBytes(dir),
    "searches/part.parquet": JSON.stringify(searches.drop("round", "requests", ...without).toRecords()),
  });
  return { all: content(), withoutReasons: content("reason"), round: searches.getColumn("round").max() };
}

const open = (service: CorpusService) => corpusOf(service, { searches, window: "month" });

/** Runs in a process of its own, killed some milliseconds after it was ready. Gives whether it was killed, and how long it ran. */
async function run(service: CorpusService, dir: string, verb: string, killAfter?: number) {
  const child = spawn(process.execPath, [SCRIPT, service.baseUrl, dir, verb], { stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(child, "exit") as Promise<[number | null, string | null]>;
  await once(child.stdout, "data");
  const began = performance.now();
  if (killAfter !== undefined) {
    await Promise.race([sleep(killAfter), ended]);
    child.kill("SIGKILL");
  }
  const [code, signal] = await ended;
  if (signal === null) expect(code).toBe(0);
  return { killed: signal !== null, ms: performance.now() - began };
}

/** Kills runs again and again, until one gets to its end. Gives the number of kills. */
async function killed(service: CorpusService, dir: string, verb: string, ms: number): Promise<number> {
  let kills = 0;
  while ((await run(service, dir, verb, kills < (LONG ? 4 : 1) ? ms * Math.random() : undefined)).killed) kills++;
  return kills;
}

it(`a killed build or refresh goes on, and has the bytes of an undisturbed one, ${KILLS} times`, async () => {
  const before = servedRows(500);
  const after = before
    .filter((_row, at) => at % 50 !== 7)
    .map((row, at) => (at % 40 === 0 ? { ...row, text: `${row.text} again` } : row))
    .concat(before.slice(0, 100).map((row) => ({ ...row, id: `7${row.id}`, personid: row.personid + 7 })));
  await using service = await startCorpusService(before);
  const whole = await open(service);
  const build = await run(service, whole.dir, "build");
  const built = { ...contentOf(whole.dir), requests: service.server.requests.length };
  service.rows = after;
  const refresh = await run(service, whole.dir, "refresh");
  const refreshed = { ...contentOf(whole.dir), requests: service.server.requests.length - built.requests };
  expect(refreshed.all).not.toEqual(built.all);
  let [kills, corpora] = [0, 0];
  for (; kills < KILLS; corpora++) {
    const corpus = await open(service);
    const [sentBefore, killsBefore] = [service.server.requests.length, kills];
    for (const [verb, rows, ms, expected] of [
      ["build", before, build.ms, built],
      ["refresh", after, refresh.ms, refreshed],
    ] as const) {
      service.rows = rows;
      const start = service.server.requests.length;
      const here = await killed(service, corpus.dir, verb, ms);
      kills += here;
      const found = contentOf(corpus.dir);
      const part = found.round === expected.round ? "all" : "withoutReasons";
      expect(found[part], `${verb} after ${here} kills`).toEqual(expected[part]);
      expect(workOf(corpus)).toEqual([]);
      // Only requests in flight at a kill are repeated; and if a kill came after the end of a refresh, the refresh.
      const atMost = expected.requests * (verb === "refresh" ? 1 + here : 1) + here * 2 * 8;
      expect(service.server.requests.length - start).toBeLessThanOrEqual(atMost);
      expect((await corpus.verify()).problems).toEqual([]);
    }
    // Nobody knows of requests in flight at a kill.
    const told = pl.readParquet(join(corpus.dir, "tables/runs/part.parquet")).getColumn("requests").sum() as number;
    const unknown = Math.abs(service.server.requests.length - sentBefore - told);
    expect(unknown).toBeLessThanOrEqual((kills - killsBefore) * 8);
  }
  process.stdout.write(`${kills} kills of ${corpora} corpora\n`);
});
