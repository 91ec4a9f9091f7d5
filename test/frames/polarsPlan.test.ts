import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  exprNode,
  scanIpcFiles,
  scanParquetFiles,
  withIpcBatchSize,
  withParquetMetadata,
} from "../../src/frames/polarsPlan.js";
import { type LazyFrame, pl } from "../../src/index.js";
import { temporaryFolder } from "../files/temporary.js";
import { polarsVersion } from "../polarsVersion.js";

/** A serialized plan or expression. */
const json = (lazy: LazyFrame) => String(lazy.serialize("json"));

describe("the serialization format of polars", () => {
  const directory = temporaryFolder();
  const names = ["a=1[x]", "b*"];
  const paths = (extension: string) => names.map((name) => join(directory, `${name}.${extension}`));
  const frame = pl.DataFrame({ a: [1, 2] });
  for (const path of paths("arrow")) frame.writeIPC(path);
  for (const path of paths("parquet")) frame.writeParquet(path);
  const rows = [{ a: 1 }, { a: 2 }, { a: 1 }, { a: 2 }];

  it("has been checked for this version of polars only", () => {
    // Before another version, check every name in rowWise.ts and every member in polarsPlan.ts.
    expect(polarsVersion).toBe("0.24.1");
  });

  it("has no expressions that run a function", () => {
    expect(exprNode(pl.col("a").eq(5))).toMatchObject({ BinaryExpr: { left: { Column: "a" }, op: "Eq" } });
    expect(exprNode(pl.col("a").str.toLowerCase())).toBeUndefined();
  });

  it("has scans of files by their exact paths, in order", () => {
    expect(scanIpcFiles(paths("arrow")).collectSync().toRecords()).toEqual(rows);
    expect(scanParquetFiles(paths("parquet")).collectSync().toRecords()).toEqual(rows);
    const named = scanParquetFiles(paths("parquet"), "path").collectSync();
    expect(named.getColumn("path").toArray()).toEqual(paths("parquet").flatMap((path) => [path, path]));
  });

  it("has the options of sinks that polars has no argument for", () => {
    const rows = pl.scanIPC(paths("arrow")[1] as string);
    const arrow = rows.sinkIpc(join(directory, "out.arrow"), { compression: "uncompressed" });
    expect(json(withIpcBatchSize(arrow, 7))).toBe(
      json(arrow).replace('"record_batch_size":null', '"record_batch_size":7'),
    );
    const parquet = rows.sinkParquet(join(directory, "out.parquet"), { compression: "zstd" });
    expect(json(withParquetMetadata(parquet, "key", "value"))).toBe(
      json(parquet).replace('"key_value_metadata":null', '"key_value_metadata":{"Static":[["key","value"]]}'),
    );
  });
});
