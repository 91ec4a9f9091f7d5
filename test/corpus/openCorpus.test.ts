import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { Database } from "../../src/corpus/database/database.js";
import { cross, type OpenCorpusOptions, openCorpus } from "../../src/corpus/index.js";
import { ArchiveError, pl } from "../../src/index.js";
import { clientTo } from "../client/clientTo.js";
import { temporaryFolder } from "../files/temporary.js";
import { errorOf } from "../service/helpers.js";
import { type CorpusService, servedRows, startCorpusService } from "./corpusServer.js";

const BUILD_ONCE = fileURLToPath(new URL("buildOnce.mjs", import.meta.url));
const root = temporaryFolder();
let service: CorpusService;
let archive: object;
beforeAll(async () => {
  service = await startCorpusService(servedRows(10));
  archive = clientTo(service);
});
afterAll(() => service[Symbol.asyncDispose]());

const alpha = { query: "alpha" };
const alphaWith = (parameters: object) => () => ({ archive, searches: [{ ...alpha, ...parameters }] });

async function refused(options: object, dir = join(root, "refused")): Promise<string> {
  const error = await errorOf(openCorpus(dir, options as OpenCorpusOptions), ArchiveError);
  return error.message;
}

describe("openCorpus refuses, before any request and without a directory,", () => {
  it.each<[string, () => object, string]>([
    ["no searches", () => ({ archive }), "There is no corpus. To create one, give archive and searches"],
    ["no archive", () => ({ searches: [alpha] }), "There is no corpus. To create one, give archive and searches"],
    ["something else as archive", () => ({ archive: {}, searches: [alpha] }), "invalid archive: {}. Give a client"],
    ["an empty list", () => ({ archive, searches: [] }), "invalid searches: []. Give the path of a CSV file"],
    [
      "equal searches",
      () => ({ archive, searches: [alpha, { query: "beta" }, { ...alpha, topic: "x" }] }),
      "invalid searches: 1 and 3 are equal",
    ],
    [
      "no query",
      () => ({ archive, searches: [alpha, { topic: "x" }] }),
      'invalid query: undefined. It is required, for example mentions("climate"). This is search 2 of the list',
    ],
    [
      "a parameter with a spelling mistake",
      alphaWith({ video_type: "Speech" }),
      'invalid label: "video_type". Did you mean videotype?',
    ],
    ["a position", alphaWith({ page: 2 }), "A corpus fetches all pages."],
    ["an option of openCorpus", alphaWith({ window: "day" }), 'window: "day". Give it to'],
    ["an option of build", alphaWith({ maxRequests: 9 }), "Give it to build, not to a"],
    ["an option of a call", alphaWith({ maxItems: 9 }), "all rows of a search as frames"],
    ["a label of the table", alphaWith({ verdict: "x" }), "The table of searches has this column."],
    [
      "more than a hundred labels",
      alphaWith(Object.fromEntries(Array.from({ length: 101 }, (_, at) => [`l${at}`, 1]))),
      "Give at most 100 labels",
    ],
    ["a day that does not exist", alphaWith({ mindate: "2024-02-30" }), "This day does not exist."],
    ["two ranges", alphaWith({ congress: 117, mindate: "2024-02-01" }), "Give either congress or mindate and maxdate."],
    [
      "a window without mindate",
      () => ({ archive, searches: [alpha], window: "month" }),
      'invalid window: "month". Search 1 has no first day',
    ],
    ["an unknown window", () => ({ archive, searches: [alpha], window: "moth" }), 'Did you mean "month"?'],
    [
      "an unknown option",
      () => ({ archive, search: [alpha] }),
      'invalid option of openCorpus: "search". Did you mean searches?',
    ],
    [
      "a CSV file that is missing",
      () => ({ archive, searches: join(root, "no.csv") }),
      "does not exist. Check the path. Give the path of a CSV file",
    ],
    [
      "too many windows",
      () => ({ archive, searches: [{ ...alpha, mindate: "1400-01-01" }], window: "day" }),
      "Give a longer window",
    ],
  ])("%s", async (_what, options, message) => {
    expect(await refused(options())).toContain(message);
    expect(service.server.requests).toEqual([]);
    expect(() => readFileSync(join(root, "refused", "corpus.json"))).toThrow("ENOENT");
  });
});

describe("openCorpus", () => {
  it("takes a list, a frame, or a CSV file, with labels", async () => {
    const list = [
      { query: "alpha", mindate: "2024-01-01", topic: "greek" },
      { query: "beta", mindate: "2024-02-01", topic: "" },
    ];
    const csv = join(root, "searches.csv");
    writeFileSync(csv, "query,mindate,topic\nalpha,2024-01-01,greek\nbeta,2024-02-01,\n");
    for (const [at, searches] of [list, pl.DataFrame(list), csv].entries()) {
      const dir = join(root, `form-${at}`);
      await openCorpus(dir, { archive, searches, window: "year" });
      const { searches: found } = JSON.parse(readFileSync(join(dir, "corpus.json"), "utf8"));
      expect(found).toEqual([list[0], at === 2 ? { query: "beta", mindate: "2024-02-01" } : list[1]]);
    }
  });

  it("takes a Congress, and crosses values", () => {
    expect(cross({ query: ["a", "b"], congress: [117, 118], topic: "x" })).toEqual([
      { query: "a", congress: 117, topic: "x" },
      { query: "a", congress: 118, topic: "x" },
      { query: "b", congress: 117, topic: "x" },
      { query: "b", congress: 118, topic: "x" },
    ]);
    expect(() => cross({ query: [] })).toThrow("invalid query: []. Give at least one value");
  });

  it("stays where it was opened when the working directory changes", async () => {
    const before = process.cwd();
    process.chdir(root);
    onTestFinished(() => process.chdir(before));
    const corpus = await openCorpus("relative", { archive, searches: [alpha] });
    mkdirSync("other");
    process.chdir("other");
    expect(await corpus.info()).toMatchObject({ searches: 1, dir: join(root, "relative") });
    expect(readdirSync(".")).toEqual([]);
  });

  it("adds searches to a corpus, keeps those that are there, and splits them otherwise", async () => {
    const dir = join(root, "growing");
    await openCorpus(dir, { archive, searches: [alpha] });
    await openCorpus(dir, { archive, searches: [{ query: "beta" }] });
    await openCorpus(dir);
    const { searches } = JSON.parse(readFileSync(join(dir, "corpus.json"), "utf8"));
    expect(searches).toEqual([alpha, { query: "beta" }]);
    expect(await refused({ archive, window: "month" }, dir)).toContain("Search 1 has no first day");
    await openCorpus(dir, { archive, lookups: ["people"] });
    expect(JSON.parse(readFileSync(join(dir, "corpus.json"), "utf8")).lookups).toEqual(["people"]);
  });

  it("refuses a path with a question mark, at which DuckDB ends it", async () => {
    const corpus = openCorpus(join(root, "study?"), { archive, searches: [alpha] });
    expect((await errorOf(corpus, ArchiveError)).message).toContain("contains a question mark");
  });

  it("needs a client of the same service to build, and its turn", async () => {
    const dir = join(root, "service");
    const corpus = await openCorpus(dir, { archive, searches: [alpha] });
    const reader = await openCorpus(dir);
    expect(await errorOf(reader.build(), ArchiveError)).toMatchObject({
      code: "INVALID_INPUT",
      message: expect.stringContaining("openCorpus(dir, { archive })"),
    });
    expect((await reader.mentions().collect()).height).toBe(0);
    await using other = await startCorpusService([]);
    const error = await errorOf(openCorpus(dir, { archive: clientTo(other) }), ArchiveError);
    expect(error).toMatchObject({
      code: "OTHER_SERVICE",
      message: expect.stringContaining("Give a client of that service"),
    });
    const database = await Database.open(dir);
    expect(await errorOf(corpus.build(), ArchiveError)).toMatchObject({ code: "TARGET_BUSY" });
    const late = spawnSync(process.execPath, [BUILD_ONCE, service.baseUrl, dir, "build"]);
    expect(String(late.stderr)).toContain(`(PID ${process.pid})`);
    database.close();
    expect(await errorOf(corpus.build({ maxRequest: 5 } as object), ArchiveError)).toMatchObject({
      message: expect.stringContaining("Did you mean maxRequests?"),
    });
    expect(await errorOf(corpus.refresh({ lag: "a month" }), ArchiveError)).toMatchObject({
      message: expect.stringContaining('for example lag: "30d"'),
    });
    expect(service.server.requests).toEqual([]);
  });

  it("refuses a definition that is not valid, and says why", async () => {
    const dir = join(root, "damaged");
    mkdirSync(dir);
    for (const [text, reason] of [
      ["{", "JSON"],
      ["[]", "invalid version: undefined"],
      ['{"corpus":"archive-frames","version":5}', "Build the corpus again"],
      ['{"version":6,"source":"x","until":"2024-01-01","lookups":[],"searches":[{"query":""}]}', "This is search 1"],
    ] as const) {
      writeFileSync(join(dir, "corpus.json"), text);
      const message = await refused({ archive }, dir);
      expect(message).toContain("is not the definition of a corpus");
      expect(message).toContain(reason);
    }
  });

  it("has a database that reaches no other file, and cannot be made to", async () => {
    const dir = join(root, "confined");
    const other = join(root, "secret.txt");
    writeFileSync(other, "secret");
    const database = await Database.open(dir);
    try {
      const refusal = { message: expect.stringMatching(/disabled|database is running|Permission Error/) };
      for (const sql of [
        `select * from read_text('${other}')`,
        `copy (select 1) to '${other}'`,
        `attach '${join(root, "other.duckdb")}' as other_file`,
        "set enable_external_access = true",
        "reset enable_external_access",
        `set allowed_directories = ['${root}']`,
        "reset allowed_directories",
        `set allowed_paths = ['${other}']`,
        "load httpfs",
      ])
        expect(await errorOf(database.run(sql), ArchiveError), sql).toMatchObject(refusal);
    } finally {
      database.close();
    }
  });
});
