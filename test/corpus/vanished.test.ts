import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { cross, openCorpus } from "../../src/corpus/index.js";
import { toRecords } from "../../src/index.js";
import { clientTo } from "../client/clientTo.js";
import { temporaryFolder } from "../files/temporary.js";
import { runs } from "../scale.js";
import { type ServedRow, startCorpusService } from "./corpusServer.js";

const root = temporaryFolder();
beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"] });
});
afterEach(() => {
  vi.useRealTimers();
});

const FIRST = Date.parse("2024-03-01T00:00:00Z");
const HOUR = 3_600_000;
const DAYS = 9;

/** A row every three hours, in every window and at its borders. */
const ROWS: readonly ServedRow[] = Array.from({ length: DAYS * 8 }, (_none, at) => ({
  id: String(7000 + at),
  begintime: new Date(FIRST + at * 3 * HOUR).toISOString().replace(".000", ""),
  text: `row alpha ${at % 3 === 0 ? "beta" : ""}`,
  personid: 1,
  programid: 1,
}));

/** Whether a row is on the first or the last day of all windows, where another day of the service may begin. */
function isAtEnd({ begintime }: ServedRow): boolean {
  const day = Math.floor((Date.parse(begintime) - FIRST) / (24 * HOUR));
  return day === 0 || day === DAYS - 1;
}

let corpora = 0;
const searches = cross({ query: ["alpha", "beta"], mindate: "2024-03-01", maxdate: "2024-03-09" });

it("what vanishes is dated wherever its windows end, and in whatever time zone the service counts days", async () => {
  const cases = fc.record({
    window: fc.constantFrom("day", "week"),
    hoursAhead: fc.integer({ min: -12, max: 14 }),
    gone: fc.uniqueArray(fc.constantFrom(...ROWS), { minLength: 1, maxLength: 30 }),
    maxRequests: fc.option(fc.integer({ min: 5, max: 30 }), { nil: undefined }),
  });
  await fc.assert(
    fc.asyncProperty(cases, async ({ window, hoursAhead, gone, maxRequests }) => {
      await using service = await startCorpusService(ROWS);
      service.hoursAhead = hoursAhead;
      vi.setSystemTime(new Date("2024-03-25T12:00:00Z"));
      const archive = clientTo(service, { pageSize: 50 });
      const dir = join(root, String(corpora++));
      const corpus = await openCorpus(dir, { archive, searches, window: window as "day", lookups: [] });
      const built = toRecords(await corpus.build().then(() => corpus.mentions().collect()));
      service.rows = ROWS.filter((row) => !gone.includes(row));
      vi.setSystemTime(new Date("2024-03-26T12:00:00Z"));
      let counted = 0;
      for (let verdict = ""; verdict !== "complete"; ) {
        const summary = await corpus.refresh({ lag: "60d", maxRequests });
        ({ verdict } = summary);
        counted += summary.vanished;
      }
      const after = toRecords(await corpus.mentions().collect());
      const dated = new Set(after.filter(({ vanished }) => vanished !== null).map(({ id }) => id));
      const was = new Set(built.map(({ id }) => id));
      const expected = gone.filter((row) => was.has(row.id) && !isAtEnd(row)).map(({ id }) => id);
      expect(expected.filter((id) => !dated.has(id))).toEqual([]);
      // Nothing that is still there has vanished.
      expect([...dated].filter((id) => !gone.some((row) => row.id === id))).toEqual([]);
      expect(counted).toBe(dated.size);
    }),
    { numRuns: runs(2, 100) },
  );
});
