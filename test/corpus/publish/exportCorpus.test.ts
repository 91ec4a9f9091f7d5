import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { load } from "js-yaml";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Corpus, openCorpus } from "../../../src/corpus/index.js";
import { type ArchiveClient, openArchive, pl, VERSION } from "../../../src/index.js";
import { mention } from "../../client/clientTo.js";
import { brokenRules } from "../../files/packageRules.js";
import { hasPython, python } from "../../files/python.js";
import { sha256Of } from "../../files/sha256Of.js";
import { temporaryFolder } from "../../files/temporary.js";
import { corpusOf } from "../corpora.js";
import { type ServedRow, servedRows, startCorpusService } from "../corpusServer.js";
import { brokenCrateRules } from "./crateRules.js";
import { brokenCroissantRules } from "./croissantRules.js";

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

const json = (path: string) => JSON.parse(readFileSync(path, "utf8"));
const below = (dir: string) =>
  readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(dir.length + 1))
    .sort();

describe("corpus.export", () => {
  it("copies the tables with metadata that follows the standards", async () => {
    const dest = join(root, "all");
    const creators = ['Doe, "J" <b>', "Roe: R"];
    expect(await corpus.export(dest, { zenodo: true, creators })).toBe(dest);
    const copy = await openCorpus(dest);
    expect((await copy.info()).mentions).toBeGreaterThan(50);
    expect((await copy.verify()).problems).toEqual([]);
    expect(copy.mentions().collectSync().frameEqual(corpus.mentions().collectSync())).toBe(true);
    expect(brokenRules(json(join(dest, "datapackage.json")))).toEqual([]);
    const files = below(dest).filter((path) => path !== "ro-crate-metadata.json");
    expect(files).toEqual(
      expect.arrayContaining([".zenodo.json", "CITATION.cff", "LICENSE.md", "README.md", "corpus.json"]),
    );
    const sha256 = (path: string) => sha256Of(join(dest, path));
    const crate = json(join(dest, "ro-crate-metadata.json"));
    expect(brokenCrateRules(crate, new Map(files.map((path) => [path, sha256(path)])))).toEqual([]);
    const tables = files.filter((path) => path.endsWith(".parquet"));
    const columns = ["mentions", "hits", "people", "searches"].map((name) => {
      const file = tables.find((path) => path.startsWith(`tables/${name}/`)) as string;
      return [name, pl.readParquet(join(dest, file)).columns] as const;
    });
    const described = json(join(dest, "croissant.json"));
    const rules = brokenCroissantRules(
      described,
      new Map(tables.map((path) => [path, sha256(path)])),
      Object.fromEntries(columns),
    );
    expect(rules).toEqual([]);
    for (const { "@type": type, includes, name } of described.distribution) {
      if (type !== "cr:FileSet") continue;
      const table = name.replace("files-", "tables/");
      const glob = new RegExp(`^${includes.replaceAll(".", "\\.").replaceAll("*", "[^/]*")}$`);
      expect(files.filter((path) => glob.test(path))).toEqual(tables.filter((path) => path.startsWith(`${table}/`)));
    }
    expect(json(join(dest, ".zenodo.json")).creators).toEqual(creators.map((name) => ({ name })));
    expect(readFileSync(join(dest, "CITATION.cff"), "utf8")).toContain(
      '  - name: "Doe, \\"J\\" <b>"\n  - name: "Roe: R"\n',
    );
    const { references } = load(readFileSync(join(dest, "CITATION.cff"), "utf8")) as { references: object[] };
    expect(references).toEqual([
      expect.objectContaining({ type: "software", title: "archive-frames", version: VERSION }),
    ]);
  });

  it("writes each table as CSV, too", async () => {
    const dest = join(root, "with-csv");
    await corpus.export(dest, { csv: true });
    const mentions = corpus.mentions().collectSync();
    const read = pl.readCSV(join(dest, "csv/mentions.csv"), { inferSchemaLength: 0 });
    expect([read.columns, read.height]).toEqual([mentions.columns, mentions.height]);
    expect(read.getColumn("text").toArray()).toEqual(mentions.getColumn("text").toArray());
    expect(below(join(dest, "csv"))).toEqual(["hits.csv", "mentions.csv", "people.csv", "searches.csv"]);
    expect((await (await openCorpus(dest)).verify()).problems).toEqual([]);
  });

  it("gives the same zip every time, which other programs open", async () => {
    const paths = ["a.zip", "b.zip"].map((name) => join(root, name));
    for (const path of paths) await corpus.export(path);
    const [first, second] = paths.map((path) => readFileSync(path));
    expect(first?.equals(second as Buffer)).toBe(true);
    const script =
      "import sys, zipfile; z = zipfile.ZipFile(sys.argv[1]); assert z.testzip() is None; print(len(z.namelist()))";
    const count = execFileSync("python3", ["-c", script, paths[0] as string], { encoding: "utf8" });
    expect(Number(count)).toBe(below(join(root, "all")).length - 1);
    expect(readdirSync(root).filter((name) => name.endsWith(".partial"))).toEqual([]);
  });

  it.skipIf(!hasPython)("writes a workbook with a sheet for each table, and one for the codebook", async () => {
    const [whole, again, ids] = ["a.xlsx", "b.xlsx", "ids.xlsx"].map((name) => join(root, name)) as [
      string,
      string,
      string,
    ];
    for (const path of [whole, again]) await corpus.export(path);
    await corpus.export(ids, { idsOnly: true });
    expect(readFileSync(whole).equals(readFileSync(again))).toBe(true);
    const script = `import json, sys, openpyxl
book = openpyxl.load_workbook(sys.argv[1], read_only=True)
print(json.dumps({s.title: [[str(c) for c in row] for row in s.iter_rows(values_only=True)] for s in book}))`;
    const read = async (path: string) => (await python(script, path)) as Record<string, string[][]>;
    const sheets = await read(whole);
    const { people } = await corpus.info();
    const mentions = corpus.mentions().collectSync();
    expect(Object.keys(sheets)).toEqual(["mentions", "hits", "people", "searches", "codebook"]);
    expect([sheets.mentions?.length, sheets.people?.length]).toEqual([mentions.height + 1, people + 1]);
    expect(sheets.mentions?.[0]).toEqual(mentions.columns);
    expect(new Set(sheets.mentions?.slice(1).map(([id]) => id))).toEqual(new Set(mentions.getColumn("id").toArray()));
    expect(sheets.codebook?.[0]?.slice(0, 3)).toEqual(["table", "column", "meaning"]);
    expect(sheets.codebook).toHaveLength(corpus.codebook().height + 1);
    const [text = ""] = corpus
      .mentions()
      .filter(pl.col("text").isNotNull())
      .select("text")
      .collectSync()
      .row(0) as string[];
    const cells = (book: Record<string, string[][]>) => JSON.stringify(book);
    expect(cells(sheets)).toContain(JSON.stringify(text.slice(0, 30)).slice(1, -1));
    expect(cells(await read(ids))).not.toContain(JSON.stringify(text.slice(0, 30)).slice(1, -1));
  });

  it("leaves out all text with idsOnly", async () => {
    const dest = join(root, "ids");
    await corpus.export(dest, { idsOnly: true });
    const rows = pl.scanParquet(join(dest, "tables/mentions")).collectSync();
    const kept = [
      "id",
      "begintime",
      "length",
      "personid",
      "programid",
      "videoTypeId",
      "first_seen",
      "changed",
      "vanished",
      "round",
      "content_sha256",
    ];
    expect(rows.columns).toEqual([...kept, "year", "month"]);
    expect(rows.height).toBe(corpus.mentions().collectSync().height);
    const [text] = corpus.mentions().filter(pl.col("text").isNotNull()).select("text").collectSync().row(0) as [string];
    const words = text.slice(0, 40);
    for (const path of below(dest).filter((name) => /\.(md|json|cff)$/.test(name)))
      expect(readFileSync(join(dest, path), "utf8"), path).not.toContain(words);
  });

  it("leaves out text that a service puts into other columns, with idsOnly", async () => {
    const secret = "what was said";
    const row = servedRows(1)[0] as ServedRow;
    const odd = { ...row, text: "alpha", personid: secret, programid: secret, length: secret, videoTypeId: secret };
    await using service = await startCorpusService([odd as unknown as ServedRow, { ...odd, id: secret } as never]);
    service.instead = () => ({ body: { mentions: [mention(1, odd), mention(2, { ...odd, id: secret })] } });
    const told = await corpusOf(service, { searches: [{ query: "alpha" }], lookups: [] });
    await told.build();
    expect(JSON.stringify(told.mentions().collectSync().toRecords())).toContain(secret);
    const dest = join(root, "told-ids");
    await told.export(dest, { idsOnly: true });
    for (const path of below(dest).filter((name) => /^tables.*parquet$/.test(name)))
      expect(JSON.stringify(pl.readParquet(join(dest, path)).toRecords()), path).not.toContain(secret);
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
