import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { ArchiveError, pl } from "../../src/index.js";
import { mention } from "../client/clientTo.js";
import { pagedArchive } from "../scan/pagedServer.js";
import { errorOf } from "../service/helpers.js";
import { SAVE_FORMATS } from "./formats.js";
import { temporaryFolder } from "./temporary.js";

const root = temporaryFolder();
const QUERY = { query: "climate" };
/** It cannot be compressed. */
const noise = (id: number) =>
  mention(id, { text: [...Array(200).keys()].map((at) => Math.sin(id * 200 + at)).join(" ") });

const disks: string[] = [];
afterAll(() => {
  for (const path of disks) spawnSync("umount", ["-l", path]);
});

/** A small file system of its own, if the system allows it. */
function smallDisk(name: string, options: string): string | undefined {
  const path = join(root, name);
  mkdirSync(path);
  const { status } = spawnSync("mount", ["-t", "tmpfs", "-o", options, "tmpfs", path], { stdio: "ignore" });
  if (status !== 0) return undefined;
  disks.push(path);
  return path;
}

const writable = smallDisk("locked", "size=1m");
const locked =
  writable !== undefined && spawnSync("mount", ["-o", "remount,ro", writable]).status === 0 ? writable : undefined;

describe("a disk", () => {
  it.skipIf(writable === undefined).each(SAVE_FORMATS.map((format) => `a.${format}`))(
    "that is full while %s is written is an error that loses nothing",
    async (name) => {
      const disk = smallDisk(name, "size=1500k") as string;
      const { server, archive } = await pagedArchive({ rows: 730, row: noise, unnumbered: true });
      const path = join(disk, name);
      writeFileSync(path, "the old file");
      const save = () => archive.save("mentions", path, QUERY);
      const error = await errorOf(save(), ArchiveError);
      expect(error.code).toBe("DISK_FULL");
      expect(error.message).toMatch(/[1-9]\d* rows are saved/);
      expect(readFileSync(path, "utf8")).toBe("the old file");
      // With more space it resumes.
      expect(server.requests.length).toBeGreaterThan(1);
      execFileSync("mount", ["-o", "remount,size=20m", disk]);
      await save();
      // Eight pages and the end; of what found no room one was in hand and one ahead.
      expect(server.requests.length).toBeLessThanOrEqual(9 + 2);
      if (name === "a.parquet") expect(pl.readParquet(path).height).toBe(730);
      if (name === "a.json") expect(JSON.parse(readFileSync(path, "utf8"))).toHaveLength(730);
      if (name === "a.jsonl") expect(readFileSync(path, "utf8").trimEnd().split("\n")).toHaveLength(730);
      expect(readdirSync(disk).sort()).toEqual([name, "datapackage.json"].sort());
    },
  );

  it.skipIf(locked === undefined)("that is read-only costs no request", async () => {
    const { server, archive } = await pagedArchive({ rows: 5 });
    const error = await errorOf(archive.save("mentions", join(locked as string, "a.csv"), QUERY), ArchiveError);
    expect(error.code).toBe("NOT_WRITABLE");
    expect(server.requests).toHaveLength(0);
  });
});
