import { readFileSync } from "node:fs";
import fs from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";
import { LIMITS, type Limits, writeWorkbook, writeXlsx } from "../../src/files/writers/xlsx/workbook.js";
import type { Frames } from "../../src/frames/frameBatches.js";
import { type PolarsFrame, pl } from "../../src/index.js";
import { runs } from "../scale.js";
import { hasPython, python } from "./python.js";
import { temporaryFolder } from "./temporary.js";
import { integers, openFiles } from "./written.js";

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
  syncBuiltinESMExports();
  vi.useRealTimers();
});

async function write(frames: Frames, name = "mentions", limits: Partial<Limits> = {}): Promise<string> {
  const path = join(folder, `${++files}.xlsx`);
  await writeWorkbook([{ name, frames }], { path }, { ...LIMITS, ...limits });
  return path;
}

async function readAll(paths: string[]): Promise<ReadSheet[][]> {
  return (await python(READ, ...paths)) as ReadSheet[][];
}

async function sheetsOf(...args: Parameters<typeof write>): Promise<ReadSheet[]> {
  const [sheets = []] = await readAll([await write(...args)]);
  return sheets;
}

/** The cells below the header, column by column, each as `type value`. */
async function columnsOf(frame: PolarsFrame): Promise<(string | null)[][]> {
  const [sheet] = await sheetsOf([frame]);
  const rows = sheet?.rows.slice(1) ?? [];
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
  it("line breaks become LF, which no program shows as an escape", async () => {
    const path = await write([texts(["a\r\nb\rc\nd\r", "\r\n"])]);
    const read =
      "import json, openpyxl, sys; print(json.dumps([c.value for c in openpyxl.load_workbook(sys.argv[1]).active['A']]))";
    expect(((await python(read, path)) as string[]).slice(1)).toEqual(["a\nb\nc\nd\n", "\n"]);
    // A text that is too long only because of its CRs is not cut.
    const long = `${"x\r\n".repeat(16_000)}x`;
    const [cells] = await columnsOf(texts([long]));
    expect(cells).toEqual([`s ${long.replaceAll("\r\n", "\n")}`]);
  });

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

  it("timestamps and dates are those of Excel, with milliseconds; others become text", async () => {
    const moments = [
      "1900-03-01T00:00:00Z",
      "2024-04-27T02:35:35.123Z",
      "9999-12-31T23:59:59.999Z",
      "1900-02-28T23:59:59.5Z",
    ];
    const times = [...moments, "1850-01-01T00:00:00Z", "+010000-01-01T00:00:00Z"].map((text) =>
      BigInt(Date.parse(text)),
    );
    const milliseconds = integers("ms", [...times, null]);
    const micro = integers("us", [...times.map((time) => time * 1000n), null]);
    const days = integers("days", [...times.map((time) => BigInt(Math.floor(Number(time) / 86_400_000))), null]);
    const frame = pl.DataFrame([
      milliseconds.cast(pl.Datetime("ms", "UTC")),
      micro.cast(pl.Datetime("us")),
      days.cast(pl.Int32).cast(pl.Date),
    ]);
    const [utc, naive, dates] = await columnsOf(frame);
    const kept = ["d 1900-03-01T00:00:00", "d 2024-04-27T02:35:35.123000", "d 9999-12-31T23:59:59.999000"];
    const old = ["1900-02-28T23:59:59.500", "1850-01-01T00:00:00", "+010000-01-01T00:00:00"];
    expect(utc).toEqual([...kept, ...old.map((text) => `s ${text}Z`), null]);
    expect(naive).toEqual([...kept, ...old.map((text) => `s ${text}`), null]);
    expect(dates?.slice(0, 3)).toEqual(["d 1900-03-01T00:00:00", "d 2024-04-27T00:00:00", "d 9999-12-31T00:00:00"]);
    expect(dates?.slice(3)).toEqual(["s 1900-02-28", "s 1850-01-01", "s +010000-01-01", null]);
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

describe.skipIf(!hasPython)("sheets", () => {
  const rows = (from: number, to: number) => texts(Array.from({ length: to - from }, (_, at) => `row ${from + at}`));

  it("have a bold, frozen header with a filter, and columns as wide as their content", async () => {
    const frame = pl.DataFrame({ id: ["1", "2"], text: ["x".repeat(300), null], middling: ["y".repeat(20), null] });
    const [sheet] = await sheetsOf([frame]);
    expect(sheet?.freeze).toBe("A2");
    expect(sheet?.filter).toBe("A1:C3");
    expect(sheet?.widths).toEqual({ A: 8, B: 60, C: 21 });
    expect(sheet?.rows.map((row) => row.map(([, , , bold]) => bold))).toEqual([
      [true, true, true],
      [false, false, false],
      [false, false, false],
    ]);
  });

  it("show timestamps to the second and dates without time", async () => {
    const at = integers("moment", [0n]).cast(pl.Datetime("ms", "UTC"));
    const day = integers("day", [0n]).cast(pl.Int32).cast(pl.Date);
    const [sheet] = await sheetsOf([pl.DataFrame([at, day])]);
    expect(sheet?.rows[1]?.map(([, , format]) => format)).toEqual(["yyyy-mm-dd hh:mm:ss", "yyyy-mm-dd"]);
    expect(sheet?.widths).toEqual({ A: 20, B: 11 });
  });

  it("contain the rows of all frames in order, rows without values too", async () => {
    const [sheet] = await sheetsOf([rows(0, 3), rows(3, 3), texts([null, null]), rows(3, 5)]);
    const seen = sheet?.rows.map(([cell]) => cell?.[1] ?? "");
    expect(seen).toEqual("text,row 0,row 1,row 2,,,row 3,row 4".split(","));
    const [last] = await sheetsOf([texts([null, null])]);
    expect(last?.rows).toHaveLength(3);
  });

  it("continue on further sheets when one is full", async () => {
    const sheets = await sheetsOf([rows(0, 4), rows(4, 7)], "mentions", { rows: 4 });
    expect(sheets.map(({ name }) => name)).toEqual(["mentions", "mentions 2", "mentions 3"]);
    expect(sheets.map(({ filter }) => filter)).toEqual(["A1:A4", "A1:A4", "A1:A2"]);
    expect(sheets.map((sheet) => sheet.rows.map(([cell]) => cell?.[1]))).toEqual([
      ["text", "row 0", "row 1", "row 2"],
      ["text", "row 3", "row 4", "row 5"],
      ["text", "row 6"],
    ]);
    for (const { freeze, widths, rows: read } of sheets) {
      expect([freeze, widths, read[0]?.[0]?.[3], read[1]?.[0]?.[3]]).toEqual(["A2", { A: 8 }, true, false]);
    }
  });

  it("continue on further sheets at the size limit of Excel", async () => {
    const frame = texts(Array.from({ length: 100 }, (_, at) => `${at}`.repeat(1000)));
    const sheets = await sheetsOf([frame], "mentions", { bytes: 1e5 });
    expect(sheets.length).toBeGreaterThan(1);
    const read = sheets.flatMap((sheet) => sheet.rows.slice(1).map(([cell]) => cell?.[1]));
    expect(read).toEqual(frame.getColumn("text").toArray());
  });

  it("reject more columns than Excel has", async () => {
    const frame = pl.DataFrame({ a: [1], b: [2], c: [3] });
    const error = await write([frame], "mentions", { columns: 2 }).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ name: "ArchiveError", code: "TOO_LARGE_FOR_XLSX" });
    expect(String(error)).toContain("they have 3 columns, but a sheet has at most 2");
    expect(await sheetsOf([frame], "mentions", { columns: 3 })).toHaveLength(1);
  });
});

describe.skipIf(!hasPython)("text beyond a cell", () => {
  it("is cut between characters, and a warning counts the cells", async () => {
    const warn = vi.spyOn(process, "emitWarning").mockReturnValue();
    const fits = "x".repeat(32_767);
    const pair = `${"y".repeat(32_766)}😀`;
    const list = JSON.stringify(["z".repeat(40_000)]);
    const frame = pl.DataFrame([
      pl.Series("text", [fits, `${fits}x`, pair], pl.Utf8),
      pl.Series("other", [null, null, `${fits}${fits}`], pl.Utf8),
      pl.readJSON(Buffer.from(`{"l":${list}}\n{"l":[]}\n{"l":[]}`), { format: "lines" }).getColumn("l"),
    ]);
    const columns = await columnsOf(frame);
    expect(columns).toEqual([
      [fits, fits, "y".repeat(32_766)].map((text) => `s ${text}`),
      [null, null, `s ${fits}`],
      [`s ${list.slice(0, 32_767)}`, "s []", "s []"],
    ]);
    expect(warn).toHaveBeenCalledOnce();
    const [message, options] = warn.mock.calls[0] as unknown as [string, object];
    expect(options).toEqual({ type: "ArchiveFramesWarning", code: "CELLS_CUT" });
    expect(message).toContain('1 in "l", 2 in "text", 1 in "other"');
    expect(message).toMatch(/32,767.*CSV.*Parquet/);
  });
});

describe.skipIf(!hasPython)("the file", () => {
  const random = () => texts(Array.from({ length: 2000 }, () => Array.from({ length: 500 }, randomChar).join("")));
  const randomChar = () => String.fromCharCode(0x4e00 + Math.floor(Math.random() * 20_000));

  const full = Object.assign(new Error("no space left on device"), { code: "ENOSPC" });

  it("has the same bytes for the same rows, at any time, in any time zone, for any split", async () => {
    const all = texts(Array.from({ length: 3000 }, (_, at) => `row ${at} `.repeat(10)));
    const first = await write([all]);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(2031, 5, 6, 7) });
    vi.stubEnv("TZ", "Pacific/Auckland");
    const second = await write([all.slice(0, 1), all.slice(1, 1700), all.slice(1701, 1299)]);
    vi.unstubAllEnvs();
    expect(readFileSync(second).equals(readFileSync(first))).toBe(true);
  });

  it("is closed at the end and after a failure, whatever was written", async () => {
    const stopped = new Error("stopped");
    let opened = 0;
    async function* frames(failure?: Error) {
      yield random();
      yield random();
      opened += openFiles(folder).length;
      if (failure !== undefined) throw failure;
    }
    await write(frames());
    await expect(write(frames(stopped))).rejects.toBe(stopped);
    expect(opened).toBe(2);
    expect(openFiles(folder)).toEqual([]);
  });

  it("passes on an error of the file system, and does not hang", async () => {
    vi.spyOn(fs, "writeFile").mockImplementation(async (_path, chunks) => {
      for await (const _chunk of chunks as AsyncIterable<Buffer>) throw full;
    });
    // Whoever imports the function by name gets this one, too.
    syncBuiltinESMExports();
    let isReleased = false;
    async function* many() {
      try {
        for (let at = 0; at < 100; at++) yield random();
      } finally {
        isReleased = true;
      }
    }
    await expect(write(many())).rejects.toBe(full);
    expect(isReleased).toBe(true);
    await expect(write([texts(["a"])])).rejects.toBe(full);
  });

  it("is not created in a missing directory", async () => {
    const target = { path: join(folder, "none", "a.xlsx"), scratch: folder, name: "mentions" };
    await expect(writeXlsx([texts(["a"])], target, {})).rejects.toMatchObject({ code: "ENOENT" });
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
const ANY_COLUMNS = [
  anyColumn(anyText, pl.Utf8, (text) => `s ${wholeText(text)}`),
  anyColumn(anyInteger, pl.Int64, (value) => `${String(value).replace("-", "").length > 15 ? "s" : "n"} ${value}`),
  anyColumn(fc.double(), pl.Float64, (value) =>
    Number.isNaN(value) ? null : `${Number.isFinite(value) ? "n" : "s"} ${value}`,
  ),
  anyColumn(fc.boolean(), pl.Bool, (value) => (value ? "b True" : "b False")),
  anyColumn(anyTime, pl.Datetime("ms", "UTC"), (time) => {
    const iso = new Date(Number(time)).toISOString();
    const isExcels = time >= Date.UTC(1900, 2, 1) && time < Date.UTC(10_000, 0, 1);
    return isExcels ? `d ${iso.replace("Z", "000").replace(".000000", "")}` : `s ${iso.replace(".000Z", "Z")}`;
  }),
];

/** The columns of a frame, all of one height. */
const anyColumns = fc.nat(12).chain((height) =>
  fc.uniqueArray(fc.oneof(...ANY_COLUMNS.map((column) => column(height))), {
    minLength: 1,
    maxLength: 6,
    selector: ({ name }) => name,
  }),
);
