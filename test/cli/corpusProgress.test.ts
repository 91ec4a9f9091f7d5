import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { terminalBar } from "../../src/call/progress.js";
import { progressTable, searchLog } from "../../src/cli/progress.js";
import { cross, openCorpus } from "../../src/corpus/index.js";
import type { ProgressEvent } from "../../src/index.js";
import { clientTo } from "../client/clientTo.js";
import { servedRows, startCorpusService } from "../corpus/corpusServer.js";
import { temporaryFolder } from "../files/temporary.js";
import { progressEvent } from "../scan/progressEvent.js";

type SearchProgress = ReturnType<NonNullable<ProgressEvent["searches"]>>[number];

const root = temporaryFolder();

function state(query: string, done: number, isFetching = false, windows = 12): SearchProgress {
  return { parameters: { query }, windows, done, rows: 1000 * done, isFetching };
}

describe("the progress of a corpus", () => {
  it("is a line per search, those at work first", () => {
    const searches = [state("alpha", 12), state("beta", 0), state("gamma", 3, true)];
    expect(progressTable(searches, 20)).toEqual([
      "search  windows  rows",
      "gamma   3/12     3,000",
      "beta    0/12     0",
      "1 of 3 searches complete",
    ]);
  });

  it("never has more lines than there is room for", () => {
    const searches = Array.from({ length: 500 }, (_none, at) => state(`q${at}`, at % 3 === 0 ? 12 : 1, at % 7 === 0));
    for (let most = -3; most < 30; most++)
      expect(progressTable(searches, most).length).toBeLessThanOrEqual(Math.max(0, most));
    expect(progressTable(searches, 6).at(-1)).toBe("329 more, 167 of 500 searches complete");
    expect(progressTable([state("alpha", 12)], 20)).toEqual([]);
  });

  it("is drawn over itself on a terminal, escaped, and erased in the end", () => {
    let screen = "";
    const draw = terminalBar({ columns: 60, write: (text) => (screen += text) }, 0, ({ rows }) =>
      rows > 1 ? ["one\x1b[31m", "two"] : ["one"],
    );
    draw(event({ rows: 1, seconds: 1 }));
    draw(event({ rows: 2, seconds: 2 }));
    draw(event({ rows: 1, seconds: 3 }));
    draw(event({ rows: 1, seconds: 4, verdict: "complete" }));
    const line = (rows: number) => `mentions x  ${rows} rows  1 request  1 rows/s\x1b[K`;
    const [a, b, c, d] = screen.split("\r").slice(1);
    expect(a).toBe(`one\x1b[K\n${line(1)}`);
    expect(b).toBe(`\x1b[1Aone\\u001b[31m\x1b[K\ntwo\x1b[K\n${line(2)}`);
    expect(c).toBe(`\x1b[2Aone\x1b[K\n${line(1)}\x1b[J`);
    expect(d).toBe("\x1b[1A\x1b[J");
  });

  it("follows a build, and a log has a line for each search that it completes", async () => {
    await using service = await startCorpusService(servedRows(120));
    const archive = clientTo(service, { pageSize: 10, concurrency: 1 });
    const days = { mindate: "2024-01-01", maxdate: "2024-03-31" };
    const open = (...query: string[]) =>
      openCorpus(join(root, "followed"), {
        archive,
        searches: cross({ query, ...days }),
        window: "month",
        lookups: [],
      });
    await (await open("alpha")).build();
    const seen: SearchProgress[][] = [];
    const lines: string[] = [];
    const log = searchLog((line) => lines.push(line));
    const corpus = await open("alpha", "beta", "gamma");
    await corpus.build({
      progress: (event) => {
        seen.push([...(event.searches?.() ?? [])]);
        log(event);
      },
    });
    const rows = await corpus.hits().collect();
    const count = (at: number) => seen.at(-1)?.[at]?.rows ?? 0;
    expect(seen[0]?.map(({ done, windows }) => `${done}/${windows}`)).toEqual(["3/3", "0/3", "0/3"]);
    expect(seen[0]?.filter(({ isFetching }) => isFetching)).toHaveLength(1);
    expect(seen.at(-1)?.map(({ done }) => done)).toEqual([3, 3, 3]);
    expect(count(0) + count(1) + count(2)).toBe(rows.height);
    for (const [at, states] of seen.entries())
      for (const [which, { done, rows: fetched }] of states.entries()) {
        expect(done).toBeGreaterThanOrEqual(seen[at - 1]?.[which]?.done ?? 0);
        expect(fetched).toBeGreaterThanOrEqual(seen[at - 1]?.[which]?.rows ?? 0);
      }
    expect(lines).toEqual([
      `beta 2024-01-01 2024-03-31: ${count(1)} rows in 3 windows`,
      `gamma 2024-01-01 2024-03-31: ${count(2)} rows in 3 windows`,
    ]);
  });
});

const event = (changes: Partial<ProgressEvent>) =>
  progressEvent({ query: "x", rows: 1, requests: 1, seconds: 1, rate: 1, ...changes });
