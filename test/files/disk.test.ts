import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { FileError, pl } from "../../src/index.js";
import { clientTo, mention, queryOf } from "../client/clientTo.js";
import { LONG } from "../scale.js";
import { pagedArchive } from "../scan/pagedServer.js";
import { errorOf } from "../service/helpers.js";
import { startScriptedServer } from "../service/scriptedServer.js";
import { temporaryFolder } from "./temporary.js";

const root = temporaryFolder();
const QUERY = { query: "climate" };
const noise = (id: number) => mention(id, { text: `${Math.sin(id)} `.repeat(200) });

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
  it.skipIf(writable === undefined).each(["csv", "json", "jsonl", "parquet", "arrow", "xlsx"] as const)(
    "that is full while %s is written is an error that loses nothing",
    async (format) => {
      const disk = smallDisk(format, "size=1500k") as string;
      const { server, archive } = await pagedArchive({ rows: 730, row: noise, unnumbered: true });
      const path = join(disk, `a.${format}`);
      writeFileSync(path, "the old file");
      const error = await errorOf(archive.save("mentions", path, { ...QUERY, format }), FileError);
      expect(error.code).toBe("DISK_FULL");
      expect(error.message).toMatch(/[1-9]\d* rows are saved/);
      expect(readFileSync(path, "utf8")).toBe("the old file");
      // With more space it resumes from the journal.
      const before = server.requests.length;
      expect(before).toBeGreaterThan(1);
      execFileSync("mount", ["-o", "remount,size=20m", disk]);
      await archive.save("mentions", path, { ...QUERY, format });
      // Eight pages and the end; of what found no room one was in hand and one ahead.
      expect(server.requests.length).toBeLessThanOrEqual(9 + 2);
      if (format === "parquet") expect(pl.readParquet(path).height).toBe(730);
      if (format === "json") expect(JSON.parse(readFileSync(path, "utf8"))).toHaveLength(730);
      if (format === "jsonl") expect(readFileSync(path, "utf8").trimEnd().split("\n")).toHaveLength(730);
      expect(readdirSync(disk).sort()).toEqual([`a.${format}`, "datapackage.json"]);
    },
  );

  it.skipIf(writable === undefined)("that fills up while a partitioned dataset is written loses nothing", async () => {
    const disk = smallDisk("dataset", "size=1500k") as string;
    const { server, archive } = await pagedArchive({ rows: 730, row: noise, unnumbered: true });
    const path = join(disk, "set");
    const save = () => archive.save("mentions", path, { ...QUERY, format: "parquet", partitionBy: "personid" });
    const error = await errorOf(save(), FileError);
    expect(error.code).toBe("DISK_FULL");
    expect(error.message).toMatch(/[1-9]\d* rows are saved/);
    expect(existsSync(path)).toBe(false);
    execFileSync("mount", ["-o", "remount,size=20m", disk]);
    await save();
    expect(server.requests.length).toBeLessThanOrEqual(9 + 2);
    const parts = readdirSync(path, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".parquet"));
    const rows = parts.map((name) => pl.readParquet(join(path, name)).height);
    expect(rows.reduce((sum, height) => sum + height, 0)).toBe(730);
    expect(readdirSync(disk).filter((name) => name.includes("partial"))).toEqual([]);
  });

  it.skipIf(locked === undefined)("that is read-only costs no request", async () => {
    const { server, archive } = await pagedArchive({ rows: 5 });
    const error = await errorOf(archive.save("mentions", join(locked as string, "a.csv"), QUERY), FileError);
    expect(error.code).toBe("NOT_WRITABLE");
    expect(server.requests).toHaveLength(0);
  });

  it("whose directory vanishes throws", async () => {
    const folder = join(root, "vanishing");
    const { archive } = await pagedArchive({
      rows: 730,
      unnumbered: true,
      instead: (offset) => {
        if (offset === 300) rmSync(folder, { recursive: true });
        return undefined;
      },
    });
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

/** Runs a script of this directory in a child process, and returns its output. */
async function script(name: string, ...args: string[]): Promise<string> {
  const child = spawn(process.execPath, [fileURLToPath(new URL(name, import.meta.url)), ...args], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let said = "";
  child.stdout.on("data", (text: Buffer) => {
    said += text;
  });
  await once(child, "close");
  return said;
}

describe("several processes", () => {
  it("at one target: the second throws TARGET_BUSY, the first completes", async () => {
    const path = join(root, "together.jsonl");
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await using server = await startScriptedServer(async (request) => {
      const { cursor } = queryOf(request);
      if (cursor !== undefined) await held;
      return { body: cursor === undefined ? { mentions: [mention(1), mention(2)], cursor: "c" } : { cursor: "c" } };
    });
    const first = script("saveOnce.mjs", server.baseUrl, path, "10");
    await server.arrived(2);
    await using archive = clientTo(server);
    const error = await errorOf(archive.save("mentions", path, { query: "the" }), FileError);
    expect(error.code).toBe("TARGET_BUSY");
    expect(error.message).toMatch(/process \d+ on .*delete .*lock/);
    expect(server.requests).toHaveLength(2);
    release();
    await first;
    expect(readFileSync(path, "utf8").trimEnd().split("\n")).toHaveLength(2);
    expect(existsSync(`${path}.partial`)).toBe(false);
  });

  it("hold a lock one at a time, even if one dies with it", async () => {
    const folder = join(root, "locks");
    mkdirSync(folder);
    const seconds = LONG ? "60" : "2";
    const dying = async (): Promise<string[]> => {
      const said: string[] = [];
      for (let time = 0; time < Number(seconds) / 2; time++)
        said.push(await script("lockOften.mjs", folder, seconds, "dies"));
      return said;
    };
    const lasting = ["1", "2", "3"].map(() => script("lockOften.mjs", folder, seconds));
    const all = [...(await dying()), ...(await Promise.all(lasting))].map(
      (said) => JSON.parse(said) as { held: number; doubled: number },
    );
    expect(all.reduce((sum, { held }) => sum + held, 0)).toBeGreaterThan(20);
    expect(all.reduce((sum, { doubled }) => sum + doubled, 0)).toBe(0);
    // What the last of those that died has left is all that is there.
    expect(readdirSync(folder).filter((name) => name !== "lock")).toEqual([]);
  }, 180_000);
});
