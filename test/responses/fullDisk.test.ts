import { execFileSync, spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { ArchiveError } from "../../src/index.js";
import { ResponseStore } from "../../src/responses/store.js";
import { temporaryFolder } from "../files/temporary.js";

const disk = temporaryFolder();
const mounted =
  spawnSync("mount", ["-t", "tmpfs", "-o", "size=64k,mode=700", "tmpfs", disk], { stdio: "ignore" }).status === 0;
afterAll(() => {
  if (mounted) spawnSync("umount", ["-l", disk]);
});

describe("a snapshot on a full disk", () => {
  it.skipIf(!mounted)("can be resumed: nothing is written after an incomplete line", () => {
    const service = { source: "a", baseUrl: "a" };
    const store = new ResponseStore(disk, { kind: "snapshot", service });
    let lines = 0;
    const fill = () => {
      for (; lines < 10_000; lines++) store.append({ run: "0", rows: lines });
    };
    expect(fill).toThrow(ArchiveError);
    execFileSync("mount", ["-o", "remount,size=1m", disk]);
    store.append({ run: "0", rows: 20_000 });
    const logs = readdirSync(disk).filter((name) => name.startsWith("log-"));
    expect(logs).toHaveLength(2);
    // The last line of the first log is incomplete.
    const texts = logs.map((name) => readFileSync(join(disk, name), "utf8").split("\n").slice(1, -1));
    const rows = texts.flat().map((line) => JSON.parse(line).rows);
    expect(rows.sort((a, b) => a - b)).toEqual([...Array(lines).keys(), 20_000]);
  });
});
