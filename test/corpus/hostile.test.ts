import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openCorpus } from "../../src/corpus/index.js";
import { ArchiveError } from "../../src/index.js";
import { clientTo } from "../client/clientTo.js";
import { temporaryFolder } from "../files/temporary.js";
import { errorOf } from "../service/helpers.js";
import { copyOf, newDirectory } from "./corpora.js";
import { type CorpusService, servedRows, startCorpusService } from "./corpusServer.js";

const root = temporaryFolder();
const whole = join(root, "whole");
const searches = [{ query: "alpha", mindate: "2024-01-01", maxdate: "2024-02-29" }];
let service: CorpusService;
beforeAll(async () => {
  service = await startCorpusService(servedRows(60));
  await (await openCorpus(whole, { archive: clientTo(service), searches, window: "month", lookups: [] })).build();
});
afterAll(() => service[Symbol.asyncDispose]());

const open = (dir: string) => openCorpus(dir, { archive: clientTo(service) });
/** Moves a directory out of the corpus, and leaves a link to it. */
function linked(dir: string, name: string): void {
  const away = newDirectory();
  renameSync(join(dir, name), away);
  symlinkSync(away, join(dir, name));
}

const definitionOf = (dir: string) => JSON.parse(readFileSync(join(dir, "corpus.json"), "utf8"));
function define(dir: string, change: object): void {
  writeFileSync(join(dir, "corpus.json"), JSON.stringify({ ...definitionOf(dir), ...change }));
}
const labelled = (dir: string, labels: object) => ({
  searches: definitionOf(dir).searches.map((search: object) => ({ ...search, ...labels })),
});

describe("a corpus that someone else made", () => {
  it.each(["tables", "tables/mentions", "tables/mentions/year=2024/month=01", "tables/runs", "work"])(
    "is not written to through a link at %s",
    async (name) => {
      const away = newDirectory();
      const dir = copyOf(whole, (copy) => {
        rmSync(join(copy, "work"), { recursive: true });
        // All tables are published again.
        rmSync(join(copy, "datapackage.json"));
        rmSync(join(copy, name), { recursive: true, force: true });
        mkdirSync(away);
        symlinkSync(away, join(copy, name));
      });
      expect(await errorOf((await open(dir)).build(), ArchiveError)).toMatchObject({ code: "UNSAFE_PATH" });
      expect(readdirSync(away)).toEqual([]);
    },
  );

  it.each<[string, (dir: string) => object]>([
    [
      "a thousand labels",
      (dir) => labelled(dir, Object.fromEntries(Array.from({ length: 1000 }, (_none, at) => [`l${at}`, "x"]))),
    ],
    ["a label that is a column", (dir) => labelled(dir, { Rows: "x" })],
  ])("is refused for %s", async (_name, change) => {
    const dir = copyOf(whole, (copy) => define(copy, change(copy)));
    expect((await errorOf(open(dir), ArchiveError)).message).toContain("is not the definition of a corpus");
  });

  it("has FIFOs in work/, which no run waits for", async () => {
    const dir = copyOf(whole, (copy) => {
      for (const name of ["queue", "people.lookups", "run-x"]) {
        rmSync(join(copy, "work", name), { force: true });
        execFileSync("mkfifo", [join(copy, "work", name)]);
      }
    });
    expect(await (await open(dir)).build()).toMatchObject({ verdict: "complete" });
    expect((await (await openCorpus(dir)).verify()).problems).toEqual([]);
  });

  it.each(["tables", "tables/mentions", "tables/hits"])("is not read through a link at %s", async (name) => {
    const corpus = await openCorpus(copyOf(whole, (dir) => linked(dir, name)));
    const read = async () => [await corpus.mentions().collect(), await corpus.hits().collect()];
    expect(await errorOf(read(), ArchiveError)).toMatchObject({ code: "UNSAFE_PATH" });
    expect((await corpus.verify()).ok).toBe(false);
  });

  it.each([
    "tables/mentions/year=2024",
    "tables/mentions/year=2024/month=01",
    "tables/mentions/year=2024/month=01/part.parquet",
  ])("has no rows behind a link at %s", async (name) => {
    const corpus = await openCorpus(copyOf(whole, (dir) => linked(dir, name)));
    const found = await corpus.mentions().select("begintime").collect();
    const months = new Set(
      found
        .getColumn("begintime")
        .toArray()
        .map((time) => (time as unknown as Date).getUTCMonth()),
    );
    expect(months.has(0)).toBe(false);
  });
});
