import { execFileSync, spawnSync } from "node:child_process";
import { afterAll, describe, expect, it } from "vitest";
import { ArchiveError } from "../../src/index.js";
import { ResponseStore } from "../../src/responses/responseStore.js";
import { temporaryFolder } from "../files/temporary.js";

const disk = temporaryFolder();
const mounted =
  spawnSync("mount", ["-t", "tmpfs", "-o", "size=64k,mode=700", "tmpfs", disk], { stdio: "ignore" }).status === 0;
afterAll(() => {
  if (mounted) spawnSync("umount", ["-l", disk]);
});

describe("a snapshot on a full disk", () => {
  it.skipIf(!mounted)("can be resumed: nothing is written after an incomplete line", () => {
    const store = new ResponseStore(disk, { service: { source: "a", baseUrl: "a" }, now: () => 0, maxBodyBytes: 1 });
    const end = (rows: number) => store.record({ finished: "0".repeat(16), rows });
    let lines = 0;
    const fill = () => {
      for (; lines < 10_000; lines++) end(lines);
    };
    expect(fill).toThrow(ArchiveError);
    execFileSync("mount", ["-o", "remount,size=1m", disk]);
    end(20_000);
    store.close();
    const { files } = new ResponseStore(disk, { service: undefined, now: () => 0, maxBodyBytes: 1 });
    expect(files.map(({ torn }) => torn).sort()).toEqual([false, true]);
    const ends = files.flatMap(({ entries }) => entries.map((entry) => "finished" in entry && entry.rows));
    expect(ends).toHaveLength(lines + 1);
    expect(ends).toContain(20_000);
  });
});
