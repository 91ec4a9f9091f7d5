import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { exprNode, scanIpcFiles, withIpcBatchSize, withParquetMetadata } from "../../src/frames/polarsPlan.js";
import { type LazyFrame, type PolarsExpr, pl } from "../../src/index.js";
import { temporaryFolder } from "../files/temporary.js";
import { polarsVersion } from "../polarsVersion.js";

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
