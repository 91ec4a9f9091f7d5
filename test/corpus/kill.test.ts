import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { type Corpus, cross } from "../../src/corpus/index.js";
import { pl, toRecords } from "../../src/index.js";
import { LONG, runs } from "../scale.js";
import { corpusOf, workOf } from "./corpora.js";
import { type CorpusService, servedRows, startCorpusService } from "./corpusServer.js";

const SCRIPT = fileURLToPath(new URL("buildOnce.mjs", import.meta.url));
/** `KILLS=500 npm run test:long -- test/corpus/kill` for more. */
const KILLS = Number(process.env.KILLS ?? runs(1, 100));
const searches = cross({ query: ["alpha", "beta", "gamma"], mindate: "2024-01-01", maxdate: "2024-03-31" });

/** The rows of the tables, without the numbers of runs: a refresh that is repeated after a kill at its end has another one. */
function contentOf({ dir }: Corpus): object {
  const rowsOf = (name: string) =>
    readdirSync(join(dir, "tables", name), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath }) => pl.readParquet(join(parentPath, "part.parquet")).drop("run").toRecords());
  return Object.fromEntries(["mentions", "hits", "windows"].map((name) => [name, rowsOf(name)]));
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
async function killed(service: CorpusService, dir: string, verb: string, ms: number, load: () => void) {
  for (let kills = 0; ; kills++) {
    const isEnd = !(await run(service, dir, verb, kills < (LONG ? 4 : 1) ? ms * Math.random() : undefined)).killed;
    load();
    if (isEnd) return kills;
  }
}

it(`a killed build or refresh goes on, and has the rows of an undisturbed one, ${KILLS} times`, async () => {
  const before = servedRows(500);
  const after = before
    .filter((_row, at) => at % 50 !== 7)
    .map((row, at) => (at % 40 === 0 ? { ...row, text: `${row.text} again` } : row))
    .concat(before.slice(0, 100).map((row) => ({ ...row, id: `7${row.id}`, personid: row.personid + 7 })));
  await using service = await startCorpusService(before);
  const whole = await open(service);
  const build = await run(service, whole.dir, "build");
  const built = contentOf(whole);
  service.rows = after;
  const refresh = await run(service, whole.dir, "refresh");
  const refreshed = contentOf(whole);
  // A refresh that is killed after its last window begins again: it reads the same rows once more, and needs no second look at them.
  await run(service, whole.dir, "refresh");
  const repeated = contentOf(whole);
  expect(refreshed).not.toEqual(built);
  for (let [kills, corpora] = [0, 0]; kills < KILLS || corpora === 0; corpora++) {
    const corpus = await open(service);
    const loaded = new Map<unknown, unknown>();
    let since = 0;
    for (const [verb, rows, ms, expected] of [
      ["build", before, build.ms, [built]],
      ["refresh", after, refresh.ms, [refreshed, repeated]],
    ] as const) {
      service.rows = rows;
      kills += await killed(service, corpus.dir, verb, ms, () => {
        for (const { id, text, run: number } of toRecords(corpus.changes({ since }))) {
          loaded.set(id, text);
          since = Math.max(since, Number(number));
        }
      });
      expect(expected, `${verb} after ${kills} kills`).toContainEqual(contentOf(corpus));
      expect(workOf(corpus)).toEqual([]);
      expect((await corpus.verify()).problems).toEqual([]);
      const mentions = toRecords(await corpus.mentions().collect());
      expect(loaded).toEqual(new Map(mentions.map(({ id, text }) => [id, text])));
    }
  }
});
