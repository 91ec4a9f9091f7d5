import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { outputPath } from "../../src/files/outputPath.js";
import { ArchiveError, ValidationError } from "../../src/index.js";
import { temporaryFolder } from "./temporary.js";

const root = temporaryFolder();
mkdirSync(join(root, "there"));
mkdirSync(join(root, "dotted.dir"));
writeFileSync(join(root, "plain"), "");

const target = (dest: unknown, options = {}) => {
  const { path, format } = outputPath(dest, "mentions", options);
  return [path, format];
};

describe("outputPath", () => {
  it.each([
    ["a.parquet", {}, "a.parquet", "parquet"],
    ["deep/down/a.XLSX", {}, "deep/down/a.XLSX", "xlsx"],
    ["a.ndjson", {}, "a.ndjson", "jsonl"],
    ["a.txt", {}, "a.txt", "csv"],
    ["a.txt", { format: "jsonl" }, "a.txt", "jsonl"],
    ["a.csvv", { format: "csv" }, "a.csvv", "csv"],
    ["out/", {}, "out/mentions.csv", "csv"],
    ["out/", { format: "xlsx" }, "out/mentions.xlsx", "xlsx"],
    ["out", { format: "Json" }, "out/mentions.json", "json"],
    ["out", { filename: "x.parquet" }, "out/x.parquet", "parquet"],
    ["out.csv", { filename: "x.jsonl" }, "out.csv/x.jsonl", "jsonl"],
    ["there", {}, "there/mentions.csv", "csv"],
    ["dotted.dir", { format: "arrow" }, "dotted.dir/mentions.arrow", "arrow"],
    ["plain", {}, "plain", "csv"],
    ["out", { filename: "x" }, "out/x", "csv"],
  ])("%s with %j is %s, %s", (dest, options, path, format) => {
    const [found, kind] = target(join(root, dest) + (dest.endsWith("/") ? "/" : ""), options);
    expect([found, kind]).toEqual([join(root, path), format]);
  });

  it.each(["", undefined, 7, "a\0.csv", "a.csv.gz", "a.xls", "a.csvv", "s3://bucket/a.parquet"])(
    "%s throws",
    (dest) => {
      expect(() => target(dest)).toThrow(ValidationError);
    },
  );

  it.each(["../a.csv", "a/b.csv", "a\\b.csv", "c:a.csv", "..", "", 7, "v1.2"])("filename %s throws", (filename) => {
    expect(() => target("out/", { filename })).toThrow(ValidationError);
  });

  it.each([
    ["a.csv", { format: "cvs" }],
    ["a.csv", { format: "xlsx" }],
    ["a.xlsx", { bom: true }],
    ["a.csv", { bom: "yes" }],
  ])("%s with %j throws", (dest, options) => {
    expect(() => target(dest, options)).toThrow(ValidationError);
  });

  it("throws for a directory in place of a file", () => {
    expect(() => target(root, { filename: "there" })).toThrow(ArchiveError);
  });
});
