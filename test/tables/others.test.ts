import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { DuckDBInstance } from "@duckdb/node-api";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ArchiveError, pl, readFrame, sql, toDataFrame, toRecords, valuesOf } from "../../src/index.js";
import { temporaryFolder } from "../files/temporary.js";
import { runs, sampled } from "../scale.js";

const root = temporaryFolder();
const instance = await DuckDBInstance.create(":memory:", { enable_external_file_cache: "false" });
const duck = await instance.connect();
await duck.run("set TimeZone = 'UTC'");

/** A value as text that does not depend on who read it. */
function plain(value: unknown): unknown {
  if (value instanceof Date) return value.toISOString();
  if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  if (Array.isArray(value)) return value.map(plain);
  return value;
}

async function read(path: string): Promise<unknown[][]> {
  return toRecords(await readFrame(path)).map((row) => Object.values(row).map(plain));
}

/** Texts of cells by the name of their column, with the values that they have. */
const CELLS: Readonly<Record<string, ReadonlyArray<readonly [text: string, value: unknown]>>> = {
  int: [
    ["1", 1],
    ["-2", -2],
  ],
  float: [
    ["0.5", 0.5],
    ["1e300", 1e300],
    ["-2.25", -2.25],
  ],
  text: [
    ["a,b", "a,b"],
    ['q"q', 'q"q'],
    ["x;y\tz|", "x;y\tz|"],
    ["ä\n日本\r\n", "ä\n日本\r\n"],
  ],
  "a\nname": [
    ["True", true],
    ["FALSE", false],
  ],
  big: [["9007199254740993", "9007199254740993"]],
  day: [
    ["2024-02-29", "2024-02-29T00:00:00.000Z"],
    ["1999-12-31", "1999-12-31T00:00:00.000Z"],
  ],
  time: [
    ["2024-02-29 10:00:00", "2024-02-29T10:00:00.000Z"],
    ["2024-01-01T00:00:00", "2024-01-01T00:00:00.000Z"],
  ],
  zip: [
    ["02139", "02139"],
    ["10001", "10001"],
  ],
};
const ENCODERS: ReadonlyArray<(text: string) => Buffer> = [
  (text) => Buffer.from(text),
  (text) => Buffer.from(`\ufeff${text}`),
  (text) => Buffer.from(`\ufeff${text}`, "utf16le"),
  (text) => Buffer.from(`\ufeff${text}`, "utf16le").swap16(),
];

it("CSV of any dialect has the values that were written", async () => {
  const table = fc
    .tuple(fc.shuffledSubarray(Object.keys(CELLS), { minLength: 2, maxLength: 4 }), fc.integer({ min: 1, max: 4 }))
    .chain(([names, height]) => {
      // Leading zeros, or the first value, keep a column from the type of the others.
      const column = (name: string, at: number) => {
        const cell = fc.constantFrom(...(CELLS[name] as ReadonlyArray<readonly [string, unknown]>));
        const rest = at === 0 ? cell : fc.option(cell, { freq: 4, nil: ["", null] as const });
        return fc.array(rest, { minLength: height, maxLength: height }).map((all) => [CELLS[name]?.[0], ...all]);
      };
      return fc.tuple(fc.constant(names), fc.tuple(...names.map(column)));
    });
  const dialect = fc.record({
    separator: fc.constantFrom(",", ";", "\t", "|"),
    end: fc.constantFrom("\n", "\r\n", "\r"),
    encode: fc.constantFrom(...ENCODERS),
    isQuoted: fc.boolean(),
    isGzipped: fc.boolean(),
    extension: fc.constantFrom("csv", "CSV", "txt"),
  });
  await fc.assert(
    fc.asyncProperty(table, dialect, async ([names, columns], { separator, end, encode, ...options }) => {
      const field = (text: string) =>
        text !== "" && (options.isQuoted || /[",;\t|\r\n]/.test(text)) ? `"${text.replaceAll('"', '""')}"` : text;
      const rows = (columns[0] ?? []).map((_cell, at) => columns.map((column) => column[at] as [string, unknown]));
      const lines = [names, ...rows.map((row) => row.map(([text]) => text))].map((row) =>
        row.map(field).join(separator),
      );
      const bytes = encode(lines.join(end) + end);
      const path = join(root, `dialect.${options.extension}${options.isGzipped ? ".gz" : ""}`);
      writeFileSync(path, options.isGzipped ? gzipSync(bytes) : bytes);
      expect((await readFrame(path)).columns).toEqual(names);
      expect(await read(path)).toEqual(rows.map((row) => row.map(([, value]) => value)));
    }),
    { numRuns: runs(40, 1000) },
  );
});

describe("Parquet files of DuckDB", () => {
  const columns: ReadonlyArray<readonly [expression: string, expected: unknown]> = [
    ["1::tinyint", 1],
    ["18446744073709551615::ubigint", "18446744073709551615"],
    ["1.50::decimal(10, 2)", 1.5],
    ["12345678901234567890.12::decimal(38, 2)", "12345678901234567890.12"],
    ["'6f1b2c34-0000-4000-8000-000000000000'::uuid", "6f1b2c34-0000-4000-8000-000000000000"],
    ["interval 1 day", "1 day"],
    ["'abc'::blob", "abc"],
    ["json('{\"a\":1}')", '{"a":1}'],
    ["['[1]'::json]", ["[1]"]],
    ["170141183460469231731687303715884105727::hugeint", 1.7014118346046923e38],
    ["map {'k': 1}", '{"k":1}'],
    ["[1, 2]", [1, 2]],
    ["[1.5, 2.25]", [1.5, 2.25]],
    ["[map {'k': 1}]", ['{"k":1}']],
    ["[{'a': 1}]", ['{"a":1}']],
    ["{'a': 1, 'b': {'c': 'x'}}", '{"a":1,"b":{"c":"x"}}'],
    ["timestamp '2024-01-01 06:00:00'", "2024-01-01T06:00:00.000Z"],
    ["timestamptz '2024-01-01 06:00:00+02'", "2024-01-01T04:00:00.000Z"],
    ["timestamp_ns '2024-01-01 06:00:00.410000000'", "2024-01-01T06:00:00.410Z"],
    ["date '2024-02-29'", "2024-02-29T00:00:00.000Z"],
    ["timestamp '-infinity'", "-infinity"],
    ["true", true],
    ["'x'::enum('x', 'y')", "x"],
    ["null", null],
  ];

  it.each(columns)("%s", async (expression, expected) => {
    const path = join(root, "other.PARQ");
    await duck.run(`copy (select ${expression} as v, 1 as V2) to '${path}' (format parquet)`);
    const frame = await readFrame(path);
    expect(frame.columns).toEqual(["v", "V2"]);
    expect(valuesOf(frame, "v").map(plain)).toEqual([expected]);
  });
});

describe("a text file", () => {
  const write = (name: string, text: string | Buffer) => {
    writeFileSync(join(root, name), text);
    return join(root, name);
  };

  it.each<[string, string, RegExp]>([
    ["too many fields", "id,title\n1,a\n1,Build, Back, Better\n", /line 3 has more or fewer fields than the header/],
    ["an open quote", 'id,title\n1,"a\n2,b\n', /line 2 has quotes that do not match|a quoted field is not closed/],
    ["too few fields", "a,b,c\n1,2,3\n1,2\n", /line 3 has more or fewer fields than the header/],
    ["mixed line ends", "a,b\r\n1,x\n2,y\n", /has line ends of several kinds/],
    ["no header", "", /it is empty and has no header/],
  ])("with %s is refused", async (_what, text, message) => {
    const path = write("wrong.csv", text);
    await expect(readFrame(path)).rejects.toMatchObject({
      code: "FILE_ERROR",
      path,
      message: expect.stringMatching(message),
    });
  });

  it("that is not UTF-8 is refused, or read by the name of its encoding", async () => {
    const path = write("latin.csv", Buffer.from("id,name\n1,Café\n", "latin1"));
    await expect(readFrame(path)).rejects.toThrow(/line 2 is not UTF-8/);
    expect(valuesOf(await readFrame(path, { encoding: "windows-1252" }), "name")).toEqual(["Café"]);
    await expect(readFrame(path, { encoding: "klingon" })).rejects.toThrow(/^invalid encoding/);
  });

  it.each<[string, string, unknown[][]]>([
    ["late text", `n\n${"1\n".repeat(25_000)}p. 11000\n`, [["1"], ["p. 11000"]]],
    [
      "rows of empty cells",
      "a,b\n1,x\n,\n\n2,y\n,\n",
      [
        [1, "x"],
        [2, "y"],
      ],
    ],
    ["blank lines and empty texts in one column", 'a\n"x"\n\n""\n"y"\n\n', [["x"], [""], ["y"]]],
    ["large integers", "a\n18446744073709551615\n", [["18446744073709551615"]]],
    ["integers that no type has", "a\n18446744073709551616\n", [["18446744073709551616"]]],
    ["numbers that no type has", "a\n1e5\n1E400\n", [["1e5"], ["1E400"]]],
    ["the separator that Excel takes", "sep=;\r\na;b\r\n1;2,5\r\n", [[1, "2,5"]]],
    [
      "a leap second and a day that is none",
      "t,d\n2024-12-31 23:59:60,2023-02-29\n",
      [["2024-12-31 23:59:60", "2023-02-29"]],
    ],
    ["headers twice", "a,a,A\n1,2,3\n", [[1, 2, 3]]],
    [
      "times with and without a zone",
      "t\n2024-01-01T06:00:00\n2024-01-01 06:00:00+02\n",
      [["2024-01-01T06:00:00.000Z"], ["2024-01-01T04:00:00.000Z"]],
    ],
  ])("with %s is read", async (_what, text, rows) => {
    const found = await read(write("right.csv", text));
    expect(found.length > 100 ? [found[0], found.at(-1)] : found).toEqual(rows);
  });

  it.each<[string, string, unknown[][]]>([
    ["lines.json", '{"a": 1}\r\n\r\n{"a": 2}\n', [[1], [2]]],
    ["list.jsonl", '[{"a": 1},\n{"a": 2}]', [[1], [2]]],
    ["marked.json", '\ufeff[{"a": 1}, {"a": 2}]', [[1], [2]]],
    ["ids.json", '[{"id": 9007199254740993, "x": {"id": 1.0}}]', [["9007199254740993", '{"id":1.0}']]],
    ["mixed.json", '[{"id": 9007199254740993}, {"id": 1.0}, {}]', [["9007199254740993"], ["1.0"], [null]]],
    ["floats.json", '[{"a": 1.0, "b": [1, 2.5], "c": ["1"], "d": "1"}]', [[1, [1, 2.5], ["1"], "1"]]],
  ])("%s is read", async (name, text, rows) => {
    expect(await read(write(name, text))).toEqual(rows);
  });

  it.each<[string, string, RegExp]>([
    ["empty.json", "", /empty\.json cannot be read: it is empty/],
    ["deep.json", "[".repeat(5000) + "]".repeat(5000), /deep\.json cannot be read: it contains no rows/],
    ["cut.jsonl", '{"a": 1}\n{"a": ', /cut\.jsonl cannot be read: it is not JSON/],
  ])("%s is refused as a file", async (name, text, message) => {
    const error = await readFrame(write(name, text)).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ArchiveError);
    expect(String(error)).toMatch(message);
  });

  it.each(["[]", "{}"])("of the JSON %s has no columns", async (text) => {
    expect((await readFrame(write("none.json", text))).shape).toEqual({ height: 0, width: 0 });
  });
});

it("times without a zone are in UTC, and can be joined with begintime", async () => {
  const path = join(root, "times.csv");
  writeFileSync(path, "t,vote\n2024-01-01T06:00:00,aye\n2024-01-02T06:00:00,nay\n");
  const rows = toDataFrame([{ begintime: new Date("2024-01-02T06:00:00Z") }]);
  const joined = rows.join(await readFrame(path), { leftOn: "begintime", rightOn: "t" });
  expect(valuesOf(joined, "vote")).toEqual(["nay"]);
});

it("Arrow files of others are refused, with what to do", async () => {
  const path = join(root, "stranger.arrow");
  writeFileSync(path, pl.DataFrame({ a: [1, 2] }).writeIPC());
  await expect(readFrame(path)).rejects.toThrow(/stranger.arrow cannot be read: .* Save it as Parquet\.$/);
});

const LARGE = sampled([
  "select 1::bigint as a, 2::bigint as b from range(20_000_000)",
  "select list_transform(range(100000), x -> 7::bigint) as a from range(400)",
]);

it.each(LARGE)("a Parquet file that is far larger in memory is refused: %s", async (query) => {
  const path = join(root, "bomb.parquet");
  await duck.run(`copy (${query}) to '${path}' (format parquet, compression zstd)`);
  await expect(readFrame(path)).rejects.toThrow(/bomb.parquet cannot be read: it is far larger when decompressed/);
});

it("sql gives DuckDB's own answer", async () => {
  const edge = fc
    .constantFrom(2n ** 53n, 2n ** 63n, 2n ** 64n)
    .chain((base) => fc.bigInt({ min: -3n, max: 2n }).map((by) => base + by));
  const day = fc.integer({ min: 0, max: 40_000 }).map((at) => new Date(at * 86_400_000).toISOString().slice(0, 10));
  const decimal = fc.tuple(fc.nat(), fc.nat({ max: 999 })).map(([whole, part]) => `${whole}.${part}`);
  const literal = fc.oneof(
    edge.map(String),
    edge.map((value) => `(-${value})`),
    decimal,
    fc.constantFrom("1e3", "true", "null", "'text'", "[1, 2]", "2.0"),
    day.map((text) => `date '${text}'`),
    day.map((text) => `timestamp '${text} 12:00:00'`),
  );
  const query = fc
    .tuple(literal, literal, edge)
    .map(
      ([a, b, n]) =>
        `select ${a} as a, case when n >= ${n} then ${b} end as b, n, n = ${n} as same from (select * from t) as s where n is not null order by n;`,
    );
  const numbers = ["9007199254740992", "9007199254740993", "9223372036854775806"];
  const t = pl.DataFrame([pl.Series("n", numbers, pl.Utf8).cast(pl.Int64).rename("n")]);
  await duck.run(`create table t as select unnest([${numbers}])::bigint as n`);
  const cell = (value: unknown): string => {
    if (value === null || value === undefined) return "null";
    if (value instanceof Date)
      return value
        .toISOString()
        .replace("T", " ")
        .replace(/(?: 00:00:00)?\.000Z$/, "");
    return Array.isArray(value) ? `[${value.map(cell).join(", ")}]` : String(value);
  };
  await fc.assert(
    fc.asyncProperty(query, async (text) => {
      const found = toRecords(await sql(text, { t })).map((row) => Object.values(row).map(cell));
      const answer = await duck.runAndReadAll(text);
      const own = answer.getRows().map((row) => row.map((value) => (value === null ? "null" : String(value))));
      const number = (shown: string) =>
        /^-?[\d.]+(?:e[+-]?\d+)?$/i.test(shown) && !/^-?\d+$/.test(shown) ? String(Number(shown)) : shown;
      expect(found.map((row) => row.map(number))).toEqual(own.map((row) => row.map(number)));
    }),
    { numRuns: runs(30, 300) },
  );
});
