import { copyFileSync, cpSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openCorpus } from "../../src/corpus/index.js";
import { type ArchiveClient, ArchiveError, openArchive, pl } from "../../src/index.js";
import { sha256Of } from "../files/sha256Of.js";
import { errorOf } from "../service/helpers.js";
import { copyOf, newDirectory } from "./corpora.js";
import { tableBytes } from "./tableBytes.js";

const whole = newDirectory();
let archive: ArchiveClient;
beforeAll(async () => {
  archive = await openArchive({ announce: false });
  const days = { mindate: "2024-01-01", maxdate: "2024-04-30" };
  const searches = ["the", "budget"].map((query) => ({ query, ...days }));
  await (await openCorpus(whole, { archive, searches })).build();
});
afterAll(() => archive.close());

/** Makes the manifest agree with the files, as whoever made the corpus can. */
function redescribe(dir: string): void {
  const path = join(dir, "datapackage.json");
  const { resources, ...rest } = JSON.parse(readFileSync(path, "utf8"));
  for (const { files } of resources) for (const file of files) file.hash = `sha256:${sha256Of(join(dir, file.path))}`;
  writeFileSync(path, JSON.stringify({ ...rest, resources }));
}
const fileOf = (dir: string, table: "mentions" | "hits", month = 1) =>
  join(dir, `tables/${table}/year=2024/month=0${month}/part.parquet`);

describe("a database that is lost", () => {
  it("is made again from the tables, without a request", async () => {
    const dir = copyOf(whole, (copy) => rmSync(join(copy, "corpus.duckdb")));
    const { mentions, hits } = await (await openCorpus(whole)).info();
    const corpus = await openCorpus(dir, { archive });
    expect(await corpus.build()).toMatchObject({ verdict: "complete", requests: 0, added: 0, mentions, hits });
    expect(tableBytes(dir)).toEqual(tableBytes(whole));
    expect(await corpus.refresh()).toMatchObject({ added: 0, changed: 0, vanished: 0 });
  });

  it("is named if it is damaged, and so are tables that do not belong together", async () => {
    const damaged = copyOf(whole, (copy) => writeFileSync(join(copy, "corpus.duckdb"), "no database".repeat(999)));
    const corpus = await openCorpus(damaged, { archive });
    expect((await errorOf(corpus.build(), ArchiveError)).message).toContain("Delete corpus.duckdb");
    rmSync(join(damaged, "corpus.duckdb"));
    copyFileSync(fileOf(damaged, "hits", 1), fileOf(damaged, "hits", 2));
    const error = await errorOf(corpus.build(), ArchiveError);
    expect(error).toMatchObject({ code: "FILE_ERROR", message: expect.stringContaining("month=02/part.parquet") });
    rmSync(join(damaged, "tables"), { recursive: true });
    expect(await corpus.build()).toMatchObject({ verdict: "complete" });
    expect((await corpus.verify()).problems).toEqual([]);
  });
});

describe("corpus.verify", () => {
  it("finds nothing in a corpus that was built, whatever file managers have left there", async () => {
    const dir = copyOf(whole, (copy) => {
      for (const name of [".DS_Store", "Thumbs.db", "desktop.ini", "._mentions"])
        writeFileSync(join(copy, "tables/mentions", name), "x");
    });
    const corpus = await openCorpus(dir, { archive });
    const { mentions, hits } = await corpus.info();
    expect(mentions).toBeGreaterThan(50);
    const files = readdirSync(join(whole, "tables"), { recursive: true }).map(String);
    const parquet = files.filter((name) => name.endsWith(".parquet"));
    expect(await corpus.verify()).toEqual({ ok: true, files: parquet.length, mentions, hits, problems: [] });
    expect((await corpus.mentions().collect()).height).toBe(mentions);
    rmSync(join(dir, "corpus.duckdb"));
    expect(await corpus.build()).toMatchObject({ verdict: "complete", requests: 0 });
  });

  it.each<[string, (dir: string) => void, RegExp[]]>([
    ["a missing file", (dir) => rmSync(fileOf(dir, "mentions")), [/part\.parquet is not what was published/]],
    ["a damaged file", (dir) => writeFileSync(fileOf(dir, "hits"), "x"), [/part\.parquet is not what was published/]],
    [
      "a row twice, or with other days than its hits",
      (dir) => {
        const [hits, mentions] = [fileOf(dir, "hits"), fileOf(dir, "mentions")];
        const rows = pl.readParquet(hits);
        pl.concat([rows, rows.head(1)]).writeParquet(hits);
        const day = pl.lit("2024-01-01").str.strptime(pl.Date, "%Y-%m-%d").alias("vanished");
        pl.readParquet(mentions).withColumns(day).writeParquet(mentions);
        redescribe(dir);
      },
      [/^Hits that are in the table twice: 1\.$/, /^Mentions with other days than their hits: \d/],
    ],
    [
      "a month in the place of another",
      (dir) => {
        copyFileSync(fileOf(dir, "mentions", 1), fileOf(dir, "mentions", 2));
        redescribe(dir);
      },
      [/^Mentions that are in the table twice/, /^Hits without a mention, and/, /^Rows in the file of another month/],
    ],
    [
      "further files",
      (dir) => cpSync(fileOf(dir, "mentions"), join(fileOf(dir, "mentions"), "../more.parquet")),
      [/more\.parquet is not what was published/],
    ],
    ["no manifest", (dir) => rmSync(join(dir, "datapackage.json")), [/datapackage\.json is missing or damaged/]],
    [
      "a link out of the corpus",
      (dir) => {
        rmSync(fileOf(dir, "mentions"));
        symlinkSync(fileOf(whole, "mentions"), fileOf(dir, "mentions"));
      },
      [/part\.parquet is not what was published/],
    ],
    [
      "a link beside the files, which other readers would follow",
      (dir) => symlinkSync(fileOf(whole, "mentions"), join(fileOf(dir, "mentions"), "../more.parquet")),
      [/more\.parquet is not what was published/],
    ],
  ])("reports %s", async (_name, change, patterns) => {
    const { ok, problems } = await (await openCorpus(copyOf(whole, change))).verify();
    expect(ok).toBe(false);
    for (const pattern of patterns)
      expect(
        problems.filter((problem) => pattern.test(problem)),
        String(pattern),
      ).not.toEqual([]);
  });
});
