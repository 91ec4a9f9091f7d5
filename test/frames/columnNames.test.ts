import fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";
import { pl, toDataFrame, toRecords } from "../../src/index.js";
import { runs } from "../scale.js";
import { expectedColumns } from "./expectedColumns.js";
import { frameOf } from "./pages.js";

/** Names that can collide when joined, escaped or given an underscore. */
const member = fc.oneof(
  fc.constantFrom("a", "b", "a.b", "b.c", ".", "", "a.", ".a", "\\", "\\.", "a\\", "a\\.b", "\\u", "\\ud800"),
  fc.constantFrom("\ud800", "\ud801", "\udc00", "\ufffd", "\ud83d\ude00", "x\udc00"),
  fc.constantFrom(
    "height",
    "height_",
    "height__",
    "rows",
    "rows_",
    "sum",
    "columns",
    "columns_",
    "_df",
    "_df_",
    "select",
  ),
  fc.constantFrom("__proto__", "constructor", "id", "text", "length", 'x"id', '"id', "i\\u0064"),
);
const path = fc.array(member, { minLength: 1, maxLength: 4 });

describe("a frame with a column whose unreserved name hides a method", () => {
  const names =
    "rows row sum mean min max median std var quantile describe limit sort sample shift explode unique map pivot rename then";
  it.each(names.split(" "))("%s: can be read and reshaped", (name) => {
    const frame = toDataFrame([
      { [name]: 1, b: "x" },
      { [name]: 2, b: "y" },
    ]);
    expect(frame.columns).toEqual([name, "b"]);
    expect([frame.height, frame.width, frame.shape]).toEqual([2, 2, { height: 2, width: 2 }]);
    expect(frame.dtypes.map(String)).toEqual(["DataType(Int64)", "DataType(String)"]);
    expect(Object.keys(frame.schema)).toEqual([name, "b"]);
    expect([...frame.getColumn(name).toArray()]).toEqual([1, 2]);
    expect(frame.select("b").columns).toEqual(["b"]);
    expect(frame.filter(pl.col("b").eq(pl.lit("y"))).height).toBe(1);
    expect(frame.lazy().select(pl.col(name).sum()).collectSync().getColumn(name).get(0)).toBe(3);
    expect(frame.head(1).toRecords()).toEqual([{ [name]: 1, b: "x" }]);
    expect(frame.withColumns(pl.lit(1).alias("c")).columns).toEqual([name, "b", "c"]);
    expect(pl.concat([frame, frame], { how: "diagonal" }).height).toBe(4);
    expect(toRecords(frame)).toEqual([
      { [name]: 1, b: "x" },
      { [name]: 2, b: "y" },
    ]);
    expect(toDataFrame(frame).columns).toEqual([name, "b"]);
    expect(toDataFrame(frame, { engine: "danfo" }).columns).toEqual([name, "b"]);
  });
});

describe("toDataFrame", () => {
  afterEach(() => vi.restoreAllMocks());
  const warnings = () => vi.spyOn(process, "emitWarning").mockImplementation(() => undefined);

  it("renames no column without need, also when a frame is rebuilt from its rows", () => {
    const warn = warnings();
    const rows = [{ rows: 1, sum: 2, mean: 3, "by.name": 4, "a\\b": 5, height_: 6, nested: { rows: 7 } }];
    const frame = toDataFrame(rows);
    expect(frame.columns).toEqual(["rows", "sum", "mean", "by.name", "a\\b", "height_", "nested.rows"]);
    expect(toDataFrame(toRecords(frame)).columns).toEqual(frame.columns);
    expect(warn).not.toHaveBeenCalled();
  });

  it("warns once about a renamed column", () => {
    const warn = warnings();
    expect(toDataFrame([{ width: 1 }]).columns).toEqual(["width_"]);
    expect(toDataFrame([{ width: 1 }]).columns).toEqual(["width_"]);
    expect(warn).toHaveBeenCalledTimes(1);
    expect(warn.mock.calls[0]?.[0]).toContain('"width" is column "width_"');
    expect(warn.mock.calls[0]?.[1]).toEqual({ type: "ArchiveFramesWarning", code: "COLUMN_RENAMED" });
  });

  it("gives every member its own column, whatever the order of the rows", () => {
    const values = fc.uniqueArray(fc.tuple(path, fc.integer()), {
      minLength: 1,
      maxLength: 8,
      selector: ([memberPath]) => JSON.stringify(memberPath),
    });
    fc.assert(
      fc.property(values, fc.infiniteStream(fc.nat()), (members, random) => {
        // One row per member, so that no member overwrites another.
        const rows = members.map(([memberPath, value]) =>
          memberPath.reduceRight<unknown>((inner, name) => Object.fromEntries([[name, inner]]), value),
        );
        const cells = (all: unknown[]): string[] =>
          toDataFrame(all)
            .getColumns()
            .map((column) => JSON.stringify([column.name, [...column.toArray()].filter((value) => value !== null)]))
            .sort();
        const expected = cells(rows);
        expect(expected).toHaveLength(members.length);
        const shuffled = [...rows].sort(() => ((random.next().value as number) % 3) - 1);
        expect(cells(shuffled)).toEqual(expected);
      }),
      { numRuns: runs(10, 160) },
    );
  });
});

describe("a frame built from pages", () => {
  const row = fc.array(fc.tuple(path, fc.integer({ min: 1, max: 99 })), { maxLength: 4 }).map((members) => {
    const object: Record<string, unknown> = Object.create(null);
    for (const [memberPath, value] of members) put(object, memberPath, value);
    return object;
  });
  const rows = fc.array(row, { minLength: 1, maxLength: 8 });

  it("has the values of each member in the expected column", () => {
    fc.assert(
      fc.property(rows, (all) => {
        const frame = frameOf(all.map((one) => JSON.stringify(one)));
        const records = all.map((one) => expectedColumns(JSON.parse(JSON.stringify(one)) as object));
        const columns = new Set(records.flatMap((record) => [...record.keys()]));
        for (const name of columns) {
          const cells = [...frame.getColumn(name).toArray()];
          records.forEach((record, at) => {
            const value = record.get(name) ?? null;
            expect(value === null ? (cells[at] ?? null) : String(cells[at])).toBe(
              value === null ? null : String(value),
            );
          });
        }
      }),
      { numRuns: runs(10, 160) },
    );
  });

  it("does not depend on the order of members; the order of rows only changes the order of rows", () => {
    fc.assert(
      fc.property(rows, (all) => {
        const texts = all.map((one) => JSON.stringify(one));
        const reordered = all.map((one) => JSON.stringify(reversed(one)));
        const expected = frameOf(texts);
        const names = [...expected.columns].sort();
        const sorted = (frame: typeof expected) => names.map((name) => [...frame.getColumn(name).toArray()]);
        const other = frameOf(reordered);
        expect([...other.columns].sort()).toEqual(names);
        expect(sorted(other)).toEqual(sorted(expected));
        const backwards = frameOf(...texts.toReversed().map((text) => [text]));
        expect([...backwards.columns].sort()).toEqual(names);
        expect(sorted(backwards).map((column) => column.toReversed())).toEqual(sorted(expected));
      }),
      { numRuns: runs(10, 160) },
    );
  });
});

function put(object: Record<string, unknown>, [name, ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) object[name as string] = value;
  else {
    const inner = object[name as string];
    const next: Record<string, unknown> =
      typeof inner === "object" && inner !== null ? (inner as Record<string, unknown>) : Object.create(null);
    object[name as string] = next;
    put(next, rest, value);
  }
}

function reversed(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  const reordered: Record<string, unknown> = Object.create(null);
  for (const [name, inner] of Object.entries(value).reverse()) reordered[name] = reversed(inner);
  return reordered;
}
