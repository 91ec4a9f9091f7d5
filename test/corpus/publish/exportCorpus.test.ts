import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { load } from "js-yaml";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Corpus, openCorpus } from "../../../src/corpus/index.js";
import { type ArchiveClient, openArchive, VERSION } from "../../../src/index.js";
import { brokenRules } from "../../files/packageRules.js";
import { temporaryFolder } from "../../files/temporary.js";

const root = temporaryFolder();
let archive: ArchiveClient;
let corpus: Corpus;
beforeAll(async () => {
  archive = await openArchive({ announce: false });
  const days = { mindate: "2024-01-01", maxdate: "2024-04-30" };
  corpus = await openCorpus(join(root, "corpus"), {
    archive,
    searches: [{ query: "the", ...days, topic: '<b>"x"</b>' }],
    lookups: ["people"],
  });
  await corpus.build();
});
afterAll(() => archive.close());

const below = (dir: string) =>
  readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(dir.length + 1))
    .sort();

describe("corpus.export", () => {
  it("copies the tables with a codebook and a citation", async () => {
    const dest = join(root, "all");
    const creators = ['Doe, "J" <b>', "Roe: R"];
    expect(await corpus.export(dest, { creators })).toBe(dest);
    const copy = await openCorpus(dest);
    expect((await copy.info()).mentions).toBeGreaterThan(50);
    expect((await copy.verify()).problems).toEqual([]);
    expect(copy.mentions().collectSync().frameEqual(corpus.mentions().collectSync())).toBe(true);
    expect(brokenRules(JSON.parse(readFileSync(join(dest, "datapackage.json"), "utf8")))).toEqual([]);
    const files = below(dest).filter((path) => !path.startsWith("tables/"));
    expect(files).toEqual(["CITATION.cff", "README.md", "corpus.json", "datapackage.json"]);
    const citation = load(readFileSync(join(dest, "CITATION.cff"), "utf8"));
    expect(citation).toMatchObject({
      authors: creators.map((name) => ({ name })),
      references: [expect.objectContaining({ type: "software", title: "archive-frames", version: VERSION })],
    });
  });

  it("gives the same zip every time, which other programs open", async () => {
    const paths = ["a.zip", "b.zip"].map((name) => join(root, name));
    for (const path of paths) await corpus.export(path);
    const [first, second] = paths.map((path) => readFileSync(path));
    expect(first?.equals(second as Buffer)).toBe(true);
    const script =
      "import sys, zipfile; z = zipfile.ZipFile(sys.argv[1]); assert z.testzip() is None; print(len(z.namelist()))";
    const count = execFileSync("python3", ["-c", script, paths[0] as string], { encoding: "utf8" });
    expect(Number(count)).toBe(below(join(root, "all")).length);
    expect(readdirSync(root).filter((name) => name.endsWith(".partial"))).toEqual([]);
  });

  it("refuses a path that exists, an empty corpus and creators without names", async () => {
    const taken = join(root, "taken.zip");
    writeFileSync(taken, "mine");
    await expect(corpus.export(taken)).rejects.toMatchObject({ code: "TARGET_IS_DIRECTORY" });
    expect(readFileSync(taken, "utf8")).toBe("mine");
    await expect(corpus.export(join(root, "x"), { creators: [""] })).rejects.toThrow(/invalid creators/);
    const empty = await openCorpus(join(root, "empty"), { archive, searches: [{ query: "budget" }] });
    await expect(empty.export(join(root, "y"))).rejects.toThrow(/Nothing was built/);
    expect(existsSync(join(root, "y"))).toBe(false);
    expect(statSync(taken).isFile()).toBe(true);
  });
});
