import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";
import { writeXlsx } from "../../src/files/writers/xlsx.js";
import type { Frames } from "../../src/frames/frameBatches.js";
import { type PolarsFrame, pl } from "../../src/index.js";
import { runs } from "../scale.js";
import { hasPython, python } from "./python.js";
import { temporaryFolder } from "./temporary.js";
import { integers } from "./written.js";

/** A cell as openpyxl has it: its type (s, n, b, d), the value as text (null for none), the number format, bold or not. */
type ReadCell = [type: string, value: string | null, format: string, bold: boolean];

interface ReadSheet {
  name: string;
  rows: ReadCell[][];
  freeze: string | null;
  filter: string | null;
  widths: Record<string, number>;
}

/** Reads workbooks with openpyxl. It leaves `_x0001_` as it is, which Excel takes for a character: that is done here. */
const READ = `
import datetime, json, openpyxl, re, sys
def text(cell):
    value = cell.value
    if isinstance(value, datetime.datetime): return value.isoformat()
    if isinstance(value, str): return re.sub("_x([0-9A-Fa-f]{4})_", lambda found: chr(int(found[1], 16)), value)
    return None if value is None else repr(value)
def sheet(s):
    return {
        "name": s.title, "freeze": s.freeze_panes if s.sheet_view.pane.state == "frozen" else None, "filter": s.auto_filter.ref,
        "widths": {letters: column.width for letters, column in s.column_dimensions.items()},
        "rows": [[[c.data_type, text(c), c.number_format, bool(c.font.b)] for c in row] for row in s.iter_rows()],
    }
print(json.dumps([[sheet(s) for s in openpyxl.load_workbook(path).worksheets] for path in sys.argv[1:]]))
`;

const folder = temporaryFolder();
let files = 0;

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

async function write(frames: Frames, limits?: { readonly rows: number; readonly columns: number }): Promise<string> {
  const path = join(folder, `${++files}.xlsx`);
  await writeXlsx(frames, { path, name: "mentions", scratch: folder }, limits);
  return path;
}

async function readAll(paths: string[]): Promise<ReadSheet[][]> {
  return (await python(READ, ...paths)) as ReadSheet[][];
}

async function sheetOf(frames: Frames): Promise<ReadSheet> {
  const [[sheet] = []] = await readAll([await write(frames)]);
  return sheet as ReadSheet;
}

/** The cells below the header, column by column, each as `type value`. */
async function columnsOf(frame: PolarsFrame): Promise<(string | null)[][]> {
  const rows = (await sheetOf([frame])).rows.slice(1);
  return frame.columns.map((_, column) => rows.map((row) => shown(row[column])));
}

function shown(cell: ReadCell | undefined): string | null {
  return cell === undefined || cell[1] === null ? null : `${cell[0]} ${cell[1]}`;
}

/** A number as JavaScript writes it. */
function numeric(cell: string | null): string | null {
  return cell?.startsWith("n ") ? `n ${Number(cell.slice(2))}` : cell;
}

/** A frame of one column of text. */
function texts(values: (string | null)[], name = "text"): PolarsFrame {
  return pl.DataFrame([pl.Series(name, values, pl.Utf8)]);
}

describe.skipIf(!hasPython)("cells", () => {
  it("white space at the ends is marked for readers that would strip it", async () => {
    const values = ["a b", " a", "a\n", "\u00a0a", ""];
    const xml = await python(
      "import json, sys, zipfile; print(json.dumps(zipfile.ZipFile(sys.argv[1]).read('xl/worksheets/sheet1.xml').decode()))",
      await write([texts(values)]),
    );
    const cells = [...String(xml).matchAll(/<t( xml:space="preserve")?>([^<]*)</g)].slice(1);
    expect(cells.map(([, mark, text]) => [text, mark !== undefined])).toEqual(
      values.map((text) => [text, /^\s|\s$/.test(text)]),
    );
  });

  it("any frame reads back equal as text", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyColumns, { minLength: 10, maxLength: 20 }), async (cases) => {
        const frames = cases.map((columns) => pl.DataFrame(columns.map(({ series }) => series)));
        const paths: string[] = [];
        for (const frame of frames) paths.push(await write([frame]));
        const read = await readAll(paths);
        cases.forEach((columns, at) => {
          const rows = read[at]?.[0]?.rows ?? [];
          const seen = columns.map((_, column) => rows.map((row) => numeric(shown(row[column]))));
          // polars itself gives a column without a name one.
          const names = frames[at]?.columns ?? [];
          expect(seen).toEqual(columns.map(({ expected }, column) => [`s ${names[column]}`, ...expected].map(numeric)));
        });
      }),
      { numRuns: runs(5) },
    );
  });
});

describe.skipIf(!hasPython)("the sheet", () => {
  const rows = (from: number, to: number) => texts(Array.from({ length: to - from }, (_, at) => `row ${from + at}`));

  it("has a bold, frozen header with a filter, and columns as wide as their type and name", async () => {
    const at = integers("moment", [0n, 0n]).cast(pl.Datetime("ms", "UTC"));
    const day = integers("a day with a long name", [0n, 0n]).cast(pl.Int32).cast(pl.Date);
    const sheet = await sheetOf([pl.DataFrame([at, day, pl.Series("text", ["1", null], pl.Utf8)])]);
    expect([sheet.name, sheet.freeze, sheet.filter]).toEqual(["mentions", "A2", "A1:C3"]);
    expect(sheet.widths).toEqual({ A: 20, B: 25, C: 30 });
    expect(sheet.rows.map((row) => row.map(([, , , bold]) => bold))).toEqual([
      [true, true, true],
      [false, false, false],
      [false, false, false],
    ]);
    const formats = sheet.rows[1]?.map(([, , format]) => format);
    expect(formats).toEqual(["yyyy-mm-dd hh:mm:ss", "yyyy-mm-dd", "General"]);
  });

  it("contains the rows of all frames in order, rows without values too", async () => {
    const sheet = await sheetOf([rows(0, 3), rows(3, 3), texts([null, null]), rows(3, 5)]);
    const seen = sheet.rows.map(([cell]) => cell?.[1] ?? "");
    expect(seen).toEqual("text,row 0,row 1,row 2,,,row 3,row 4".split(","));
    expect((await sheetOf([texts([null, null])])).rows).toHaveLength(3);
  });

  it("has no more rows and columns than Excel", async () => {
    const frame = pl.DataFrame({ a: [1, 2], b: [2, 3] });
    await write([frame], { rows: 3, columns: 2 });
    const wide = write([frame], { rows: 3, columns: 1 });
    await expect(wide).rejects.toMatchObject({ name: "ArchiveError", code: "TOO_LARGE_FOR_XLSX" });
    const long = write([frame.head(1), frame], { rows: 3, columns: 2 });
    await expect(long).rejects.toThrow("they have 3 rows or more, but a sheet has at most 2");
  });
});

describe.skipIf(!hasPython)("text beyond a cell", () => {
  it("is cut between characters, and a warning counts the cells", async () => {
    const warn = vi.spyOn(process, "emitWarning").mockReturnValue();
    const fits = "x".repeat(32_767);
    const pair = `${"y".repeat(32_766)}😀`;
    const frame = pl.DataFrame([
      pl.Series("text", [fits, `${fits}x`, pair], pl.Utf8),
      pl.Series("other", [null, null, `${fits}${fits}`], pl.Utf8),
    ]);
    expect(await columnsOf(frame)).toEqual([
      [fits, fits, "y".repeat(32_766)].map((text) => `s ${text}`),
      [null, null, `s ${fits}`],
    ]);
    expect(warn).toHaveBeenCalledOnce();
    const [message, options] = warn.mock.calls[0] as unknown as [string, object];
    expect(options).toEqual({ type: "ArchiveFramesWarning", code: "CELLS_CUT" });
    expect(message).toContain('2 in "text", 1 in "other"');
    expect(message).toMatch(/32,767.*CSV.*Parquet/);
  });
});

describe.skipIf(!hasPython)("the file", () => {
  it("has the same bytes for the same rows, at any time, in any time zone, for any split", async () => {
    const all = texts(Array.from({ length: 3000 }, (_, at) => `row ${at} `.repeat(10)));
    const first = await write([all]);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(2031, 5, 6, 7) });
    vi.stubEnv("TZ", "Pacific/Auckland");
    const second = await write([all.slice(0, 1), all.slice(1, 1700), all.slice(1701, 1299)]);
    vi.unstubAllEnvs();
    expect(readFileSync(second).equals(readFileSync(first))).toBe(true);
  });
});

const HOSTILE = ["_x0041_", "_", "x0041", "\r", "\n", "\0", "\b", "&", "<", "]]>", '"', "=", " ", "\u{1f600}"];
const anyText = fc.string({ unit: fc.oneof(fc.constantFrom(...HOSTILE), fc.string({ unit: "binary", maxLength: 1 })) });
const wholeText = (text: string) => text.replace(/[\ufffe\uffff]/g, "\ufffd").replace(/\r\n?/g, "\n");

/** A column of some kind, and what `columnsOf` gives for it. */
interface AnyColumn {
  name: string;
  series: pl.Series;
  expected: (string | null)[];
}

/** Columns of `height` values of a kind, some of them null. */
function anyColumn<T>(of: fc.Arbitrary<T>, dtype: Parameters<pl.Series["cast"]>[0], show: (value: T) => string | null) {
  return (height: number): fc.Arbitrary<AnyColumn> => {
    const values = fc.array(fc.option(of, { freq: 5 }), { minLength: height, maxLength: height });
    return fc.tuple(anyText.map(wholeText), values).map(([name, list]) => ({
      name,
      series: list.some((value) => typeof value === "bigint")
        ? integers(name, list as (bigint | null)[]).cast(dtype)
        : pl.Series(name, list, dtype),
      expected: list.map((value) => (value === null ? null : show(value))),
    }));
  };
}

const anyInteger = fc.oneof(
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  fc.bigInt({ min: -1000n, max: 1000n }),
);
const anyTime = fc.bigInt({ min: BigInt(Date.UTC(1890, 0, 1)), max: BigInt(Date.UTC(10_000, 6, 1)) });
const anyDay = anyTime.map((time) => time / 86_400_000n);
const ANY_COLUMNS = [
  anyColumn(anyText, pl.Utf8, (text) => `s ${wholeText(text)}`),
  anyColumn(anyInteger, pl.Int64, (value) => `${String(value).replace("-", "").length > 15 ? "s" : "n"} ${value}`),
  anyColumn(fc.double(), pl.Float64, (value) =>
    Number.isNaN(value) ? null : `${Number.isFinite(value) ? "n" : "s"} ${value}`,
  ),
  anyColumn(fc.boolean(), pl.Bool, (value) => (value ? "b True" : "b False")),
  anyColumn(anyTime, pl.Datetime("ms", "UTC"), (time) => shownTime(time, (iso) => iso)),
  anyColumn(anyTime, pl.Datetime("ms"), (time) => shownTime(time, (iso) => iso.replace("Z", ""))),
  anyColumn(anyDay, pl.Date, (day) => shownTime(day * 86_400_000n, (iso) => iso.replace(/T.*/, ""))),
];

/** A time as a date of Excel; as text, worded like its column, outside of the years that Excel has. */
function shownTime(time: bigint, worded: (iso: string) => string): string {
  const iso = new Date(Number(time)).toISOString();
  const isExcels = time >= Date.UTC(1900, 2, 1) && time < Date.UTC(10_000, 0, 1);
  return isExcels ? `d ${iso.replace("Z", "000").replace(".000000", "")}` : `s ${worded(iso.replace(".000Z", "Z"))}`;
}

/** The columns of a frame, all of one height. */
const anyColumns = fc.nat(12).chain((height) =>
  fc.uniqueArray(fc.oneof(...ANY_COLUMNS.map((column) => column(height))), {
    minLength: 1,
    maxLength: 6,
    selector: ({ name }) => name,
  }),
);
