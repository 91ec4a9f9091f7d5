import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { FileError, pl } from "../../src/index.js";
import { clientTo, mention } from "../client/clientTo.js";
import { startPagedServer } from "../scan/pagedServer.js";
import { errorOf } from "../service/helpers.js";
import { temporaryFolder } from "./temporary.js";

const root = temporaryFolder();
const QUERY = { query: "climate" };
const noise = (id: number) => mention(id, { text: `${Math.sin(id)} `.repeat(200) });

const disks: string[] = [];
afterAll(() => {
  for (const path of disks) spawnSync("umount", ["-l", path]);
});

/** A disk of a size of its own, where the system lets us have one. */
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
  it.skipIf(writable === undefined).each(["csv", "jsonl", "parquet", "arrow", "xlsx"] as const)(
    "that is full while %s is written is an error that loses nothing",
    async (format) => {
      const disk = smallDisk(format, "size=1500k") as string;
      await using server = await startPagedServer({ rows: 730, row: noise, unnumbered: true });
      await using archive = clientTo(server);
      const path = join(disk, `a.${format}`);
      writeFileSync(path, "the old file");
      const error = await errorOf(archive.save("mentions", path, { ...QUERY, format }), FileError);
      expect(error.code).toBe("DISK_FULL");
      expect(error.message).toMatch(/[1-9]\d* rows are safe/);
      expect(readFileSync(path, "utf8")).toBe("the old file");
      // With more room it goes on from what is safe.
      const before = server.requests.length;
      expect(before).toBeGreaterThan(1);
      execFileSync("mount", ["-o", "remount,size=20m", disk]);
      await archive.save("mentions", path, { ...QUERY, format });
      // Eight pages and the end; of what found no room one was in hand and one ahead.
      expect(server.requests.length).toBeLessThanOrEqual(9 + 2);
      if (format === "parquet") expect(pl.readParquet(path).height).toBe(730);
      if (format === "jsonl") expect(readFileSync(path, "utf8").trimEnd().split("\n")).toHaveLength(730);
      expect(readdirSync(disk).sort()).toEqual([`a.${format}`, "datapackage.json"]);
    },
  );

  it.skipIf(locked === undefined)("that is read-only costs no request", async () => {
    await using server = await startPagedServer({ rows: 5 });
    await using archive = clientTo(server);
    const error = await errorOf(archive.save("mentions", join(locked as string, "a.csv"), QUERY), FileError);
    expect(error.code).toBe("NOT_WRITABLE");
    expect(server.requests).toHaveLength(0);
  });

  it("whose folder vanishes is an error", async () => {
    const folder = join(root, "vanishing");
    await using server = await startPagedServer({
      rows: 730,
      unnumbered: true,
      instead: (offset) => {
        if (offset === 300) rmSync(folder, { recursive: true });
        return undefined;
      },
    });
    await using archive = clientTo(server);
    for (const format of ["csv", "jsonl", "parquet", "xlsx"] as const) {
      const error = await errorOf(
        archive.save("mentions", join(folder, `a.${format}`), { ...QUERY, format }),
        FileError,
      );
      expect(error.code).toBe("NOT_WRITABLE");
      expect(existsSync(folder)).toBe(false);
    }
  });
});
