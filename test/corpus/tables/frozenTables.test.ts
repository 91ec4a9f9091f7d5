import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { afterEach, beforeEach, expect, it } from "vitest";
import { Corpus } from "../../../src/corpus/corpus.js";
import { mergeRows } from "../../../src/corpus/tables/mergeRows.js";
import { WorkDirectory } from "../../../src/corpus/work/workDirectory.js";
import { toDataFrame } from "../../../src/frames/toDataFrame.js";
import { runs } from "../../scale.js";

const MONTHS = 4;
let dir: string;
beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), "frozen"));
  await merge(0);
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

/** Gives every mention another text, and adds one per month. */
async function merge(version: number): Promise<void> {
  const rows = Array.from({ length: MONTHS * (version + 1) }, (_none, at) => ({
    id: String(at),
    begintime: `2024-0${1 + (at % MONTHS)}-05T00:00:00Z`,
    text: String(1000 + version),
  }));
  const frame = toDataFrame(rows, { operation: "mentions" });
  await mergeRows(dir, [{ search: "s", window: "w", day: "2026-11-01", frame }]);
}

it("a frame has the rows of the moment when it was made, for polars and DuckDB", async () => {
  const corpus = new Corpus(dir, undefined);
  const [before, frozen] = [corpus.mentions(), corpus.freeze()];
  for (let version = 1; version <= 3; version++) await merge(version);
  expect((await before.collect()).height).toBe(MONTHS);
  const connection = await (await DuckDBInstance.create()).connect();
  const rows = await connection.runAndReadAll(`select count(*) from '${frozen}/tables/mentions/**/*.parquet'`);
  expect(rows.getRows()).toEqual([[BigInt(MONTHS)]]);
  expect((await corpus.mentions().collect()).height).toBe(4 * MONTHS);
  expect((await corpus.hits().collect()).height).toBe(4 * MONTHS);
});

it("no read fails while files are replaced", async () => {
  const corpus = new Corpus(dir, undefined);
  const merges = runs(3, 100);
  let isMerging = true;
  const merging = (async () => {
    for (let version = 1; version <= merges; version++) await merge(version);
    isMerging = false;
  })();
  while (isMerging) {
    const frame = await corpus.mentions().collect();
    expect(frame.getColumn("id").nUnique()).toBe(frame.height);
  }
  await merging;
});

it("a run removes the directories of processes that have ended, and keeps those of others", () => {
  const work = new WorkDirectory(dir);
  const frozen = new Corpus(dir, undefined).freeze();
  const { pid } = spawnSync(process.execPath, ["--version"]);
  const host = createHash("sha256").update(hostname()).digest("hex").slice(0, 8);
  const left = join(work.path, "readers", `${host}-${pid}-01234567-89ab-cdef-0123-456789abcdef`);
  mkdirSync(left);
  work.clean(new Set());
  expect(existsSync(left)).toBe(false);
  expect(readdirSync(join(work.path, "readers"))).toHaveLength(1);
  expect(existsSync(frozen)).toBe(true);
});
