import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { exprNode, inUtc, scanIpcFiles, withIpcBatchSize, withParquetMetadata } from "../../src/frames/polarsPlan.js";
import { type LazyFrame, type PolarsExpr, pl, ValidationError } from "../../src/index.js";
import { temporaryFolder } from "../files/temporary.js";
import { polarsVersion } from "../polarsVersion.js";
import { runs } from "../scale.js";

const a = pl.col("a");
const b = pl.col("b");
const day = new Date("2024-01-15T10:00:00Z");
const json = (expr: PolarsExpr | LazyFrame) =>
  String((expr as unknown as { serialize(format: "json"): Buffer }).serialize("json"));

/** 0.26.1 has more members than 0.24.1, and other defaults. */
const isNewer = polarsVersion === "0.26.1";

describe("canary: the serialization format of polars", () => {
  it("has been checked for these versions of polars only", () => {
    // Before adding a version, check every line of this describe block, and FUNCTIONS and OPERATORS in rowWise.ts.
    expect(["0.24.1", "0.26.1"]).toContain(polarsVersion);
  });

  it("has expressions as exprNode expects them", () => {
    const A = '{"Column":"a"}';
    const known: ReadonlyArray<readonly [PolarsExpr, string]> = [
      [a.eq(5), `{"BinaryExpr":{"left":${A},"op":"Eq","right":{"Literal":{"Scalar":{"Float64":5.0}}}}}`],
      [a.eq(pl.lit("x")), `{"BinaryExpr":{"left":${A},"op":"Eq","right":{"Literal":{"Scalar":{"String":"x"}}}}}`],
      [pl.lit(9007199254740993n), '{"Literal":{"Scalar":{"UInt64":9007199254740993}}}'],
      [pl.lit(day), '{"Literal":{"Scalar":{"Datetime":[1705312800000,"Milliseconds",null]}}}'],
      [
        pl.lit(day).cast(pl.Datetime("us", "UTC")),
        '{"Cast":{"expr":{"Literal":{"Scalar":{"Datetime":[1705312800000,"Milliseconds",null]}}},"dtype":{"Literal":{"Datetime":["Microseconds",{"inner":"UTC"}]}},"options":"NonStrict"}}',
      ],
      [a.isIn(b), `{"Function":{"input":[${A},{"Column":"b"}],"function":{"Boolean":{"IsIn":{"nulls_equal":false}}}}}`],
      [a.fillNull(b), `{"Function":{"input":[${A},{"Column":"b"}],"function":"FillNull"}}`],
      [a.fillNull("forward"), `{"Function":{"input":[${A}],"function":{"FillNullWithStrategy":{"Forward":null}}}}`],
      [
        a.str.strptime(pl.Date),
        `{"Function":{"input":[${A},{"Literal":{"Scalar":{"String":"raise"}}}],"function":{"StringExpr":{"Strptime":[{"Literal":"Date"},{"format":null,"strict":false,"exact":false,"cache":false}]}}}}`,
      ],
      [a.alias("q"), `{"Alias":[${A},"q"]}`],
      [pl.all(), '{"Selector":"Wildcard"}'],
      [pl.col(pl.Int64 as never), '{"Selector":{"ByDType":{"AnyOf":["Int64"]}}}'],
      [pl.cols("a", "b"), '{"Selector":{"ByName":{"names":["a","b"],"strict":true}}}'],
      [a.mean(), `{"Agg":{"Mean":${A}}}`],
    ];
    for (const [expr, text] of known) expect(json(expr)).toBe(text);
    expect(() => json(a.str.toLowerCase())).toThrow(/opaque/);
    expect(exprNode(a.str.toLowerCase())).toBeUndefined();
  });

  it("has the same bincode for a date anywhere in an expression", () => {
    const bytes = (expr: PolarsExpr) =>
      (expr as unknown as { serialize(format: "bincode"): Buffer }).serialize("bincode");
    expect(bytes(a.eq(5).and(b.gt(day))).includes(bytes(pl.lit(day)))).toBe(true);
  });

  describe("has plans as polarsPlan.ts edits them", () => {
    const directory = temporaryFolder();
    const files = ["a=1[x].arrow", "b.arrow"].map((name) => join(directory, name));
    for (const file of files) pl.DataFrame({ a: [1, 2] }).writeIPC(file);

    const policies = {
      cast_columns_policy: {
        integer_upcast: false,
        float_upcast: false,
        float_downcast: false,
        datetime_nanoseconds_downcast: false,
        datetime_microseconds_downcast: false,
        datetime_convert_timezone: false,
        null_upcast: true,
        categorical_to_string: false,
        missing_struct_fields: "Raise",
        extra_struct_fields: "Raise",
      },
      missing_columns_policy: "Raise",
      extra_columns_policy: "Raise",
    };
    const scanPlan = (paths: readonly string[], isExact: boolean) => ({
      Scan: {
        sources: { Paths: paths.map((inner) => ({ inner })) },
        unified_scan_args: {
          schema: null,
          cloud_options: null,
          hive_options: { enabled: !isExact, hive_start_idx: 0, schema: null, try_parse_dates: true },
          rechunk: false,
          cache: true,
          glob: !isExact,
          hidden_file_prefix: null,
          projection: null,
          column_mapping: null,
          default_values: null,
          row_index: null,
          pre_slice: null,
          ...policies,
          include_file_paths: null,
          deletion_files: null,
          table_statistics: null,
          row_count: null,
        },
        scan_type: { Ipc: { options: { record_batch_statistics: false, checked: true } } },
      },
    });
    const sinkPlan = (path: string, fileFormat: object, sync: string) => ({
      Sink: {
        input: scanPlan([files[1] as string], false),
        payload: {
          File: {
            target: { inner: path },
            file_format: fileFormat,
            unified_sink_args: {
              mkdir: !isNewer,
              maintain_order: true,
              sync_on_close: isNewer ? "None" : sync,
              cloud_options: null,
            },
          },
        },
      },
    });
    const parsed = (lazy: LazyFrame) => JSON.parse(json(lazy)) as object;

    it("a scan of IPC files", () => {
      const [, path] = files as [string, string];
      expect(parsed(pl.scanIPC(path))).toMatchObject(scanPlan([path], false));
      expect(parsed(scanIpcFiles(files))).toMatchObject(scanPlan(files, true));
      expect(scanIpcFiles(files).collectSync().toRecords()).toEqual([{ a: 1 }, { a: 2 }, { a: 1 }, { a: 2 }]);
    });

    it("a sink of an IPC file", () => {
      const path = join(directory, "out.arrow");
      const ipc = { compression: null, compat_level: 0, record_batch_statistics: false };
      const sink = pl.scanIPC(files[1] as string).sinkIpc(path, { compression: "uncompressed", compatLevel: "oldest" });
      expect(parsed(sink)).toMatchObject(sinkPlan(path, { Ipc: { ...ipc, record_batch_size: null } }, "All"));
      expect(parsed(withIpcBatchSize(sink, 7))).toMatchObject(
        sinkPlan(path, { Ipc: { ...ipc, record_batch_size: 7 } }, "All"),
      );
    });

    it("a sink of a Parquet file", () => {
      const path = join(directory, "out.parquet");
      const parquet = {
        compression: { Zstd: null },
        statistics: { min_value: true, max_value: true, distinct_count: !isNewer, null_count: true },
        row_group_size: 5,
        data_page_size: null,
        arrow_schema: null,
        compat_level: null,
      };
      const options = { compression: "zstd", statistics: true, rowGroupSize: 5 };
      const sink = pl.scanIPC(files[1] as string).sinkParquet(path, options);
      const metadata = { Static: [["key", "value"]] };
      expect(parsed(sink)).toMatchObject(sinkPlan(path, { Parquet: { ...parquet, key_value_metadata: null } }, "None"));
      expect(parsed(withParquetMetadata(sink, "key", "value"))).toMatchObject(
        sinkPlan(path, { Parquet: { ...parquet, key_value_metadata: metadata } }, "None"),
      );
    });
  });
});

describe("inUtc", () => {
  it("converts dates and nothing else", () => {
    const utc = pl.lit(day).cast(pl.Datetime("us", "UTC"));
    const frame = pl.DataFrame([
      pl.Series("n", [9007199254740992n, 9007199254740993n, 9007199254740994n] as never, pl.Int64),
      pl.Series("f", [Number.NaN, 1.5, Number.POSITIVE_INFINITY], pl.Float64),
      pl.Series("t", ["2024-01-15T09:59:59Z", "2024-01-15T10:00:00Z", "2024-01-16T00:00:00Z"], pl.Utf8),
    ]);
    const dated = frame.withColumns(pl.col("t").str.strptime(pl.Datetime("ms"), "%+"));
    const expressions = (date: PolarsExpr): PolarsExpr[] => [
      pl.col("n").eq(pl.lit(9007199254740993n).cast(pl.Int64)).and(pl.col("t").gtEq(date)),
      pl.col("f").neq(Number.NaN).and(pl.col("t").gtEq(date)),
      pl.col("f").lt(Number.POSITIVE_INFINITY).or(pl.col("t").gt(date)),
      pl
        .col("t")
        .eq(date)
        .or(pl.lit('"Datetime":[0,"Milliseconds",null]').eq(pl.lit("x"))),
    ];
    const [plain, wanted] = [expressions(pl.lit(day)), expressions(utc)];
    plain.forEach((expr, at) => {
      expect(dated.filter(inUtc(expr)).rows()).toEqual(dated.filter(wanted[at] as PolarsExpr).rows());
    });
    expect(json(inUtc(plain[0] as PolarsExpr))).toBe(
      json(plain[0] as PolarsExpr).replace(",null]", ',{"inner":"UTC"}]'),
    );
  });

  it("converts any number of dates next to any text", () => {
    const timestamp = fc.date({ noInvalidDate: true, min: new Date("1960-01-01"), max: new Date("2100-01-01") });
    fc.assert(
      fc.property(fc.array(fc.tuple(timestamp, fc.string()), { minLength: 1, maxLength: 5 }), (parts) => {
        const make = (literal: (at: Date) => PolarsExpr) =>
          parts.map(([at, text]) => a.eq(literal(at)).and(b.eq(pl.lit(text)))).reduce((all, one) => all.or(one));
        const text = json(make((at) => pl.lit(at)));
        const wanted = text.replace(/("Datetime":\[-?\d+,"Milliseconds"),null\]/g, '$1,{"inner":"UTC"}]');
        expect(json(inUtc(make((at) => pl.lit(at))))).toBe(wanted);
      }),
      { numRuns: runs(40) },
    );
  });

  it("rejects an opaque expression that contains dates", () => {
    const opaque = a.str.toLowerCase().eq(pl.lit("x"));
    expect(inUtc(opaque)).toBe(opaque);
    expect(inUtc(opaque.and(b.eq(pl.lit("2024-01-15 10:00:00"))))).toBeDefined();
    expect(() => inUtc(opaque.and(b.gt(day)))).toThrow(ValidationError);
    expect(() => inUtc(opaque.and(b.gt(day)))).toThrow(/Its dates need a time zone/);
  });
});
