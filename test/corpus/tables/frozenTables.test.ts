import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { Corpus } from "../../../src/corpus/index.js";
import { runs } from "../../scale.js";
import { corpusOf } from "../corpora.js";
import { type CorpusService, startCorpusService } from "../corpusServer.js";
import { versionRows } from "./versionRows.js";

const MONTHS = 4;
let service: CorpusService;
let corpus: Corpus;
beforeEach(async () => {
  service = await startCorpusService(versionRows(0, MONTHS));
  const searches = [{ query: "v", mindate: "2024-01-01", maxdate: "2024-12-31" }];
  corpus = await corpusOf(service, { searches, lookups: [] });
  await corpus.build();
});
afterEach(() => service[Symbol.asyncDispose]());

/** Gives every mention another text, and adds one per month. */
async function refresh(version: number): Promise<void> {
  service.rows = versionRows(version, MONTHS);
  await corpus.refresh({ lag: "4000d" });
}

it("a frame has the rows of the moment when it was made, for polars and DuckDB", async () => {
  const [before, frozen] = [corpus.mentions(), corpus.freeze()];
  for (let version = 1; version <= 3; version++) await refresh(version);
  expect((await before.collect()).height).toBe(MONTHS);
  const connection = await (await DuckDBInstance.create()).connect();
  const rows = await connection.runAndReadAll(`select count(*) from '${frozen}/tables/mentions/**/*.parquet'`);
  expect(rows.getRows()).toEqual([[BigInt(MONTHS)]]);
  expect((await corpus.mentions().collect()).height).toBe(4 * MONTHS);
  expect((await corpus.hits().collect()).height).toBe(4 * MONTHS);
});

it("no read fails while files are replaced", async () => {
  let isRefreshing = true;
  const refreshing = (async () => {
    for (let version = 1; version <= runs(3, 100); version++) await refresh(version);
  })().finally(() => {
    isRefreshing = false;
  });
  while (isRefreshing) {
    const frame = await corpus.mentions().collect();
    expect(frame.getColumn("id").nUnique()).toBe(frame.height);
  }
  await refreshing;
});

it("a run removes the directories of processes that have ended, and keeps those of others", async () => {
  const frozen = corpus.freeze();
  const { pid } = spawnSync(process.execPath, ["--version"]);
  const host = createHash("sha256").update(hostname()).digest("hex").slice(0, 8);
  const readers = join(corpus.dir, "work", "readers");
  const left = join(readers, `${host}-${pid}-01234567-89ab-cdef-0123-456789abcdef`);
  mkdirSync(left);
  await corpus.build();
  expect(existsSync(left)).toBe(false);
  expect(readdirSync(readers)).toHaveLength(1);
  expect(existsSync(frozen)).toBe(true);
});
