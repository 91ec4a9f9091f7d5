import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, expect, it } from "vitest";
import { FileError } from "../../src/index.js";
import { mention } from "../client/clientTo.js";
import { runs } from "../scale.js";
import { errorOf } from "../service/helpers.js";
import { copyOf, corpusOf, derivedAgain } from "./corpora.js";
import { batch, serveRaw, startCorpusService } from "./corpusServer.js";
import { tableBytes } from "./tableBytes.js";

const lookups = [] as const;

const WHOLE = batch.rows;
afterEach(() => {
  batch.rows = WHOLE;
});

const rowOf = fc.record({
  id: fc.constantFrom<unknown>(undefined, "", null, "1", "2", "3", "4", "5"),
  content: fc.integer({ min: 0, max: 3 }),
  month: fc.constantFrom("04", "05"),
});
const rows = fc.uniqueArray(rowOf, { maxLength: 12, selector: (row) => JSON.stringify(row) });

it("compacting leaves the bytes of the tables, with rows without id, with the id of others, edited, moved and gone", async () => {
  const cases = fc.record({
    rounds: fc.array(rows, { minLength: 2, maxLength: 4 }),
    pageSize: fc.integer({ min: 2, max: 30 }),
    rowsAtATime: fc.constantFrom(4, WHOLE),
  });
  await fc.assert(
    fc.asyncProperty(cases, async ({ rounds, pageSize, rowsAtATime }) => {
      batch.rows = rowsAtATime;
      await using service = await startCorpusService([]);
      let sent: object[] = [];
      serveRaw(service, () => sent);
      const searches = ["alpha", "beta"].map((query) => ({ query, mindate: "2024-04-01", maxdate: "2024-05-31" }));
      const corpus = await corpusOf(service, { pageSize, searches, lookups });
      for (const [at, round] of rounds.entries()) {
        sent = round.map(({ id, content, month }, place) =>
          mention(0, { id, text: `${content}`, begintime: `2024-${month}-1${content}T00:00:00Z`, place: place % 2 }),
        );
        await (at === 0 ? corpus.build() : corpus.refresh({ lag: "9999d" }));
        const bytes = tableBytes(corpus.dir);
        await corpus.compact();
        expect(await corpus.compact()).toEqual({ rows: 0, bytes: 0 });
        expect(tableBytes(corpus.dir)).toEqual(bytes);
        expect(await derivedAgain(corpus)).toEqual(bytes);
        expect((await corpus.verify()).problems).toEqual([]);
      }
    }),
    { numRuns: runs(2, 300) },
  );
});

it("a compaction that was killed at any point leaves the tables, and the next run removes what is left", async () => {
  await using service = await startCorpusService([]);
  let sent: object[] = [];
  serveRaw(service, () => sent);
  const searches = ["04", "05"].map((month) => ({
    query: "alpha",
    mindate: `2024-${month}-01`,
    maxdate: `2024-${month}-28`,
  }));
  const corpus = await corpusOf(service, { pageSize: 9, searches, lookups });
  for (let round = 0; round < 2; round++) {
    sent = [1, 2, 3, 4].map((id) =>
      mention(id, { text: `${id < 3 ? round : 0}`, begintime: `2024-0${4 + (id % 2)}-10T00:00:00Z` }),
    );
    await (round === 0 ? corpus.build() : corpus.refresh({ lag: "9999d" }));
  }
  const bytes = tableBytes(corpus.dir);
  const before = copyOf(corpus.dir, () => undefined);
  await corpus.compact();
  const filesOf = (dir: string) =>
    (readdirSync(join(dir, "raw"), { recursive: true }) as string[]).filter((name) =>
      statSync(join(dir, "raw", name)).isFile(),
    );
  const [old, now] = [filesOf(before), filesOf(corpus.dir)];
  const added = now.filter((name) => !old.includes(name) && name.endsWith(".parquet"));
  const replaced = old.filter((name) => !now.includes(name));
  expect([added.length, replaced.length]).toEqual([2, 4]);
  // New files, then what names them, then the deletions.
  const steps = [...added, "compacted.json", ...replaced];
  for (const at of steps.keys()) {
    const dir = copyOf(before, (copy) => mkdirSync(join(copy, "work/compacting")));
    for (const name of steps.slice(0, at + 1))
      if (replaced.includes(name)) rmSync(join(dir, "raw", name));
      else cpSync(join(corpus.dir, "raw", name), join(dir, "raw", name));
    const killed = await corpusOf(service, { dir });
    await killed.build();
    expect((await killed.verify()).problems).toEqual([]);
    expect(tableBytes(dir)).toEqual(bytes);
    expect(await derivedAgain(killed)).toEqual(bytes);
  }
  const list = join(corpus.dir, "raw/compacted.json");
  const named = readFileSync(list, "utf8");
  expect(named).not.toContain(corpus.dir);
  for (const damaged of ["{}", "{", named.replaceAll("sha256", "sha")]) {
    writeFileSync(list, damaged);
    const run = async () => [await corpus.compact(), await derivedAgain(corpus)];
    await errorOf(run(), FileError);
    expect((await corpus.verify()).ok).toBe(false);
    writeFileSync(list, named);
    await corpus.build();
    expect(tableBytes(corpus.dir)).toEqual(bytes);
  }
});
