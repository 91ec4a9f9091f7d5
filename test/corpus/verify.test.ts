import { execFileSync } from "node:child_process";
import {
  copyFileSync,
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openCorpus } from "../../src/corpus/index.js";
import { filesOf } from "../../src/corpus/tables/tablePaths.js";
import { type ArchiveClient, FileError, openArchive, pl } from "../../src/index.js";
import { sha256Of } from "../files/sha256Of.js";
import { errorOf } from "../service/helpers.js";
import { copyOf, newDirectory, removeTables } from "./corpora.js";

const whole = newDirectory();
let archive: ArchiveClient;
beforeAll(async () => {
  archive = await openArchive({ announce: false, embedded: { size: 8000 } });
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
}
const fileOf = (dir: string, table: "mentions" | "hits", at = 0) => join(dir, filesOf(dir, table)[at] as string);

it.each(["build", "compact"] as const)("what a killed process was writing is gone after the next %s", async (verb) => {
  const dir = copyOf(whole, () => undefined);
  const name = ".0b7c2f3e-6a55-4d0e-9f0f-0d3f1e6c9a11.partial";
  const places = ["", "raw", "raw/landed", "runs", "tables", "tables/mentions"].map((place) => join(dir, place, name));
  for (const place of places) writeFileSync(place, "{");
  const corpus = await openCorpus(dir, { archive });
  expect((await corpus.verify()).ok).toBe(false);
  await corpus[verb]();
  expect((await corpus.verify()).problems).toEqual([]);
  expect(places.filter((place) => existsSync(place))).toEqual([]);
});

it("a missing raw file is named by the run that needs it, with what to type; the window is then fetched again", async () => {
  const dir = copyOf(whole, () => undefined);
  const corpus = await openCorpus(dir, { archive });
  const { mentions } = await corpus.info();
  const [path = ""] = (readdirSync(join(dir, "raw"), { recursive: true }) as string[]).filter((name) =>
    name.endsWith(".parquet"),
  );
  rmSync(join(dir, "raw", path));
  removeTables(dir);
  const { message, code, hint = "" } = await errorOf(corpus.build(), FileError);
  expect([code, message]).toEqual(["FILE_ERROR", expect.stringContaining(`raw/${path} is missing`)]);
  const [, window] = /raw\/landed\/\*-(\w+)\.json/.exec(hint) ?? [];
  expect(path).toContain(`-${window}-`);
  for (const name of readdirSync(join(dir, "raw/landed")))
    if (name.endsWith(`-${window}.json`)) rmSync(join(dir, "raw/landed", name));
  expect(await corpus.build()).toMatchObject({ verdict: "complete", mentions });
});

describe("corpus.verify", () => {
  it("finds nothing in a corpus that was built", async () => {
    const corpus = await openCorpus(whole);
    const { mentions, hits } = await corpus.info();
    expect(mentions).toBeGreaterThan(50);
    const files = ["tables", "raw"].flatMap((top) => readdirSync(join(whole, top), { recursive: true }).map(String));
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
        cpSync(fileOf(dir, "mentions"), join(dir, "raw", "landed", "more.json"));
        writeFileSync(join(dir, "runs", "evil.sh"), "");
      },
      [/more\.parquet is not part/, /raw\/landed\/more\.json is not part/, /runs\/evil\.sh is not part/],
    ],
    [
      "directories and files that are links, and what is no file",
      (dir) => {
        for (const name of ["raw", "runs"]) {
          rmSync(join(dir, name), { recursive: true });
          symlinkSync(join(whole, name), join(dir, name));
        }
        execFileSync("mkfifo", [join(dir, "tables", "pipe")]);
      },
      [/^raw is a symbolic link/, /^runs is a symbolic link/, /tables\/pipe is a FIFO/],
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
      [/whole\/corpus\.json is not a file of this corpus/, /is not part of the corpus/],
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
