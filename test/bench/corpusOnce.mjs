/**
 * Builds a corpus once, or reads the same pages with a loop of eight requests at a time and writes them with polars, and prints what it took:
 * `corpusOnce.mjs <url> <dir> <options>`. Options as JSON:
 *
 * - `how`: "corpus", "loop", "plan" (with the requests of the build that follows) or "restore" (the database from the tables of a corpus)
 * - `searches`, `pageSize`, `months` of each search
 * - `isAdding`: one search more after the build, and the same requests by a loop
 * - `refreshes`: refreshes of everything after the build; `isMoving`: each but the last finds other rows
 */
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import pMap from "p-map";
import { openCorpus } from "../../dist/corpus/index.js";
import { pl } from "../../dist/index.js";
import { clientOf } from "./contenders.mjs";
import { peakMb } from "./ownMemory.mjs";
import { measure } from "./rounds.mjs";

const [url, dir, given] = process.argv.slice(2);
const { how, searches: count, pageSize, refreshes = 0, isMoving, months, isAdding } = JSON.parse(given);
const days = months === undefined ? {} : { mindate: "2023-01-01", maxdate: `${2023 + months / 12 - 1}-12-31` };
const window = months === undefined ? undefined : "month";
const searchOf = (at) => ({ query: `q${at}`, ...days });
const searches = Array.from({ length: count }, (_none, at) => searchOf(at));

/** What an action finds, and what it takes. */
async function timed(action) {
  const { result, ...times } = await measure(action);
  return { ...times, ...result };
}

/** What the loop asks: a search, or each month of it. */
function unitsOf({ query, mindate }) {
  if (mindate === undefined) return [`query=${query}`];
  return Array.from({ length: months }, (_none, at) => {
    const month = new Date(Date.UTC(2023, at)).toISOString().slice(0, 7);
    return `query=${query}&mindate=${month}-01&maxdate=${month}-28`;
  });
}

/** The pages of a request by the cursor, until one without rows or, if ends are not confirmed, the first one that is not full. */
async function pagesOf(unit) {
  const rows = [];
  for (let cursor = ""; ; ) {
    const next = cursor === "" ? "" : `&cursor=${cursor}`;
    const page = await (await fetch(`${url}/mentions?${unit}&limit=${pageSize}${next}`)).json();
    const found = page.mentions ?? [];
    rows.push(...found);
    cursor = page.cursor;
    if (found.length === 0) return rows;
  }
}

/** All rows in one file: the same requests, eight at a time. */
async function fetchAll(list, name) {
  const parts = await pMap(list.flatMap(unitsOf), pagesOf, { concurrency: 8 });
  const frame = pl.DataFrame(parts.flat());
  frame.writeParquet(join(dir, name), { compression: "zstd" });
  return { mentions: frame.height, verdict: "complete" };
}

async function build() {
  const archive = clientOf(url, { pageSize });
  const corpus = await openCorpus(dir, { archive, searches, window, lookups: [] });
  const built = await timed(() => corpus.build());
  const more = isAdding ? await adding(archive) : {};
  const again = [];
  for (let at = 0; at < refreshes; at++) {
    if (isMoving && at < refreshes - 1) await fetch(`${url}/next`);
    again.push(await timed(() => corpus.refresh({ lag: "9999d" })));
  }
  await archive.close();
  return { ...built, ...more, again };
}

/** One search more, beyond what a loop takes for its requests. */
async function adding(archive) {
  const loop = await timed(() => fetchAll([searchOf(count)], "added.parquet"));
  const corpus = await openCorpus(dir, { archive, searches: [searchOf(count)] });
  const added = await timed(() => corpus.build());
  return { added: added.cpu - loop.cpu };
}

async function loop() {
  mkdirSync(dir);
  return fetchAll(searches, "mentions.parquet");
}

async function plan() {
  const archive = clientOf(url, { pageSize });
  const corpus = await openCorpus(dir, { archive, searches });
  const { sent, low, high } = await corpus.plan();
  const { requests } = await corpus.build();
  await archive.close();
  return { sent, low, high, requests };
}

async function restore() {
  const archive = clientOf(url, { pageSize });
  rmSync(join(dir, "corpus.duckdb"));
  const corpus = await openCorpus(dir, { archive });
  const restored = await timed(() => corpus.build());
  await archive.close();
  return restored;
}

const found = await { corpus: build, loop: () => timed(loop), plan, restore }[how]();
process.stdout.write(JSON.stringify({ ...found, peakMb: peakMb() }));
