import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { load } from "js-yaml";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type Corpus, openCorpus } from "../../../src/corpus/index.js";
import { type ArchiveClient, openArchive, toRecords } from "../../../src/index.js";
import { brokenRules } from "../../files/packageRules.js";
import { sha256Of } from "../../files/sha256Of.js";
import { temporaryFolder } from "../../files/temporary.js";

const root = temporaryFolder();
const dir = join(root, "corpus");
const HOSTILE = "a|b\n## <img src=x onerror=1> [x](javascript:1) `";
let archive: ArchiveClient;
let corpus: Corpus;
beforeAll(async () => {
  archive = await openArchive({ announce: false });
  const days = { mindate: "2024-01-01", maxdate: "2024-04-30" };
  const searches = [{ query: "the", ...days, topic: '<b>"x"</b>', [HOSTILE]: 1, constructor: "a" }];
  corpus = await openCorpus(dir, { archive, searches, window: "month", lookups: ["people"] });
  await corpus.build();
});
afterAll(() => archive.close());

describe("the codebook of a corpus", () => {
  it("has a meaning for every column, and its dtype", async () => {
    const rows = toRecords(corpus.codebook());
    expect(rows.filter(({ meaning }) => meaning === "")).toEqual([]);
    const column = (table: string, name: string) => rows.find((row) => row.table === table && row.column === name);
    expect(column("mentions", "length")).toMatchObject({ dtype: "Int64", unit: "s" });
    expect(column("mentions", "changed")).toMatchObject({ dtype: "Date" });
    expect(column("searches", "constructor")).toMatchObject({ meaning: "Label of the search" });
    expect(column("programs", "resolved")).toMatchObject({ dtype: "Bool" });
    const tables = [...new Set(rows.map(({ table }) => table))];
    for (const name of tables) {
      const frame = await corpus.sql(`from ${name} limit 0`);
      expect(rows.filter(({ table }) => table === name).map((row) => row.column)).toEqual(frame.columns);
    }
  });

  it("is in a datapackage.json that follows the standard and has the hashes of the files", () => {
    const descriptor = JSON.parse(readFileSync(join(dir, "datapackage.json"), "utf8"));
    expect(brokenRules(descriptor)).toEqual([]);
    for (const { files } of descriptor.resources)
      for (const { path, hash } of files) expect(hash).toBe(`sha256:${sha256Of(join(dir, path))}`);
  });

  it("shows hostile text literally in the README", () => {
    const readme = readFileSync(join(dir, "README.md"), "utf8");
    expect(readme).not.toMatch(/^## <img/m);
    const lines = readme.split("\n").filter((line) => line.startsWith("| "));
    expect(lines.every((line) => line.replace(/\\./g, "").split("|").length === 7)).toBe(true);
  });

  it("is not written if nothing has changed", async () => {
    utimesSync(join(dir, "README.md"), 1, 1);
    await corpus.codebook();
    const times = readdirSync(join(dir, "tables/mentions"), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath }) => statSync(join(parentPath, "part.parquet")).ino);
    await corpus.refresh({ lag: "9999d" });
    const after = readdirSync(join(dir, "tables/mentions"), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath }) => statSync(join(parentPath, "part.parquet")).ino);
    expect(after).toEqual(times);
  });
});

describe("corpus.export", () => {
  it("gives the same zip every time: a corpus with a codebook and a citation, which other programs open", async () => {
    const paths = ["a.zip", "b.zip"].map((name) => join(root, name));
    const creators = ['Doe, "J" <b>', "Roe: R"];
    vi.stubEnv("HOME", root);
    const typed = [paths[0] as string, "~/b.zip"];
    expect(await Promise.all(typed.map((path) => corpus.export(path, { creators })))).toEqual(paths);
    vi.unstubAllEnvs();
    const [first, second] = paths.map((path) => readFileSync(path));
    expect(first?.equals(second as Buffer)).toBe(true);
    const script = "import sys, zipfile; z = zipfile.ZipFile(sys.argv[1]); z.extractall(sys.argv[2])";
    execFileSync("python3", ["-c", script, paths[0] as string, join(root, "all")]);
    const copy = await openCorpus(join(root, "all"));
    expect((await copy.verify()).problems).toEqual([]);
    expect(copy.mentions().collectSync().frameEqual(corpus.mentions().collectSync())).toBe(true);
    const files = readdirSync(join(root, "all")).sort();
    expect(files).toEqual(["CITATION.cff", "README.md", "corpus.json", "datapackage.json", "tables"]);
    expect(load(readFileSync(join(root, "all/CITATION.cff"), "utf8"))).toMatchObject({
      authors: creators.map((name) => ({ name })),
    });
  });

  it("refuses a path that exists or is no zip file, an empty corpus and creators without names", async () => {
    const path = join(root, "mine.zip");
    writeFileSync(path, "mine");
    await expect(corpus.export(path)).rejects.toMatchObject({ code: "TARGET_IS_DIRECTORY" });
    expect(readFileSync(path, "utf8")).toBe("mine");
    await expect(corpus.export(join(root, "x"))).rejects.toThrow('for example "inflation.zip"');
    await expect(corpus.export(join(root, "x.zip"), { creators: [""] })).rejects.toThrow(/invalid creators/);
    const empty = await openCorpus(join(root, "empty"), { archive, searches: [{ query: "budget" }] });
    await expect(empty.export(join(root, "y.zip"))).rejects.toThrow(/Nothing was built/);
    expect(existsSync(join(root, "y.zip"))).toBe(false);
  });
});
