import { execFileSync } from "node:child_process";
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openCorpus } from "../../src/corpus/index.js";
import { filesOf, INDEX } from "../../src/corpus/publish/tableFiles.js";
import { type ArchiveClient, ArchiveError, openArchive, pl } from "../../src/index.js";
import { sha256Of } from "../files/sha256Of.js";
import { runs } from "../scale.js";
import { errorOf } from "../service/helpers.js";
import { copyOf, newDirectory } from "./corpora.js";
import { tableBytes } from "./tableBytes.js";

const whole = newDirectory();
let archive: ArchiveClient;
beforeAll(async () => {
  archive = await openArchive({ announce: false });
  const days = { mindate: "2024-01-01", maxdate: "2024-04-30" };
  const searches = ["the", "budget"].map((query) => ({ query, ...days }));
  await (await openCorpus(whole, { archive, searches, lookups: [] })).build();
});
afterAll(() => archive.close());

/** Makes the description agree with the files, as whoever made the corpus can. */
function redescribe(dir: string): void {
  const path = join(dir, "datapackage.json");
  const sum = (name: string) => `sha256:${sha256Of(join(dir, name))}`;
  const { resources, ...rest } = JSON.parse(readFileSync(path, "utf8"));
  const own = resources.map((one: { path: string | string[] }) =>
    Array.isArray(one.path) ? { ...one, hashes: one.path.map(sum) } : { ...one, hash: sum(one.path) },
  );
  writeFileSync(path, JSON.stringify({ ...rest, resources: own }));
  const index = JSON.parse(readFileSync(join(dir, INDEX), "utf8"));
  const files = index.files.map((file: { path: string }) => ({ ...file, sha256: sha256Of(join(dir, file.path)) }));
  writeFileSync(join(dir, INDEX), JSON.stringify({ ...index, files }));
}
const fileOf = (dir: string, table: "mentions" | "hits", at = 0) => join(dir, filesOf(dir, table)[at] as string);

it("what a killed process was writing is gone after the next build", async () => {
  const dir = copyOf(whole, () => undefined);
  const name = ".0b7c2f3e-6a55-4d0e-9f0f-0d3f1e6c9a11.partial";
  const places = ["", "tables", "tables/mentions"].map((place) => join(dir, place, name));
  for (const place of places) writeFileSync(place, "{");
  const corpus = await openCorpus(dir, { archive });
  expect((await corpus.verify()).ok).toBe(false);
  await corpus.build();
  expect((await corpus.verify()).problems).toEqual([]);
  expect(places.filter((place) => existsSync(place))).toEqual([]);
});

/** Places of the database that are damaged. */
const PLACES = runs(8, 100);

it("a database that is missing or damaged is made again from the tables, without a request for what was published", async () => {
  const damages: ReadonlyArray<(path: string) => void> = [
    (path) => rmSync(path),
    (path) => writeFileSync(path, "no database".repeat(999)),
    (path) => rmSync(path) ?? rmSync(join(path, "..", INDEX)),
    (path) => writeFileSync(path, "no database") ?? mkdirSync(`${path}.damaged/kept`, { recursive: true }),
    ...Array.from({ length: PLACES }, (_none, place) => (path: string) => {
      const bytes = readFileSync(path);
      const at = Math.floor((bytes.length * place) / PLACES);
      writeFileSync(path, place % 4 === 1 ? bytes.subarray(0, at) : bytes.fill(90, at, at + 4096));
    }),
  ];
  for (const damage of damages) {
    const dir = copyOf(whole, (copy) => damage(join(copy, "corpus.duckdb")));
    const { mentions, hits } = await (await openCorpus(whole)).info();
    // Opens the database before a run does.
    await openCorpus(dir, { lookups: ["people"] });
    const corpus = await openCorpus(dir, { archive, lookups: [] });
    expect(await corpus.build()).toMatchObject({ verdict: "complete", requests: 0, added: 0, mentions, hits });
    expect(tableBytes(dir)).toEqual(tableBytes(whole));
    expect(await corpus.refresh()).toMatchObject({ added: 0, changed: 0, vanished: 0 });
  }
});

it("what the tables lack is asked again when the database is made from them", async () => {
  const dir = copyOf(whole, (copy) => {
    rmSync(join(copy, "corpus.duckdb"));
    rmSync(fileOf(copy, "mentions", 1));
  });
  const { mentions, hits } = await (await openCorpus(whole)).info();
  const hitsOfMonth = fileOf(dir, "hits", 2);
  writeFileSync(hitsOfMonth, readFileSync(hitsOfMonth).subarray(0, 200));
  const corpus = await openCorpus(dir, { archive });
  expect((await errorOf(corpus.build(), ArchiveError)).message).toBe(
    `${hitsOfMonth} is damaged. Delete it: what the tables lack is asked again.`,
  );
  rmSync(hitsOfMonth);
  expect(await corpus.build()).toMatchObject({ verdict: "complete", mentions, hits });
  const empty = newDirectory();
  const searches = [{ query: "found nowhere", date: "2024-01-01" }];
  await (await openCorpus(empty, { archive, searches })).build();
  rmSync(join(empty, "corpus.duckdb"));
  expect((await (await openCorpus(empty, { archive })).build()).requests).toBe(0);
});

describe("corpus.verify", () => {
  it("finds nothing in a corpus that was built", async () => {
    const corpus = await openCorpus(whole);
    const { mentions, hits } = await corpus.info();
    expect(mentions).toBeGreaterThan(50);
    const files = ["tables"].flatMap((top) => readdirSync(join(whole, top), { recursive: true }).map(String));
    const parquet = files.filter((name) => name.endsWith(".parquet"));
    expect(await corpus.verify()).toEqual({ ok: true, files: parquet.length + 1, mentions, hits, problems: [] });
  });

  it.each<[string, (dir: string) => void, RegExp[]]>([
    [
      "a missing file of mentions",
      (dir) => rmSync(fileOf(dir, "mentions")),
      [/part\.parquet is missing/, /Hits without a mention: \d/],
    ],
    ["a damaged file", (dir) => writeFileSync(fileOf(dir, "hits"), "no parquet"), [/was changed after/]],
    [
      "a file in the place of another",
      (dir) => copyFileSync(fileOf(dir, "mentions"), fileOf(dir, "mentions", 1)),
      // Only files whose checksums are right are read.
      [/was changed after/, /Hits without a mention: \d/],
    ],
    [
      "a row twice",
      (dir) => {
        const path = fileOf(dir, "hits");
        const rows = pl.readParquet(path);
        pl.concat([rows, rows.head(1)]).writeParquet(path);
        redescribe(dir);
      },
      [/^Hits that are in the table twice: 1\.$/],
    ],
    [
      "a month in the place of another",
      (dir) => {
        copyFileSync(fileOf(dir, "mentions"), fileOf(dir, "mentions", 1));
        redescribe(dir);
      },
      [/Mentions that are in the table twice/, /Hits without a mention: \d/, /Rows in the file of another month/],
    ],
    [
      "further files",
      (dir) => {
        const month = join(fileOf(dir, "mentions"), "..");
        cpSync(fileOf(dir, "mentions"), join(month, "more.parquet"));
        writeFileSync(join(dir, "tables", "runs", "evil.sh"), "");
      },
      [/more\.parquet is not part/, /runs\/evil\.sh is not part/],
    ],
    [
      "directories and files that are links, and what is no file",
      (dir) => {
        rmSync(join(dir, "tables/runs"), { recursive: true });
        symlinkSync(join(whole, "tables/runs"), join(dir, "tables/runs"));
        execFileSync("mkfifo", [join(dir, "tables", "pipe")]);
      },
      [/^tables\/runs is a symbolic link/, /tables\/pipe is a FIFO/],
    ],
    [
      "a search that is gone",
      (dir) => {
        const path = join(dir, "corpus.json");
        const definition = JSON.parse(readFileSync(path, "utf8"));
        writeFileSync(path, JSON.stringify({ ...definition, searches: definition.searches.slice(1) }));
      },
      [/corpus\.json was changed/, /Hits of no search/],
    ],
    ["no description", (dir) => rmSync(join(dir, "datapackage.json")), [/datapackage\.json is missing or damaged/]],
    [
      "a link out of the corpus",
      (dir) => {
        const path = fileOf(dir, "mentions");
        rmSync(path);
        symlinkSync(fileOf(whole, "mentions"), path);
      },
      [/is not a file of this corpus/],
    ],
    [
      "a description that leads out of the corpus",
      (dir) => {
        const resources = [{ path: "../whole/corpus.json", hash: "sha256:0" }];
        writeFileSync(join(dir, "datapackage.json"), JSON.stringify({ resources }));
      },
      [/whole\/corpus\.json is not a file of this corpus/, /is not the file of datapackage\.json/],
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
