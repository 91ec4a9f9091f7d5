import { createHash } from "node:crypto";
import { cpSync, mkdtempSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { codebook } from "../../../src/corpus/tables/codebook/codebook.js";
import { MEANINGS } from "../../../src/corpus/tables/codebook/meanings.js";
import { mergeRows } from "../../../src/corpus/tables/mergeRows.js";
import { publishPackage } from "../../../src/corpus/tables/publishPackage.js";
import { writeTable } from "../../../src/corpus/tables/table.js";
import { toDataFrame } from "../../../src/frames/toDataFrame.js";
import { operations } from "../../../src/service/operations/operations.js";
import { brokenRules } from "../../files/packageRules.js";

const dir = mkdtempSync(join(tmpdir(), "codebook"));
const HOSTILE = "a|b\n## <img src=x onerror=1> [x](javascript:1) `";

beforeAll(async () => {
  writeFileSync(join(dir, "corpus.json"), "{}");
  const rows = [
    { id: "1", begintime: "2024-03-05T10:00:00Z", videoTypeId: 18, person: HOSTILE, [HOSTILE]: 1 },
    { id: "2", begintime: "2024-04-05T10:00:00Z", videoTypeId: 18, person: "Ann", text: "so" },
    { id: "3", begintime: "2024-04-06T10:00:00Z", videoTypeId: 16, length: 5 },
  ];
  const frame = toDataFrame(rows, { operation: "mentions" });
  const common = { window: "2024", day: "2026-11-01" };
  await mergeRows(dir, [
    { search: "debates", ...common, frame: frame.head(2) },
    { search: "speeches", ...common, frame: frame.tail(1) },
    { search: "all", ...common, frame },
  ]);
  const searches = [
    { search: "debates", window: "2024", parameters: '{"query":"a","videotype":"debate"}' },
    { search: "speeches", window: "2024", parameters: '{"query":"a","videotype":"Speech"}' },
    { search: "all", window: "2024", parameters: '{"query":"a"}' },
  ];
  await writeTable(dir, "searches", toDataFrame(searches));
  await publishPackage(dir);
});
afterAll(() => rmSync(dir, { recursive: true }));

describe("the codebook of a corpus", () => {
  it("has a meaning for every column that the service declares", () => {
    const missing = (["mentions", "people", "programs"] as const).flatMap((table) => {
      const { columns } = operations[table === "mentions" ? table : table === "people" ? "person" : "program"];
      return Object.keys(columns).filter((name) => MEANINGS[table][name] === undefined);
    });
    expect(missing).toEqual([]);
  });

  it("counts missing values and learns the names of video types", () => {
    const rows = codebook(dir).toRecords();
    const column = (name: string) => rows.find(({ table, column }) => table === "mentions" && column === name);
    expect(column("videoTypeId")).toMatchObject({
      dtype: "Int64",
      rows: 3,
      nulls: 0,
      labels: "16 = Speech; 18 = Debate",
    });
    expect(column("length")).toMatchObject({ unit: "s", nulls: 2 / 3, examples: "5" });
    expect(column("first_seen")).toMatchObject({ dtype: "Date", examples: "2026-11-01" });
    expect(column(HOSTILE)).toMatchObject({ meaning: "Added by the service; not documented" });
    expect(rows.filter(({ table }) => table === "people").map(({ column, nulls }) => [column, nulls])).toContainEqual([
      "resolved",
      null,
    ]);
  });

  it("describes files that have changed only, and writes nothing if none has", async () => {
    const copy = mkdtempSync(join(tmpdir(), "codebook"));
    const text = (name: string) => readFileSync(join(copy, name), "utf8");
    const time = (name: string) => statSync(join(copy, name)).mtimeMs;
    try {
      cpSync(dir, copy, { recursive: true });
      await publishPackage(copy);
      expect(text("datapackage.json")).toBe(readFileSync(join(dir, "datapackage.json"), "utf8"));
      for (const name of ["datapackage.json", "README.md", "work/described.json"]) utimesSync(join(copy, name), 1, 1);
      await publishPackage(copy);
      expect(["datapackage.json", "README.md", "work/described.json"].map(time)).toEqual([1000, 1000, 1000]);

      const frame = toDataFrame([{ id: "9", begintime: "2024-04-09T10:00:00Z", videoTypeId: 7 }]);
      await mergeRows(copy, [{ search: "speeches", window: "2024", day: "2026-11-02", frame }]);
      await publishPackage(copy);
      const after = [text("datapackage.json"), text("README.md")];
      rmSync(join(copy, "work", "described.json"));
      await publishPackage(copy);
      expect([text("datapackage.json"), text("README.md")]).toEqual(after);
      expect(after[1]).not.toBe(readFileSync(join(dir, "README.md"), "utf8"));
    } finally {
      rmSync(copy, { recursive: true });
    }
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
    const hashes = mentions.path.map((path: string) =>
      createHash("sha256")
        .update(readFileSync(join(dir, path)))
        .digest("hex"),
    );
    expect(mentions.hashes).toEqual(hashes.map((hash: string) => `sha256:${hash}`));
    const videoType = mentions.schema.fields.find(({ name }: { name: string }) => name === "videoTypeId");
    expect(videoType).toEqual({
      name: "videoTypeId",
      type: "integer",
      description: "Number of the type of video",
      categories: [
        { value: 16, label: "Speech" },
        { value: 18, label: "Debate" },
      ],
    });
  });

  it("shows hostile text literally in the README", () => {
    const readme = readFileSync(join(dir, "README.md"), "utf8");
    const lines = readme.split("\n").filter((line) => line.startsWith("| "));
    expect(readme).not.toMatch(/^## <img/m);
    expect(readme).not.toContain("<img");
    expect(lines.every((line) => line.replace(/\\./g, "").split("|").length === 8)).toBe(true);
  });
});
