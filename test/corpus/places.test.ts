import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, mkdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openCorpus } from "../../src/corpus/index.js";
import { ArchiveError, pl } from "../../src/index.js";
import { temporaryFolder } from "../files/temporary.js";
import { errorOf } from "../service/helpers.js";
import { users } from "../users.js";
import { corpusOf, newDirectory } from "./corpora.js";
import { type CorpusService, servedRows, startCorpusService } from "./corpusServer.js";

const searches = [{ query: "row", mindate: "2024-01-01", maxdate: "2024-06-30" }];
const rows = servedRows(300);
let service: CorpusService;
beforeAll(async () => {
  service = await startCorpusService(rows);
});
afterAll(() => service[Symbol.asyncDispose]());

const root = temporaryFolder();
const disks: string[] = [];
afterAll(() => {
  for (const disk of disks) spawnSync("umount", ["-l", disk]);
});

/** A file system of a size, if the system allows one. */
function smallDisk(size: string): string | undefined {
  const disk = join(root, "disk");
  mkdirSync(disk);
  if (spawnSync("mount", ["-t", "tmpfs", "-o", `size=${size}`, "tmpfs", disk], { stdio: "ignore" }).status !== 0)
    return undefined;
  disks.push(disk);
  return disk;
}
const disk = smallDisk("3m");

describe("a corpus", () => {
  it.each(users)("on a medium that cannot be written is read by $name, table by table", async (user) => {
    const corpus = await corpusOf(service, { searches, window: "month", dir: newDirectory() });
    const { mentions, windows } = await corpus.build();
    const home = user.folder();
    const dir = join(home, "copy");
    cpSync(corpus.dir, dir, { recursive: true });
    execFileSync("chmod", ["-R", "a-w,a+rX", dir]);
    try {
      await user.run(async () => {
        const copy = await openCorpus(dir);
        expect(await copy.info()).toMatchObject({ mentions, windows });
        expect((await copy.mentions().collect()).height).toBe(mentions);
        expect((await copy.sql("select count(*)::int as n from hits")).getColumn("n").toArray()).toEqual([mentions]);
        expect(await copy.verify()).toMatchObject({ ok: true, problems: [] });
        await copy.export(join(home, "export.zip"));
      });
      expect(existsSync(join(home, "export.zip"))).toBe(true);
    } finally {
      execFileSync("chmod", ["-R", "u+w", dir]);
    }
  });

  it("keeps the mode of a table that its owner made private", async () => {
    service.rows = rows;
    const corpus = await corpusOf(service, { searches, window: "month", lookups: [] });
    await corpus.build();
    const table = join(corpus.dir, "tables/mentions/year=2024/month=03/part.parquet");
    chmodSync(table, 0o600);
    const before = pl.readParquet(table).height;
    service.rows = rows.filter(({ begintime }, at) => !begintime.startsWith("2024-03") || at % 2 === 0);
    expect((await corpus.refresh({ lag: "9999d" })).vanished).toBeGreaterThan(0);
    service.rows = rows;
    expect(pl.readParquet(table).filter(pl.col("vanished").isNull()).height).toBeLessThan(before);
    expect(statSync(table).mode & 0o777).toBe(0o600);
  });

  it.skipIf(disk === undefined)("on a disk that gets full goes on where it was when there is room", async () => {
    const dir = join(disk as string, "corpus");
    const long = rows.map((row, at) => ({ ...row, text: `row ${Math.sin(at)} `.repeat(400) }));
    await using full = await startCorpusService(long);
    const corpus = await corpusOf(full, { searches, window: "month", lookups: [], dir });
    expect(await errorOf(corpus.build(), ArchiveError)).toMatchObject({ code: "DISK_FULL" });
    execFileSync("mount", ["-o", "remount,size=80m", disk as string]);
    const { verdict, mentions } = await corpus.build();
    const whole = await (await corpusOf(full, { searches, window: "month", lookups: [] })).build();
    expect({ verdict, mentions }).toEqual({ verdict: "complete", mentions: whole.mentions });
    expect((await corpus.verify()).problems).toEqual([]);
    rmSync(dir, { recursive: true });
  });
});
