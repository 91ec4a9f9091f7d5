import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkPartitionBy } from "../../src/files/partitions.js";
import { writeFrames } from "../../src/files/sinkFrames.js";
import { ArchiveError, type PartitionBy, type PolarsFrame, pl, ValidationError } from "../../src/index.js";
import { runs } from "../scale.js";
import { errorOf } from "../service/helpers.js";
import { temporaryFolder } from "./temporary.js";
import { cut, duck, frameOf, renamed, written } from "./written.js";

const root = temporaryFolder();

const write = (partitionBy: PartitionBy, ...frames: PolarsFrame[]) => written(root, "parquet", frames, { partitionBy });
const filesOf = (path: string) =>
  readdirSync(path, { recursive: true, encoding: "utf8" })
    .filter((name) => statSync(join(path, name)).isFile())
    .sort();
/** One file of a dataset, and nothing of what the names of its folders say. */
const readFile = (path: string) => pl.readParquet(readFileSync(path));

const SAMPLE = { n: 0, personid: 1, live: true, begintime: "", id: "" };

function mentions(): PolarsFrame {
  return frameOf(
    [
      SAMPLE,
      { n: 0, personid: 7, live: true, begintime: "2024-12-31T23:59:59Z", id: "a" },
      { n: 1, personid: null, live: false, begintime: "2024-04-01T00:00:00Z", id: "../x" },
      { n: 2, personid: -7, live: null, begintime: "2025-01-01T00:00:00Z", id: "" },
      { n: 3, personid: 7, live: true, begintime: null, id: null },
      { n: 4, personid: 7, live: false, begintime: "2024-04-30T12:00:00Z", id: "e" },
    ],
    ["begintime"],
  );
}

describe("a dataset", () => {
  it("by integers has them in directory names only", async () => {
    const path = await write("personid", mentions());
    expect(filesOf(path)).toEqual([
      "personid=-7/part-0.parquet",
      "personid=7/part-0.parquet",
      "personid=__HIVE_DEFAULT_PARTITION__/part-0.parquet",
    ]);
    const file = readFile(join(path, "personid=7/part-0.parquet"));
    expect(file.columns).toEqual(["n", "live", "begintime", "id"]);
    expect(file.dtypes.map(String)).toEqual(mentions().drop("personid").dtypes.map(String));
    expect(file.getColumn("n").toArray()).toEqual([0, 3, 4]);
    expect(file.getColumn("id").toArray()).toEqual(["a", null, "e"]);
  });

  it.each([
    [{ year: "begintime" }, ["year=2024", "year=2025", "year=__HIVE_DEFAULT_PARTITION__"]],
    [
      { month: "begintime" },
      [
        "year=2024/month=12",
        "year=2024/month=4",
        "year=2025/month=1",
        "year=__HIVE_DEFAULT_PARTITION__/month=__HIVE_DEFAULT_PARTITION__",
      ],
    ],
    [
      ["live", { day: "begintime" }],
      [
        "live=__HIVE_DEFAULT_PARTITION__/year=2025/month=1/day=1",
        "live=false/year=2024/month=4/day=1",
        "live=false/year=2024/month=4/day=30",
        "live=true/year=2024/month=12/day=31",
        "live=true/year=__HIVE_DEFAULT_PARTITION__/month=__HIVE_DEFAULT_PARTITION__/day=__HIVE_DEFAULT_PARTITION__",
      ],
    ],
  ] satisfies Array<[PartitionBy, string[]]>)(
    "by %j keeps the timestamps in its files",
    async (partitionBy, folders) => {
      const path = await write(partitionBy, mentions());
      expect(filesOf(path)).toEqual(folders.map((folder) => `${folder}/part-0.parquet`).sort());
      expect(readFile(join(path, folders[0] as string, "part-0.parquet")).columns).toContain("begintime");
    },
  );

  it("is one dataset to DuckDB", async () => {
    const read = async (partitionBy: PartitionBy, columns: string) => {
      const path = await write(partitionBy, mentions());
      return duck(`select ${columns} from read_parquet('${path}/**/*.parquet', hive_partitioning = true) order by n`);
    };
    const people = await read("personid", "n, personid, live, begintime, id");
    expect(people.types).toEqual(["BIGINT", "BIGINT", "BOOLEAN", "TIMESTAMP WITH TIME ZONE", "VARCHAR"]);
    expect(people.rows).toEqual([
      ["0", "7", true, "2024-12-31 23:59:59+00", "a"],
      ["1", null, false, "2024-04-01 00:00:00+00", "../x"],
      ["2", "-7", null, "2025-01-01 00:00:00+00", ""],
      ["3", "7", true, null, null],
      ["4", "7", false, "2024-04-30 12:00:00+00", "e"],
    ]);
    const days = await read({ day: "begintime" }, "year, month, day");
    expect(days.types).toEqual(["BIGINT", "BIGINT", "BIGINT"]);
    expect(days.rows).toEqual([
      ["2024", "12", "31"],
      ["2024", "4", "1"],
      ["2025", "1", "1"],
      [null, null, null],
      ["2024", "4", "30"],
    ]);
  });

  it("without rows has all columns", async () => {
    const path = await write({ year: "begintime" }, mentions().head(0), mentions().head(0));
    expect(filesOf(path)).toEqual(["year=__HIVE_DEFAULT_PARTITION__/part-0.parquet"]);
    const empty = await pl.scanParquet(path, { hivePartitioning: true }).collect();
    expect([empty.height, empty.columns]).toEqual([0, [...mentions().columns, "year"]]);
    expect(readFile(join(path, filesOf(path)[0] as string)).frameEqual(mentions().head(0), true)).toBe(true);
    expect((await duck(`select * from read_parquet('${path}/**/*.parquet')`)).names).toContain("begintime");
  });

  it("distinguishes columns of any name", async () => {
    const frame = mentions();
    const hostile = renamed(frame, ["*", "personid", "^a$", "folder", "c1"]);
    const path = await write("personid", hostile);
    const file = readFile(join(path, "personid=7/part-0.parquet"));
    expect(file.columns).toEqual(["*", "^a$", "folder", "c1"]);
    expect(file.getColumn("*").toArray()).toEqual([0, 3, 4]);
  });

  it("has the same bytes for any split of the rows, and each file keeps their order", async () => {
    const height = 150_000;
    // One key has few rows at first and most of them later; the others are few and mixed in.
    const key = (at: number) => (at % (at < 70_000 ? 100 : 5) > 0 === at < 70_000 ? (at * 7919) % 13 : 99);
    const n = [...Array(height).keys()];
    const frame = pl.DataFrame({ n, k: n.map(key) }).select(pl.all().cast(pl.Int64));
    const whole = await write("k", frame);
    const split = await write("k", ...cut(frame, 1, 10_000, 70_000, 70_000, 149_999));
    expect(filesOf(split)).toEqual(filesOf(whole));
    expect(filesOf(whole)).toHaveLength(14);
    let rows = 0;
    for (const name of filesOf(whole)) {
      expect(readFileSync(join(split, name)).equals(readFileSync(join(whole, name))), name).toBe(true);
      const key = Number(/k=(\d+)/.exec(name)?.[1]);
      const expected = frame.filter(pl.col("k").eq(pl.lit(key))).select(pl.col("n"));
      expect(readFile(join(whole, name)).frameEqual(expected), name).toBe(true);
      rows += expected.height;
    }
    expect(rows).toBe(height);
  });

  it("contains exactly the rows written, for any rows and any split", async () => {
    const row = fc.record({
      personid: fc.option(fc.integer({ min: -3, max: 3 })),
      live: fc.option(fc.boolean()),
      begintime: fc.option(
        fc
          .date({ min: new Date("1999-12-25"), max: new Date("2000-01-05"), noInvalidDate: true })
          .map((d) => d.toISOString()),
      ),
      id: fc.option(fc.string({ unit: "grapheme" })),
    });
    const key = fc.constantFrom<PartitionBy>("personid", "live", { day: "begintime" }, [
      "live",
      { month: "begintime" },
    ]);
    await fc.assert(
      fc.asyncProperty(
        fc.array(row, { minLength: 1, maxLength: 40 }),
        key,
        fc.array(fc.nat(40)),
        async (rows, by, at) => {
          const frame = frameOf([SAMPLE, ...rows.map((members, n) => ({ n, ...members }))], ["begintime"]);
          const path = await write(by, ...cut(frame, ...at));
          const all = await pl.scanParquet(path, { hivePartitioning: true }).collect();
          const columns = frame.columns.map((name) => all.getColumn(name).cast(frame.getColumn(name).dtype));
          expect(pl.DataFrame(columns).sort("n").frameEqual(frame, true)).toBe(true);
        },
      ),
      { numRuns: runs(8, 160) },
    );
  });

  it("accepts a thousand directories, and throws as soon as there are more", async () => {
    const numbered = (height: number) => {
      const id = [...Array(height).keys()];
      return pl.DataFrame({ id, n: id }).select(pl.all().cast(pl.Int64));
    };
    const scratch = join(root, "many");
    mkdirSync(scratch);
    const target = { path: join(scratch, "output"), scratch, name: "mentions" };
    let taken = 0;
    function* frames() {
      for (const height of [1000, 1001, 1002]) {
        yield numbered(height);
        taken = height;
      }
    }
    const error = await errorOf(writeFrames(frames(), target, "parquet", { partitionBy: "id" }), ArchiveError);
    expect(taken).toBe(1000);
    expect(error.code).toBe("TOO_MANY_PARTITIONS");
    expect(error.message).toBe(
      "More than 1,000 partitions of mentions. Partition by a column with fewer values, " +
        'for example partitionBy: { year: "begintime" }.',
    );
    expect(existsSync(join(scratch, "output"))).toBe(false);
  });
});

describe("partitionBy", () => {
  it.each([
    ["personid", ["personid"]],
    [{ year: "begintime" }, [{ year: "begintime" }]],
    [
      ["live", { day: "begintime" }],
      ["live", { day: "begintime" }],
    ],
  ])("%j is validated before any request", (value, keys) => expect(checkPartitionBy(value)).toEqual(keys));

  const NO_KEYS = ["", [], 7, null, {}, { week: "a" }, { year: "a", month: "a" }, { year: 1 }, ["a", ""]];
  it.each(NO_KEYS.map((keys) => [keys]))("%j throws", (value) => {
    expect(() => checkPartitionBy(value)).toThrow(ValidationError);
    expect(() => checkPartitionBy(value)).toThrow(
      'Give a column or several, for example partitionBy: "congress" or partitionBy: { year: "begintime" }.',
    );
  });

  it.each([[["a", "A"]], [[{ year: "a" }, { month: "b" }]], [["year", { year: "b" }]]])(
    "%j is refused: one name",
    (value) =>
      expect(() => checkPartitionBy(value)).toThrow(
        /^invalid partitionBy: two keys have the directory name "(?:a|year)"\./,
      ),
  );

  it.each([["../x"], ["a/b"], [".."], ["_a"], ["a=b"], ["a\\b"], ["é"], ["a\0"], ["x".repeat(101)]])(
    "%j is refused: no name for a folder",
    (value) => expect(() => checkPartitionBy(value)).toThrow("only letters, digits, dots, - and _"),
  );

  it.each([
    [
      "personId",
      'invalid partitionBy: "personId". Give one of "n", "personid", "live", "begintime", "id". Did you mean "personid"?',
    ],
    [
      "id",
      'invalid partitionBy: "id" is not a column of integers or booleans. ' +
        'Columns of integers or booleans are "n", "personid", "live".',
    ],
    ["begintime", /not a column of integers or booleans/],
    [{ year: "id" }, 'invalid partitionBy: "id" is not a column of timestamps. Columns of timestamps are "begintime".'],
    [{ month: "personid" }, /not a column of timestamps/],
    [["n", "personid", "live", "begintime", "id"], /"begintime" is not a column of integers/],
  ] satisfies Array<[PartitionBy, string | RegExp]>)("%j does not fit the columns", async (partitionBy, message) => {
    const error = await errorOf(write(partitionBy, mentions()), ValidationError);
    expect(error.message).toMatch(message);
    expect(error.parameter).toBe("partitionBy");
  });

  it("needs a column for the files", async () => {
    const only = pl.DataFrame({ a: [1], b: [2] }).select(pl.all().cast(pl.Int64));
    const error = await errorOf(write(["a", "b"], only), ValidationError);
    expect(error.message).toBe("invalid partitionBy: no column would remain for the files. Give fewer keys.");
  });

  it.each([["year"], ["YEAR"]])("does not shadow a column %s", async (name) => {
    const frame = renamed(mentions(), ["n", "personid", name, "begintime", "id"]);
    const error = await errorOf(write({ month: "begintime" }, frame), ValidationError);
    expect(error.message).toBe(
      'invalid partitionBy: a directory and a column would both be called "year". Rename the column first.',
    );
  });
});
