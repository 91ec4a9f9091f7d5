import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import fc from "fast-check";
import { asyncBufferFromFile, parquetReadObjects } from "hyparquet";
import { type BasicType, parquetWriteBuffer } from "hyparquet-writer";
import { describe, expect, it } from "vitest";
import { ArchiveError, pl, readFrame, saveFrame, sql, toRecords, valuesOf } from "../../src/index.js";
import { temporaryFolder } from "../files/temporary.js";
import { FULL, LONG, runs, sampled } from "../scale.js";

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

const PYTHON = ["python3", "/usr/bin/python3"].find(
  (program) => spawnSync(program, ["-c", "import pandas"]).status === 0,
);
const WRITE = `
import sys, json, itertools, pandas as pd
root = sys.argv[1]
columns = {
  "int": [1, -2, 3], "float": [0.5, 1e300, -2.25], "text": ["a,b", 'q"q', "x;y"], "bool": [True, False, True],
  "nl": ["a\\nb", "c", "d"], "big": [9007199254740993, 1, 2], "missing": ["x", None, "z"], "day": ["2024-02-29", "2024-01-01", "1999-12-31"],
  "time": ["2024-02-29 10:00:00", "2024-01-01 00:00:00", "1999-12-31 23:59:59"], "umlaut": ["ä", "日本", "é"],
}
expected = {}
number = 0
for pair in list(itertools.combinations(columns, 2))[::int(sys.argv[2])]:
  for sep, ends, quoting, encoding in ((",", "\\n", 0, "utf-8"), (";", "\\r\\n", 0, "utf-8-sig"), ("\\t", "\\r\\n", 1, "utf-16"), ("|", "\\n", 2, "utf-8")):
    if quoting and "missing" in pair: continue
    frame = pd.DataFrame({name: columns[name] for name in pair})
    name = "%d.%s" % (number, ("csv", "CSV", "txt")[number % 3])
    gz = number % 5 == 0
    if gz: name += ".gz"
    frame.to_csv(root + "/" + name, sep=sep, index=False, line_terminator=ends, quoting=quoting, encoding=encoding, compression="gzip" if gz else None)
    rows = [[columns[c][at] for c in pair] for at in range(3)]
    expected[name] = rows
    number += 1
    if sep == ",":
      for orient, lines in (("records", False), ("records", True)):
        name = "%d.%s" % (number, "json" if number % 2 else "jsonl")
        frame.to_json(root + "/" + name, orient=orient, lines=lines, double_precision=15)
        if "float" not in pair: expected[name] = rows
        number += 1
print(json.dumps(expected))
`;

const ISO = (value: unknown) =>
  typeof value !== "string"
    ? value
    : value
        .replace(/^(\d{4}-\d\d-\d\d)$/, "$1T00:00:00.000Z")
        .replace(/^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)$/, "$1T$2.000Z");

/** One pair of columns in so many. */
const STEP = LONG ? 1 : FULL ? 3 : 20;

it.skipIf(PYTHON === undefined)("files of pandas have the values that pandas had", async () => {
  const script = join(root, "write.py");
  writeFileSync(script, WRITE);
  const said = execFileSync(PYTHON as string, [script, root, String(STEP)], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
  const text = said.replaceAll("9007199254740993", '"9007199254740993"');
  const expected = JSON.parse(text) as Record<string, unknown[][]>;
  expect(Object.keys(expected).length).toBeGreaterThan(150 / STEP);
  for (const [name, rows] of Object.entries(expected))
    expect(await read(join(root, name)), name).toEqual(rows.map((row) => row.map(ISO)));
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

  it("have dotted columns for structs", async () => {
    const path = join(root, "nested.parquet");
    await duck.run(`copy (select {'a': 1, 'b': {'c': 'x'}} as s) to '${path}' (format parquet)`);
    expect(toRecords(await readFrame(path))).toEqual([{ "s.a": 1, "s.b.c": "x" }]);
  });
});

it("Parquet files of hyparquet have the values that hyparquet reads", async () => {
  const path = join(root, "hyparquet.parquet");
  const value = fc.option(
    fc.record({
      n: fc.integer(),
      x: fc.double({ noNaN: true }),
      t: fc.string(),
      b: fc.boolean(),
      d: fc.date({ noInvalidDate: true, min: new Date(0), max: new Date("2200-01-01") }),
    }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(value, { minLength: 1, maxLength: 5 }), async (rows) => {
      const column = <T extends "n" | "x" | "t" | "b" | "d">(name: T, type: BasicType) => {
        return { name, type, data: rows.map((row) => row?.[name] ?? null) };
      };
      const columnData = [
        column("n", "INT32"),
        column("x", "DOUBLE"),
        column("t", "STRING"),
        column("b", "BOOLEAN"),
        column("d", "TIMESTAMP"),
      ];
      writeFileSync(path, Buffer.from(parquetWriteBuffer({ columnData })));
      const theirs = await parquetReadObjects({ file: await asyncBufferFromFile(path) });
      expect(await read(path)).toEqual(theirs.map((row) => Object.values(row).map((cell) => plain(cell ?? null))));
    }),
    { numRuns: runs(40) },
  );
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
    await expect(readFrame(write("wrong.csv", text))).rejects.toThrow(message);
    await expect(readFrame(join(root, "wrong.csv"))).rejects.toBeInstanceOf(ArchiveError);
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
    ...["a\nb", "a\r\nb", "a\rb"].flatMap((name) =>
      ["\n", "\r\n", "\r"].map((end): [string, string, unknown[][]] => [
        `names with ${JSON.stringify(name)}, and ${JSON.stringify(end)} at line ends`,
        `"${name}",c${end}1,"x\ny"${end}2,z${end}`,
        [
          [1, "x\ny"],
          [2, "z"],
        ],
      ]),
    ),
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
    ["leading zeros", "zip\n02139\n", [["02139"]]],
    [
      "booleans of pandas",
      "a,b\nTrue,1\nFalse,2\n",
      [
        [true, 1],
        [false, 2],
      ],
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

  it.each<[string, string]>([
    ["lines.json", '{"a": 1}\r\n\r\n{"a": 2}\n'],
    ["list.jsonl", '[{"a": 1},\n{"a": 2}]'],
    ["marked.json", '\ufeff[{"a": 1}, {"a": 2}]'],
  ])("%s is read", async (name, text) => {
    expect(await read(write(name, text))).toEqual([[1], [2]]);
  });

  it.each<[string, string, RegExp]>([
    ["empty.json", " \n", /empty\.json cannot be read: it is empty/],
    ["deep.json", "[".repeat(5000) + "]".repeat(5000), /deep\.json cannot be read: it contains no rows/],
  ])("%s is refused as a file", async (name, text, message) => {
    const error = await readFrame(write(name, text)).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ArchiveError);
    expect(String(error)).toMatch(message);
  });

  it.each(["[]", "{}"])("of the JSON %s has no columns", async (text) => {
    expect((await readFrame(write("none.json", text))).shape).toEqual({ height: 0, width: 0 });
  });

  it("of JSON Lines that is cut off is refused", async () => {
    await expect(readFrame(write("cut.jsonl", '{"a": 1}\n{"a": '))).rejects.toThrow(/it is not JSON/);
  });
});

describe("more columns than DuckDB is given at once", () => {
  const numbers = Array.from({ length: 2100 }, (_, at) => at);
  // As one text: thousands of objects of polars take longer than the tests.
  const rows = [
    numbers.map((at) => `k${at}`),
    numbers.map((at) => (at % 3 ? at : "a")),
    numbers.map((at) => (at % 3 ? 2 : "")),
  ];
  const wide = pl.readCSV(rows.join("\n"));

  it.each(sampled(["parquet", "csv", "json"]))("are read from %s", async (format) => {
    const found = await readFrame(await saveFrame(wide, join(root, `wide.${format}`), { dataPackage: false }));
    expect(found.columns).toEqual(wide.columns);
    expect(found.height).toBe(2);
  });
});

it("Arrow files of others are refused, with what to do", async () => {
  const path = join(root, "stranger.arrow");
  writeFileSync(path, pl.DataFrame({ a: [1, 2] }).writeIPC());
  await expect(readFrame(path)).rejects.toThrow(/stranger.arrow cannot be read: .* Save it as Parquet\.$/);
});

const damageable = pl.DataFrame({
  id: Array.from({ length: 500 }, (_, at) => at),
  text: Array(500).fill("climate"),
  t: Array(500).fill(new Date(0)),
  list: Array(500).fill([1, 2]),
});

it.each<[string, Buffer]>([["parquet", damageable.writeParquet({ compression: "zstd" })]])(
  "a damaged file of %s is read or refused",
  async (extension, whole) => {
    const change = fc.tuple(fc.nat(), fc.uint8Array({ minLength: 1, maxLength: 8 }), fc.boolean());
    const damaged = join(root, `damaged.${extension}`);
    await fc.assert(
      fc.asyncProperty(change, fc.boolean(), async ([at, bytes, atEnd], isCut) => {
        const copy = Buffer.from(whole);
        const place = atEnd ? whole.length - 1 - (at % 2000) : at % Math.min(whole.length, 2000);
        copy.set(bytes.subarray(0, whole.length - Math.max(0, place)), Math.max(0, place));
        writeFileSync(damaged, isCut ? copy.subarray(0, at % copy.length) : copy);
        await readFrame(damaged).then(
          (frame) => expect(frame.width).toBeGreaterThanOrEqual(0),
          (error) => expect(error).toBeInstanceOf(ArchiveError),
        );
      }),
      { numRuns: runs(40, 2500) },
    );
  },
);

const BOMBS: ReadonlyArray<readonly [string, () => Promise<Buffer>]> = [
  ["parquet", () => duckFile("select list_transform(range(100000), x -> 7::bigint) as a from range(400)")],
  ["parquet", () => duckFile("select 1::bigint as a, 2::bigint as b from range(20_000_000)")],
];

it.each(sampled(BOMBS))("a %s file that is far larger in memory is refused", async (extension, content) => {
  const path = join(root, `bomb.${extension}`);
  writeFileSync(path, await content());
  const error = await readFrame(path).catch(String);
  expect(error).toMatch(/bomb\.\w+ cannot be read: it is far larger when decompressed/);
});

async function duckFile(query: string): Promise<Buffer> {
  const path = join(root, "duck.parquet");
  await duck.run(`copy (${query}) to '${path}' (format parquet, compression zstd)`);
  return readFileSync(path);
}

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
