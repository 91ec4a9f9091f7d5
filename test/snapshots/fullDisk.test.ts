import { execFileSync, spawnSync } from "node:child_process";
import { afterAll, describe, expect, it } from "vitest";
import { FileError } from "../../src/index.js";
import { readIndexes } from "../../src/snapshots/indexFile.js";
import { SnapshotStore } from "../../src/snapshots/snapshotStore.js";
import { temporaryFolder } from "../files/temporary.js";

const disk = temporaryFolder();
const mounted =
  spawnSync("mount", ["-t", "tmpfs", "-o", "size=64k,mode=700", "tmpfs", disk], { stdio: "ignore" }).status === 0;
afterAll(() => {
  if (mounted) spawnSync("umount", ["-l", disk]);
});

describe("a snapshot on a disk", () => {
  it.skipIf(!mounted)("that is full can be gone on with: no line is written after half a line", () => {
    const store = new SnapshotStore(disk, { service: { source: "a", baseUrl: "a" }, now: () => 0, maxBodyBytes: 1 });
    let lines = 0;
    const fill = () => {
      for (; lines < 10_000; lines++) store.giveUp(`/bills?query=${lines}`, 1);
    };
    expect(fill).toThrow(FileError);
    execFileSync("mount", ["-o", "remount,size=1m", disk]);
    store.giveUp("/bills?query=more", 1);
    store.close();
    const indexes = readIndexes(disk);
    expect(indexes.map(({ torn }) => torn).sort()).toEqual([false, true]);
    const kept = indexes.flatMap(({ givenUp }) => givenUp.map(({ get }) => get));
    expect(kept).toHaveLength(lines + 1);
    expect(kept).toContain("/bills?query=more");
  });
});
