import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { CommandProgress } from "../../src/cli/progress.js";
import { cross, openCorpus } from "../../src/corpus/index.js";
import type { ProgressEvent } from "../../src/index.js";
import { clientTo } from "../client/clientTo.js";
import { servedRows, startCorpusService } from "../corpus/corpusServer.js";
import { temporaryFolder } from "../files/temporary.js";

type SearchProgress = ReturnType<NonNullable<ProgressEvent["searches"]>>[number];

const root = temporaryFolder();
afterEach(() => void vi.restoreAllMocks());

describe("the progress of a corpus", () => {
  it("follows a build", async () => {
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
    const corpus = await open("alpha", "beta", "gamma");
    await corpus.build({
      progress: (event) => {
        seen.push([...(event.searches?.() ?? [])]);
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
  });
});

it("a log has a line for each wait, and every half minute", () => {
  let lines = "";
  vi.spyOn(process.stderr, "write").mockImplementation((text) => {
    lines += text;
    return true;
  });
  const { report } = new CommandProgress(undefined);
  const event = { call: 1, operation: "mentions", query: "alpha", rows: 5, pages: 1, requests: 1, rate: 1 };
  for (const [seconds, waiting] of [[1], [29], [31], [40, 4], [61], [71]] as const)
    report({ ...event, seconds, waiting } as ProgressEvent);
  const line = "mentions alpha  5 rows  1 request  ";
  expect(lines).toBe(`${line}1 rows/s\n${line}waiting 4 s\n${line}1 rows/s\n`);
});
