import { execFileSync, spawnSync } from "node:child_process";
import { afterAll, describe, expect, it } from "vitest";
import { ArchiveError } from "../../src/index.js";
import { logNames, openLog, ResponseStore } from "../../src/responses/responseStore.js";
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
    const store = new ResponseStore(disk, { kind: "snapshot", service, now: () => 0, maxBodyBytes: 1 });
    let lines = 0;
    const fill = () => {
      for (; lines < 10_000; lines++) store.append({ run: "0", rows: lines });
    };
    expect(fill).toThrow(ArchiveError);
    execFileSync("mount", ["-o", "remount,size=1m", disk]);
    store.append({ run: "0", rows: 20_000 });
    const logs = logNames(disk).map((name) => openLog(disk, name));
    expect(logs.map(({ torn }) => torn).sort()).toEqual([false, true]);
    const rows = logs.flatMap(({ entries }) => entries.map((entry) => "rows" in entry && entry.rows));
    expect(rows.sort((a, b) => Number(a) - Number(b))).toEqual([...Array(lines).keys(), 20_000]);
  });
});
