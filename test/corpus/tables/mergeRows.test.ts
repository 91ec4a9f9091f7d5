import { mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { hits, mentions } from "../../../src/corpus/tables/corpusTables.js";
import { markVanished } from "../../../src/corpus/tables/markVanished.js";
import { mergeRows } from "../../../src/corpus/tables/mergeRows.js";
import { toDataFrame } from "../../../src/frames/toDataFrame.js";

const dirs: string[] = [];
const directory = () => {
  const dir = mkdtempSync(join(tmpdir(), "tables [2024]"));
  dirs.push(dir);
  return dir;
};
afterEach(() => {
  for (const dir of dirs.splice(0)) rmSync(dir, { recursive: true });
});

const row = (id: string, begintime: string | null, text = "a") => ({ id, begintime, text });
const unit = (rows: object[], { search = "s1", window = "2024", day = "2026-11-01" } = {}) => ({
  search,
  window,
  day,
  frame: toDataFrame(rows, { operation: "mentions" }),
});

describe("mergeRows", () => {
  it("writes one file per month, and each mention once", async () => {
    const dir = directory();
    const rows = [
      row("10", "2024-03-05T10:00:00Z"),
      row("9", "2024-03-05T10:00:00Z"),
      row("7", "2024-04-01T00:00:00Z"),
      row("1", null),
    ];
    expect(await mergeRows(dir, [unit(rows), unit([rows[0] as object], { search: "s2" })])).toEqual({
      added: 4,
      changed: 0,
      returned: 0,
    });
    const all = mentions(dir).select("id", "year", "month").collectSync();
    expect(all.toRecords()).toEqual([
      { id: "9", year: 2024, month: 3 },
      { id: "10", year: 2024, month: 3 },
      { id: "7", year: 2024, month: 4 },
      { id: "1", year: null, month: null },
    ]);
    expect(hits(dir).select("search", "id").collectSync().toRecords()).toHaveLength(5);
    expect(await mergeRows(dir, [unit(rows)])).toEqual({ added: 0, changed: 0, returned: 0 });
  });

  it("replaces a row that changed, moves it, and dates what vanished", async () => {
    const dir = directory();
    await mergeRows(dir, [unit([row("1", "2024-03-05T10:00:00Z"), row("2", "2024-03-06T10:00:00Z")])]);
    expect(await mergeRows(dir, [unit([row("1", "2024-04-05T10:00:00Z", "b")], { day: "2026-11-03" })])).toEqual({
      added: 0,
      changed: 1,
      returned: 0,
    });
    const march = { search: "s1", mindate: "2024-03-01", maxdate: "2024-03-31", day: "2026-11-04" };
    expect(await markVanished(dir, march, new Set())).toBe(1);
    const days = mentions(dir).select("id", "text", "first_seen", "changed", "vanished", "month").collectSync();
    const day = (text: string) => new Date(`${text}T00:00:00Z`);
    expect(days.toRecords()).toEqual([
      { id: "2", text: "a", first_seen: day("2026-11-01"), changed: null, vanished: day("2026-11-04"), month: 3 },
      { id: "1", text: "b", first_seen: day("2026-11-01"), changed: day("2026-11-03"), vanished: null, month: 4 },
    ]);
    expect(await mergeRows(dir, [unit([row("2", "2024-03-06T10:00:00Z")], { day: "2026-11-05" })])).toEqual({
      added: 0,
      changed: 0,
      returned: 1,
    });
    expect(mentions(dir).select("vanished").collectSync().toRecords()).toEqual([
      { vanished: null },
      { vanished: null },
    ]);
  });

  it("gives every file a new column and a wider type, whichever comes first", async () => {
    const march = unit([{ id: "1", begintime: "2024-03-05T10:00:00Z", programid: 7 }]);
    const april = unit([
      { id: "2", begintime: "2024-04-05T10:00:00Z", programid: "x7", "*": 1, first_seen: "mine", tags: ["a"] },
    ]);
    const may = unit([{ id: "3", begintime: "2024-05-05T10:00:00Z", a: 1.5, "*": 2 }]);
    const bytes = await Promise.all(
      [
        [march, april, may],
        [may, april, march],
      ].map(async (order) => {
        const dir = directory();
        for (const one of order) await mergeRows(dir, [one]);
        const rows = mentions(dir).collectSync();
        expect(rows.columns.slice(-10)).toEqual([
          ...["link", "*", "a", "first_seen_", "tags"],
          ...["first_seen", "changed", "vanished", "year", "month"],
        ]);
        expect(rows.select("programid", "tags", "first_seen_").rows()).toEqual([
          ["7", null, null],
          ["x7", '["a"]', "mine"],
          [null, null, null],
        ]);
        expect(rows.getColumn("*").toArray()).toEqual([null, 1, 2]);
        return [3, 4, 5].map((month) =>
          readFileSync(join(dir, `tables/mentions/year=2024/month=0${month}/part.parquet`)),
        );
      }),
    );
    expect(bytes[0]).toEqual(bytes[1]);
  });

  it("gives a mention without an id one of its own", async () => {
    const dir = directory();
    const rows = [{ text: "a" }, { text: "b" }, { text: "a" }];
    await mergeRows(dir, [unit(rows)]);
    expect(await mergeRows(dir, [unit(rows)])).toEqual({ added: 0, changed: 0, returned: 0 });
    const ids = [...mentions(dir).collectSync().getColumn("id").toArray()];
    expect(ids).toHaveLength(2);
    for (const id of ids) expect(id).toMatch(/^sha256:[0-9a-f]{16}$/);
  });

  it("does not say that a mention without an id has vanished", async () => {
    const dir = directory();
    const begintime = "2024-03-05T10:00:00Z";
    await mergeRows(dir, [unit([{ text: "a", begintime }, row("1", begintime)])]);
    const march = { search: "s1", mindate: "2024-03-01", maxdate: "2024-03-31", day: "2026-11-04" };
    expect(await markVanished(dir, march, new Set())).toBe(1);
    expect(await markVanished(dir, march, new Set())).toBe(0);
  });

  it("ignores a file that is a link", async () => {
    const dir = directory();
    await mergeRows(dir, [unit([row("1", "2024-03-05T10:00:00Z")])]);
    const file = join(dir, "tables/mentions/year=2024/month=03/part.parquet");
    renameSync(file, join(dir, "elsewhere"));
    symlinkSync(join(dir, "elsewhere"), file);
    expect(mentions(dir).collectSync().height).toBe(0);
  });
});
