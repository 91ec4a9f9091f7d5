import { readFileSync, rmSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { openCorpus } from "../../../src/corpus/index.js";
import { COLUMNS } from "../../../src/corpus/publish/tableColumns.js";
import { toRecords } from "../../../src/index.js";
import { operations } from "../../../src/service/operations/operations.js";
import { clientTo, queryOf } from "../../client/clientTo.js";
import { brokenRules } from "../../files/packageRules.js";
import { sha256Of } from "../../files/sha256Of.js";
import { temporaryFolder } from "../../files/temporary.js";
import { type ScriptedServer, startScriptedServer } from "../../service/scriptedServer.js";

const dir = temporaryFolder();
const HOSTILE = "a|b\n## <img src=x onerror=1> [x](javascript:1) `";

const ROWS = [
  { id: "1", begintime: "2024-03-05T10:00:00Z", videoTypeId: 18, person: HOSTILE, [HOSTILE]: 1, constructor: "a" },
  { id: "2", begintime: "2024-04-05T10:00:00Z", videoTypeId: 18, person: "Ann", text: "so", constructor: "b" },
  { id: "3", begintime: "2024-04-06T10:00:00Z", videoTypeId: 16, length: 5, constructor: "c" },
];
let extra: object[] = [];
let server: ScriptedServer;

/** Debates have the first two rows, speeches the third. */
async function open() {
  const days = { mindate: "2024-01-01", maxdate: "2024-12-31" };
  const types = ["debate", "Speech", undefined];
  const searches = types.map((videotype) => ({ query: "a", videotype, ...days }));
  return openCorpus(dir, { archive: clientTo(server, {}), searches, window: "year", lookups: [] });
}

beforeAll(async () => {
  server = await startScriptedServer((request) => {
    const { videotype, cursor } = queryOf(request);
    const found = [
      ...ROWS.slice(videotype === "Speech" ? 2 : 0, videotype === "debate" ? 2 : 3),
      ...(videotype === undefined ? extra : []),
    ];
    const headers = { date: new Date().toUTCString() };
    return { headers, body: cursor === undefined ? { cursor: "1", mentions: found } : { cursor: "1" } };
  });
  vi.useFakeTimers({ toFake: ["Date"] });
  vi.setSystemTime(new Date("2026-11-01T12:00:00Z"));
  await (await open()).build();
});
afterAll(async () => {
  vi.useRealTimers();
  await server.close();
});

describe("the codebook of a corpus", () => {
  it("has a meaning for every column that the service declares", () => {
    const missing = (["mentions", "people", "programs"] as const).flatMap((table) => {
      const { columns } = operations[table === "mentions" ? table : table === "people" ? "person" : "program"];
      return Object.keys(columns).filter((name) => COLUMNS[table][name] === undefined);
    });
    expect(missing).toEqual([]);
  });

  it("counts missing values", async () => {
    const rows = toRecords((await openCorpus(dir)).codebook());
    const column = (name: string) => rows.find(({ table, column }) => table === "mentions" && column === name);
    expect(column("videoTypeId")).toMatchObject({
      dtype: "Int64",
      rows: 3,
      nulls: 0,
    });
    expect(column("length")).toMatchObject({ unit: "s", nulls: 2 / 3, examples: "5" });
    expect(column("first_seen")).toMatchObject({ dtype: "Date", examples: "2026-11-01" });
    const meaning = "Added by the service; not documented";
    expect(column(HOSTILE)).toMatchObject({ meaning });
    expect(column("constructor")).toMatchObject({ meaning, nulls: 0, examples: "a; b; c" });
    expect(rows.filter(({ table }) => table === "people").map(({ column, nulls }) => [column, nulls])).toContainEqual([
      "resolved",
      null,
    ]);
  });

  it("describes files that have changed only, and writes nothing if none has", async () => {
    const text = (name: string) => readFileSync(join(dir, name), "utf8");
    const time = (name: string) => statSync(join(dir, name)).mtimeMs;
    const names = ["datapackage.json", "README.md"];
    const [before, readme] = [text("datapackage.json"), text("README.md")];
    for (const name of names) utimesSync(join(dir, name), 1, 1);
    await (await open()).build();
    expect(names.map(time)).toEqual([1000, 1000]);

    extra = [{ id: "9", begintime: "2024-04-09T10:00:00Z", videoTypeId: 7 }];
    await (await open()).refresh({ lag: "4000d" });
    const after = [text("datapackage.json"), text("README.md")];
    expect(after[1]).not.toBe(readme);
    rmSync(join(dir, "corpus.duckdb"));
    await (await open()).build();
    expect([text("datapackage.json"), text("README.md")]).toEqual(after);
    expect(after[0]).not.toBe(before);
    extra = [];
  });

  it("is in a datapackage.json that follows the standard and has the hashes of the files", () => {
    const descriptor = JSON.parse(readFileSync(join(dir, "datapackage.json"), "utf8"));
    expect(brokenRules(descriptor)).toEqual([]);
    expect(descriptor.resources.map(({ name }: { name: string }) => name)).toEqual([
      "mentions",
      "hits",
      "searches",
      "corpus.json",
    ]);
    const [mentions] = descriptor.resources;
    expect(mentions.path).toEqual([
      "tables/mentions/year=2024/month=03/part.parquet",
      "tables/mentions/year=2024/month=04/part.parquet",
    ]);
    expect(mentions.hashes).toEqual(mentions.path.map((path: string) => `sha256:${sha256Of(join(dir, path))}`));
    const videoType = mentions.schema.fields.find(({ name }: { name: string }) => name === "videoTypeId");
    expect(videoType).toMatchObject({ type: "integer", description: "Number of the type of video" });
  });

  it("shows hostile text literally in the README", () => {
    const readme = readFileSync(join(dir, "README.md"), "utf8");
    const lines = readme.split("\n").filter((line) => line.startsWith("| "));
    expect(readme).not.toMatch(/^## <img/m);
    expect(readme).not.toContain("<img");
    expect(lines.every((line) => line.replace(/\\./g, "").split("|").length === 8)).toBe(true);
  });
});
