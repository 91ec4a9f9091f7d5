/**
 * Builds a corpus once, or reads the same pages with a loop of eight requests at a time and writes them with polars, and prints what it took:
 * `corpusOnce.mjs <url> <dir> <options>`. Options as JSON:
 *
 * - `how`: "corpus", "loop", "plan" (with the requests of the build that follows) or "derive" (all tables of a corpus that was built)
 * - `searches`, `pageSize`, `confirmEnd`
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
const { how, searches: count, pageSize, confirmEnd = true, refreshes = 0, isMoving } = JSON.parse(given);
const searches = Array.from({ length: count }, (_none, at) => ({ query: `q${at}` }));

/** What an action finds, and what it takes. */
async function timed(action) {
  const { result, ...times } = await measure(action);
  return { ...times, ...result };
}

/** The pages of a search by the cursor, until the first one that is not full. */
async function pagesOf(query) {
  const rows = [];
  for (let cursor = ""; ; ) {
    const next = cursor === "" ? "" : `&cursor=${cursor}`;
    const page = await (await fetch(`${url}/mentions?query=${query}&limit=${pageSize}${next}`)).json();
    rows.push(...(page.mentions ?? []));
    cursor = page.cursor;
    if ((page.mentions?.length ?? 0) < pageSize) break;
  }
  const frame = pl.DataFrame(rows);
  frame.writeParquet(join(dir, `${query}.parquet`), { compression: "zstd" });
  return frame.height;
}

async function build() {
  const archive = clientOf(url, { pageSize });
  const corpus = await openCorpus(dir, { archive, searches, lookups: [] });
  const built = await timed(() => corpus.build({ confirmEnd }));
  const again = [];
  for (let at = 0; at < refreshes; at++) {
    if (isMoving && at < refreshes - 1) await fetch(`${url}/next`);
    again.push(await timed(() => corpus.refresh({ lag: "9999d", confirmEnd })));
  }
  await archive.close();
  return { ...built, again };
}

async function loop() {
  mkdirSync(dir);
  const heights = await pMap(searches, ({ query }) => pagesOf(query), { concurrency: 8 });
  return { mentions: heights.reduce((sum, height) => sum + height, 0), verdict: "complete" };
}

async function plan() {
  const archive = clientOf(url, { pageSize });
  const corpus = await openCorpus(dir, { archive, searches });
  const { sent, low, high } = await corpus.plan({ confirmEnd });
  const { requests } = await corpus.build({ confirmEnd });
  await archive.close();
  return { sent, low, high, requests };
}

async function derive() {
  const archive = clientOf(url, { pageSize });
  const corpus = await openCorpus(dir, { archive });
  rmSync(join(dir, "work"), { recursive: true });
  const derived = await timed(() => corpus.build());
  await archive.close();
  return derived;
}

const found = await { corpus: build, loop: () => timed(loop), plan, derive }[how]();
process.stdout.write(JSON.stringify({ ...found, peakMb: peakMb() }));
