import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { processLock } from "../../src/fs/processLock.js";
import { temporaryFolder } from "../files/temporary.js";
import { LONG } from "../scale.js";

const root = temporaryFolder();
const MODULE = pathToFileURL(join(import.meta.dirname, "../../dist/fs/processLock.js")).href;
const PROCESSES = LONG ? 6 : 4;
const TIMES = LONG ? 150 : 50;

/**
 * Takes the lock again and again; whoever has it makes a file that nobody else may have made. In turn it releases the lock and leaves
 * that of a dead process.
 */
const SCRIPT = `
const { processLock } = await import(${JSON.stringify(MODULE)});
const { rmSync, renameSync, writeFileSync } = await import("node:fs");
const [path, dead] = process.argv.slice(1);
for (let taken = 0; taken < ${TIMES}; ) {
  let release;
  try {
    release = processLock(path, "the target");
  } catch (error) {
    if (error.code !== "TARGET_BUSY") throw error;
    continue;
  }
  writeFileSync(path + ".held", "", { flag: "wx" });
  rmSync(path + ".held");
  if (taken++ % 2 === 0) release();
  else {
    writeFileSync(path + "." + process.pid + ".dead", dead);
    renameSync(path + "." + process.pid + ".dead", path);
  }
}`;

describe("a lock", () => {
  it(`is held by one of ${PROCESSES} processes at a time, though each releases it or dies with it`, async () => {
    const path = join(root, "lock");
    const dead = JSON.stringify({ pid: 2 ** 22 + 1, began: "1", host: hostname() });
    const children = Array.from({ length: PROCESSES }, () =>
      spawn(process.execPath, ["--input-type=module", "-e", SCRIPT, path, dead], { stdio: "inherit" }),
    );
    const codes = await Promise.all(children.map(async (child) => (await once(child, "exit"))[0]));
    expect(codes).toEqual(Array(PROCESSES).fill(0));
    expect(readFileSync(path, "utf8")).toBe(dead);
    expect(readdirSync(root)).toEqual(["lock"]);
  });

  it("removes what processes left that were killed while they created it, and nothing of others", () => {
    const path = join(root, "left");
    const [dead, alive] = [2 ** 22 + 1, process.ppid].map((pid, at) => {
      const name = `${path}.0b7c2f3e-6a55-4d0e-9f0f-0d3f1e6c9a1${at}`;
      writeFileSync(name, JSON.stringify({ pid, began: "1", host: at === 0 ? hostname() : "elsewhere" }));
      return name;
    }) as [string, string];
    writeFileSync(`${path}.csv`, "{}");
    processLock(path, "the target")();
    expect([dead, alive, `${path}.csv`].map((name) => existsSync(name))).toEqual([false, true, true]);
  });

  it("that is half-written belongs to nobody", () => {
    const path = join(root, "torn");
    writeFileSync(path, '{"pid":');
    const unlock = processLock(path, "the target");
    expect(JSON.parse(readFileSync(path, "utf8"))).toMatchObject({ pid: process.pid });
    unlock();
    expect(readdirSync(root)).not.toContain("torn");
  });
});
