import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { processLock } from "../../src/fs/processLock.js";
import { newFolders, temporaryFolder } from "../files/temporary.js";
import { LONG } from "../scale.js";

const newFolder = newFolders(temporaryFolder());
const MODULE = pathToFileURL(join(import.meta.dirname, "../../dist/fs/processLock.js")).href;
const PROCESSES = LONG ? 6 : 4;
const TIMES = LONG ? 150 : 50;

/** Takes the lock when no file can be opened any more. */
const WITHOUT_DESCRIPTORS = `
const { processLock } = await import(${JSON.stringify(MODULE)});
const { existsSync, openSync } = await import("node:fs");
try { for (;;) openSync("/dev/null") } catch {}
try { processLock(process.argv[1], "the target") } catch ({ code }) { process.stdout.write(code + " " + existsSync(process.argv[1])) }`;

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
    const root = newFolder();
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

  it.each([
    ["of a process of another machine is kept", { pid: 1, began: "1", host: "elsewhere" }, "process 1 on elsewhere"],
    ["of this process is kept", undefined, "another call"],
  ])("%s", (_what, owner, who) => {
    const path = join(newFolder(), "lock");
    if (owner === undefined) processLock(path, "the target");
    else writeFileSync(path, JSON.stringify(owner));
    const code = "TARGET_BUSY";
    expect(() => processLock(path, "the target")).toThrow(expect.objectContaining({ code }));
    expect(() => processLock(path, "the target")).toThrow(`the target is being written by ${who}`);
  });

  it.each([
    ["whose process id has a new process", JSON.stringify({ pid: process.pid, began: "1", host: hostname() })],
    ["that was half-written long ago", '{"pid":'],
  ])("%s is taken over", (_what, text) => {
    const path = join(newFolder(), "lock");
    writeFileSync(path, text);
    utimesSync(path, 0, 0);
    const release = processLock(path, "the target");
    expect(JSON.parse(readFileSync(path, "utf8"))).toMatchObject({ pid: process.pid });
    release();
    expect(readdirSync(join(path, ".."))).toEqual([]);
  });

  it("of another process is kept by one that can open no file", () => {
    const path = join(newFolder(), "lock");
    processLock(path, "the target");
    const script = `ulimit -n 200; exec "$0" --input-type=module -e "$1" "$2"`;
    const { stdout } = spawnSync("sh", ["-c", script, process.execPath, WITHOUT_DESCRIPTORS, path]);
    expect(String(stdout)).toBe("EMFILE true");
  });

  it("is a regular file", () => {
    const root = newFolder();
    symlinkSync("nowhere", join(root, "link"));
    mkdirSync(join(root, "directory"));
    for (const name of ["link", "directory"])
      expect(() => processLock(join(root, name), "the target")).toThrow(
        expect.objectContaining({ code: "UNSAFE_PATH" }),
      );
  });
});
