import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { cross, openCorpus } from "../../src/corpus/index.js";
import { clientTo } from "../client/clientTo.js";
import { temporaryFolder } from "../files/temporary.js";
import { runs } from "../scale.js";
import { type CorpusService, servedRows, startCorpusService } from "./corpusServer.js";
import { tableBytes } from "./tableBytes.js";

const SCRIPT = fileURLToPath(new URL("buildOnce.mjs", import.meta.url));
/** `KILLS=500 npm run test:long -- test/corpus/kill` for more. */
const KILLS = Number(process.env.KILLS ?? runs(3, 100));
const searches = cross({ query: ["alpha", "beta", "gamma"], mindate: "2024-01-01", maxdate: "2024-03-31" });

const root = temporaryFolder();

async function open(service: CorpusService, name: string) {
  const archive = clientTo(service, { pageSize: 10 });
  return openCorpus(join(root, name), { archive, searches, window: "month" });
}

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

it(`a killed build goes on, and has the bytes of an undisturbed one, ${KILLS} times`, {
  timeout: 60_000 + KILLS * 10_000,
}, async () => {
  await using service = await startCorpusService(servedRows(900));
  const whole = await open(service, "whole");
  const { ms } = await run(service, whole.dir, "build");
  const expected = tableBytes(whole.dir);
  const atOnce = service.server.requests.length;
  let kills = 0;
  for (let corpora = 0; kills < KILLS; corpora++) {
    const corpus = await open(service, `killed-${corpora}`);
    const before = service.server.requests.length;
    // Killed again and again, until one run gets to its end.
    let killsHere = 0;
    while ((await run(service, corpus.dir, "build", killsHere < 4 ? ms * Math.random() : undefined)).killed)
      killsHere++;
    kills += killsHere;
    expect(tableBytes(corpus.dir), `after ${killsHere} kills`).toEqual(expected);
    expect(readdirSync(join(corpus.dir, "work"))).toEqual([]);
    // At most the requests in flight at the kill are repeated.
    expect(service.server.requests.length - before).toBeLessThanOrEqual(atOnce + killsHere * 2 * 8);
  }
});
