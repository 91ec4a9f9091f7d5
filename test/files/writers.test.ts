import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type PolarsFrame, pl } from "../../src/frames/polars.js";
import { runs } from "../scale.js";
import { hasPython, python } from "./python.js";
import { temporaryFolder } from "./temporary.js";
import { cut, duck, frameOf, integers, readers, written } from "./written.js";

const root = temporaryFolder();
const FORMATS = ["csv", "jsonl", "json", "parquet", "arrow"] as const;
type Format = (typeof FORMATS)[number];

const write = (format: Format, ...frames: PolarsFrame[]) => written(root, format, frames);
const bytes = async (format: Format, ...frames: PolarsFrame[]) => readFileSync(await write(format, ...frames));
const text = async (format: Format, ...frames: PolarsFrame[]) => String(await bytes(format, ...frames));
const texts = (name: string, values: ReadonlyArray<string | null>) => pl.Series(name, [...values], pl.Utf8);
/** Parses CSV by RFC 4180. */
function fields(csv: string): string[][] {
  const lines = [...csv.matchAll(/(?:"(?:[^"]|"")*"|[^",\r\n])*(?:,(?:"(?:[^"]|"")*"|[^",\r\n])*)*\r\n/g)].map(
    ([line]) => line,
  );
  const cells = (line: string) => [...line.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(?:,|\r\n$)/g)];
  return lines.map((line) => cells(line).map(([, inQuotes, plain]) => inQuotes?.replaceAll('""', '"') ?? plain ?? ""));
}

const csvTexts = (frame: PolarsFrame, look = {}) =>
  written(root, "csv", [frame], look).then((path) => String(readFileSync(path)));

/** Every type of column, with missing values. */
function everyType(): PolarsFrame {
  const declared = { text: "", int: "", float: 0.5, bool: true, utc: "", naive: "", date: "", texts: [""], ints: [1] };
  const rows = [
    { ...declared, struct: { a: 1, b: [""] } },
    {
      text: 'a "quoted", \\text\r\n\u2028\u{1F600}',
      int: "9007199254740993",
      float: 1e300,
      bool: true,
      utc: "2024-04-27T02:35:35Z",
      naive: "2024-04-27T02:35:35.5Z",
      date: "2024-04-27",
      texts: ["a", null, ""],
      ints: [],
      struct: { a: 1, b: ["y"] },
    },
    { text: "", int: "-1", float: 5, bool: false, texts: [], ints: [1, null, -3] },
    { text: null, utc: "1969-12-31T23:59:59.999Z", struct: { a: null, b: null } },
  ];
  const frame = frameOf(rows, ["utc", "naive"]);
  return frame.withColumns(
    frame.getColumn("int").cast(pl.Int64),
    frame.getColumn("naive").cast(pl.Datetime("us")),
    frame.getColumn("date").str.strptime(pl.Date, "%Y-%m-%d").rename("date"),
    frame.getColumn("ints").cast(pl.List(pl.Int64)),
    pl.Series("late", [Number.NaN, Number.POSITIVE_INFINITY, null], pl.Float64),
  );
}

function expectEqual(back: PolarsFrame, frame: PolarsFrame): void {
  expect(back.columns).toEqual(frame.columns);
  expect(back.dtypes.map(String)).toEqual(frame.dtypes.map(String));
  expect(back.frameEqual(frame, true)).toBe(true);
}

describe.each(["parquet", "arrow"] as const)("%s", (format) => {
  const read = readers[format];

  it("keeps the order of rows, and gives the same bytes for any split", async () => {
    const ids = [...Array(200_000).keys()];
    const text = ids.map((id) => (id % 3 > 0 ? String(id) : null));
    const list = ids.map((id) => (id % 5 > 0 ? [id] : null));
    // How polars encodes lists in Parquet depends on the files that they come from.
    const frame = pl.DataFrame({ id: ids, text, ...(format === "arrow" && { list }) });
    const whole = await bytes(format, frame);
    expect(read(whole).frameEqual(frame, true)).toBe(true);
    expect((await bytes(format, frame)).equals(whole)).toBe(true);
    expect((await bytes(format, ...cut(frame, 1, 16_385, 40_000, 40_000, 69_999))).equals(whole)).toBe(true);
  });

  it("accepts a directory whose name is a pattern, or a value of a column", async () => {
    const frame = pl.DataFrame({ id: Array.from({ length: 40_000 }, (_, at) => at), a: Array(40_000).fill("mine") });
    for (const name of ["a=1", "[x]", "st*r", "q?", "pc%20t", "{b}"]) {
      const path = await written(join(root, format, name), format, [frame]);
      expect(read(readFileSync(path)).frameEqual(frame), name).toBe(true);
    }
  });
});

it("parquet is compressed, in groups of 32,767 rows, with statistics", async () => {
  const path = await write("parquet", pl.DataFrame([pl.Series("id", [...Array(70_000).keys()], pl.Int64)]));
  const { rows } = await duck(
    `select row_group_num_rows, compression, stats_min_value, stats_max_value from parquet_metadata('${path}')`,
  );
  expect(rows).toEqual([
    ["32767", "ZSTD", "0", "32766"],
    ["32767", "ZSTD", "32767", "65533"],
    ["4466", "ZSTD", "65534", "69999"],
  ]);
});

it("arrow is not compressed", async () => {
  const word = "not compressed ".repeat(20);
  expect((await bytes("arrow", pl.DataFrame([texts("text", [word])]))).includes(word)).toBe(true);
});

describe("csv", () => {
  it("follows RFC 4180: a header, CR LF, timestamps as ISO 8601, nested values as JSON", async () => {
    const lines = [
      "text,int,float,bool,utc,naive,date,texts,ints,struct,late",
      '"a ""quoted"", \\text\r\n\u2028\u{1F600}",9007199254740993,1e+300,true,2024-04-27T02:35:35Z,' +
        '2024-04-27T02:35:35.500,2024-04-27,"[""a"",null,""""]",[],"{""a"":1,""b"":[""y""]}",NaN',
      '"",-1,5.0,false,,,,[],"[1,null,-3]",,inf',
      ',,,,1969-12-31T23:59:59.999Z,,,,,"{""a"":null,""b"":null}",',
    ];
    expect(await text("csv", everyType())).toBe(lines.map((line) => `${line}\r\n`).join(""));
  });

  it("has a blank line for a missing value in a single column only among texts", async () => {
    expect(await text("csv", pl.DataFrame([texts("a", ["x", null, ""])]))).toBe('a\r\nx\r\n\r\n""\r\n');
    const number = pl.DataFrame([pl.Series("a", [1, null], pl.Int64)]);
    expect(await text("csv", number)).toBe('a\r\n1\r\n""\r\n');
  });

  it("is safe for spreadsheets with excelSafe: true, which changes only text and names", async () => {
    const frame = pl.DataFrame([texts("=a", ["=1", " @x", "a=b", "", null]), integers("n", Array(5).fill(-1n))]);
    expect(await csvTexts(frame, { excelSafe: true })).toBe(`'=a,n\r\n'=1,-1\r\n '@x,-1\r\na=b,-1\r\n"",-1\r\n,-1\r\n`);
    expect(await csvTexts(frame)).toContain("\r\n=1,-1\r\n");
  });

  /** What attacks with formulas are made of: signs, what is dropped in front of them, what readers split at. */
  const ATTACKS = [..."=+-@＝＋－＠﹣⁼1a'\",;|", "cmd|' /C calc'!A0"];
  const HIDING = [..." \t\r\n\0\x01\x0b\x7f\x85\u00a0\u200b\u2028\ufeff", "\r\n"];
  const attack = fc.array(fc.constantFrom(...ATTACKS, ...HIDING), { maxLength: 8 }).map((parts) => parts.join(""));
  const isFormula = (cell: string) => /^[=+\-@]/.test(cell.normalize("NFKC").replace(/^[\s\p{Cc}\p{Cf}"]+/u, ""));

  it("is safe for spreadsheets wherever a reader splits, for any text", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(attack, { minLength: 2, maxLength: 6 }), async (cells) => {
        const [name = "", ...values] = cells;
        const file = await csvTexts(pl.DataFrame([texts(name, values), texts(`${name}2`, values)]), {
          excelSafe: true,
        });
        for (const piece of file.split(/[;\p{Cc}\u2028]/u)) expect(isFormula(piece), file).toBe(false);
        const lines = fields(file);
        for (const line of lines) for (const cell of line) expect(isFormula(cell), file).toBe(false);
        // Names are escaped as values are.
        const first = values.find((value) => value !== "") ?? "a";
        const named = fields(
          await csvTexts(pl.DataFrame([texts(first, [first]), texts("x", [""])]), { excelSafe: true }),
        );
        expect(named[0]?.[0]).toBe(named[1]?.[0]);
      }),
      { numRuns: runs(8, 160) },
    );
  });

  it("has other types as text: durations, times, categories, timestamps with time zones", async () => {
    const micros = pl.DataFrame([texts("c", ["3723500000"])]).select(pl.col("c").cast(pl.Int64));
    const frame = micros.select(
      pl.col("c").cast(pl.Duration("us")).alias("a"),
      pl.col("c").mul(pl.lit(1000)).cast(pl.Int64).cast(pl.Time).alias("b"),
      pl.lit("=x").cast(pl.Categorical).alias("c"),
      pl.col("c").alias("d").cast(pl.Datetime("us", "UTC")).date.convertTimeZone("America/New_York"),
    );
    expect(await csvTexts(frame, { excelSafe: true })).toBe(
      "a,b,c,d\r\nPT3723.5S,01:02:03.500,'=x,1970-01-01T01:02:03.500Z\r\n",
    );
  });

  /** What breaks readers of CSV; NUL is apart, since pandas ends a text there. */
  const NASTY = ' lead¦trail ¦a\rb¦a\nb¦\r\n¦"¦""¦a,b¦é\u{1F600}¦\t¦\'¦#¦NULL¦\u2028'.split("¦");

  it.skipIf(!hasPython)("reads back equal in Python, for any text", async () => {
    const part = fc.constantFrom(...NASTY, "", "x");
    const cells = [
      ...NASTY,
      "",
      ...fc.sample(
        fc.array(part).map((parts) => parts.join("")),
        { numRuns: 300, seed: 7 },
      ),
    ];
    const rows = cells.map((cell, at) => [cell, cells[(at * 7) % cells.length]]);
    const frame = pl.DataFrame({ a: rows.map(([cell]) => cell), 'b "x",\r\n': rows.map(([, cell]) => cell) });
    const path = await write("csv", ...cut(frame, 1, 100));
    expect(
      await python(
        "import csv, json, sys; print(json.dumps(list(csv.reader(open(sys.argv[1], newline='', encoding='utf-8')))))",
        path,
      ),
    ).toEqual([frame.columns, ...rows]);
    const pandas =
      "import json, pandas, sys; d = pandas.read_csv(sys.argv[1], dtype=str, keep_default_na=False); " +
      "print(json.dumps([list(d.columns)] + d.values.tolist()))";
    expect(await python(pandas, path)).toEqual([frame.columns, ...rows]);
  });
});

describe("json", () => {
  const ROWS = [
    '{"text":"a \\"quoted\\", \\\\text\\r\\n\u2028\u{1F600}","int":9007199254740993,"float":1e+300,"bool":true,' +
      '"utc":"2024-04-27T02:35:35Z","naive":"2024-04-27T02:35:35.500","date":"2024-04-27","texts":["a",null,""],"ints":[],' +
      '"struct":{"a":1,"b":["y"]},"late":null}',
    '{"text":"","int":-1,"float":5.0,"bool":false,"utc":null,"naive":null,"date":null,"texts":[],"ints":[1,null,-3],' +
      '"struct":null,"late":null}',
    '{"text":null,"int":null,"float":null,"bool":null,"utc":"1969-12-31T23:59:59.999Z","naive":null,"date":null,' +
      '"texts":null,"ints":null,"struct":{"a":null,"b":null},"late":null}',
  ];

  it("lines are one object each", async () => {
    expect(await text("jsonl", ...cut(everyType(), 1, 1))).toBe(ROWS.map((row) => `${row}\n`).join(""));
  });

  it("an array has one row per line", async () => {
    expect(await text("json", ...cut(everyType(), 0, 1, 1, 3))).toBe(`[\n${ROWS.join(",\n")}\n]\n`);
    expect(await text("json", everyType().head(1))).toBe(`[\n${ROWS[0]}\n]\n`);
  });

  it("without rows is empty, or an empty array", async () => {
    expect(await text("jsonl", everyType().head(0))).toBe("");
    expect(await text("json", everyType().head(0), everyType().head(0))).toBe("[]\n");
  });
});

describe.each(FORMATS)("any frame as %s", (format) => {
  // That text formats have the right values is a law of conversions.test.ts and roundTrip.test.ts.
  it("has the same bytes for any split, and reads back equal", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyColumn, { minLength: 1, maxLength: 5 }),
        fc.array(fc.nat(30)),
        async (columns, at) => {
          const frame = pl.DataFrame(columns.map((series, i) => series.rename(`n${i}`)));
          const whole = await bytes(format, frame);
          const parts = await bytes(format, ...cut(frame, ...at));
          if (format === "parquet") expectEqual(readers[format](parts), frame);
          else expect(parts.equals(whole)).toBe(true);
          if (format === "parquet" || format === "arrow") expectEqual(readers[format](whole), frame);
        },
      ),
      { numRuns: runs(8, 160) },
    );
  });
});

const HEIGHT = 20;
const word = fc.string({ unit: fc.constantFrom("a", '"', ",", "\r", "\n", " ", "\\", "é", "\u{1F600}", "\0", "=") });
const some = <T>(arbitrary: fc.Arbitrary<T>) =>
  fc.array(fc.option(arbitrary, { freq: 4 }), { minLength: HEIGHT, maxLength: HEIGHT });
const milliseconds = { min: BigInt(Date.parse("0001-01-01")), max: BigInt(Date.parse("9999-12-31")) };
const anyColumn: fc.Arbitrary<pl.Series> = fc.oneof(
  some(word).map((values) => texts("x", values)),
  some(fc.bigInt({ min: -(2n ** 63n) + 1n, max: 2n ** 63n - 1n })).map((values) => integers("x", values)),
  some(fc.double()).map((values) => pl.Series("x", values, pl.Float64)),
  some(fc.boolean()).map((values) => pl.Series("x", values, pl.Bool)),
  some(fc.bigInt(milliseconds)).map((values) => integers("x", values).cast(pl.Datetime("ms", "UTC"))),
  some(fc.array(fc.option(word, { freq: 4 }), { maxLength: 3 })).map((values) =>
    frameOf([{ x: ["a"] }, ...values.map((x) => ({ x }))]).getColumn("x"),
  ),
);
