import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { embeddedArchive } from "../embedded/support.js";
import { LONG } from "../scale.js";
import { SAVE_FORMATS } from "./formats.js";
import { temporaryFolder } from "./temporary.js";

const FORMATS = LONG ? SAVE_FORMATS : ["parquet"];
const ROWS = 2000;
/** Kills for each format; `KILLS=34 npm run test:long -- test/files/kill` makes it two hundred. */
const KILLS = Number(process.env.KILLS ?? (LONG ? 3 : 1));
const SCRIPT = fileURLToPath(new URL("saveOnce.mjs", import.meta.url));

const root = temporaryFolder();
const service = await embeddedArchive();

/**
 * Runs a save in a process of its own; kills it some milliseconds after it has begun to write, since nothing can be torn
 * before. Gives whether it was killed, and the milliseconds from then on.
 */
async function run(path: string, killAfter?: number): Promise<{ killed: boolean; ms: number }> {
  const child = spawn(process.execPath, [SCRIPT, service.baseUrl, path, String(ROWS)], { stdio: "inherit" });
  const ended = new Promise<[number | null, string | null]>((resolve) => {
    child.once("exit", (code, signal) => resolve([code, signal]));
  });
  const writes = () => existsSync(`${path}.partial`) || child.exitCode !== null;
  while (!writes()) await Promise.race([sleep(2), ended]);
  const begun = performance.now();
  if (killAfter !== undefined) {
    await Promise.race([sleep(killAfter), ended]);
    child.kill("SIGKILL");
  }
  const [code, signal] = await ended;
  if (signal === null) expect(code).toBe(0);
  return { killed: signal !== null, ms: performance.now() - begun };
}

describe.each(FORMATS)("a killed save to %s", (format) => {
  it(`resumes ${KILLS} times out of ${KILLS}, and gives the bytes of an undisturbed run`, async () => {
    const whole = join(root, `whole.${format}`);
    const first = service.requests;
    let took = (await run(whole)).ms;
    const pages = service.requests - first;
    let killed = 0;
    // A kill after the end does not count. Too many of those are a failure.
    for (let kill = 0; killed < KILLS && kill < 20 + 5 * KILLS; kill++) {
      const folder = join(root, `${format}-${kill}`);
      mkdirSync(folder);
      const path = join(folder, `a.${format}`);
      const old = kill % 2 === 0;
      if (old) writeFileSync(path, "the old file");
      const after = took * Math.random();
      const begunWith = service.requests;
      const last = await run(path, after);
      if (last.killed) killed++;
      // It had finished, so kill the next ones earlier.
      else took = Math.min(took, last.ms);
      const left = existsSync(path) ? readFileSync(path) : undefined;
      const isOld = old ? left?.toString() === "the old file" : left === undefined;
      expect(isOld || left?.equals(readFileSync(whole)), `killed after ${after} ms: a torn file`).toBe(true);
      // The file is complete and the responses are gone: another run requests everything again.
      const isFinished = !existsSync(`${path}.partial/responses`) && !isOld;
      const before = isFinished ? service.requests : begunWith;
      if (existsSync(`${path}.partial`) || isOld) await run(path);
      expect(readFileSync(path).equals(readFileSync(whole)), `killed after ${after} ms: other bytes`).toBe(true);
      expect(readdirSync(folder).sort()).toEqual([`a.${format}`, "datapackage.json"]);
      // Only requests in flight at the kill are repeated: at most four.
      expect(service.requests - before, `killed after ${after} ms`).toBeLessThanOrEqual(pages + 4 + 4);
    }
    expect(killed).toBe(KILLS);
    process.stdout.write(`${format}: ${killed} killed on the way\n`);
  });
});
