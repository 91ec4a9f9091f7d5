import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Corpus, type CorpusSummary, cross } from "../../src/corpus/index.js";
import { toRecords } from "../../src/index.js";
import { runs } from "../scale.js";
import { corpusOf, restoredAgain, untilComplete } from "./corpora.js";
import { find, type ServedRow, servedRow, startCorpusService } from "./corpusServer.js";
import { dayOf, fakeDates, secondOf } from "./dates.js";
import { tableBytes } from "./tableBytes.js";

const lookups = [] as const;
const today = fakeDates();

const HOUR = 3_600_000;
const FIRST = Date.parse("2024-03-28T00:00:00Z");

/** Twelve days around the turn of a month. */
const row = (id: number, hours: number) =>
  servedRow(7000 + id, FIRST + hours * HOUR, `alpha ${id % 3 === 0 ? "beta" : ""}`);

const searches = cross({ query: ["alpha", "beta"], mindate: "2024-03-28", maxdate: "2024-04-08" });
const hoursOf = fc.integer({ min: 0, max: 12 * 24 - 1 });
const idOf = fc.integer({ min: 0, max: 19 });
const edit = fc.oneof(
  fc.record({ kind: fc.constantFrom("remove" as const, "add" as const), id: idOf, hours: hoursOf }),
  fc.record({ kind: fc.constantFrom("move" as const, "correct" as const), id: idOf, hours: hoursOf }),
);

/** What a corpus should say of a mention: found out from the rows of the service alone. */
interface Expected {
  row: ServedRow;
  first_seen: string;
  changed: string | null;
  vanished: string | null;
}

function expectAfter(known: Map<string, Expected>, rows: readonly ServedRow[], day: string) {
  const counts = { added: 0, changed: 0, vanished: 0, returned: 0 };
  const now = new Map(rows.map((one) => [one.id, one]));
  for (const [id, one] of now) {
    const old = known.get(id);
    if (old === undefined) {
      known.set(id, { row: one, first_seen: day, changed: null, vanished: null });
      counts.added++;
      continue;
    }
    if (old.vanished !== null) counts.returned++;
    const isOther = JSON.stringify(old.row) !== JSON.stringify(one);
    if (isOther) counts.changed++;
    known.set(id, { ...old, row: one, changed: isOther ? day : old.changed, vanished: null });
  }
  for (const [id, one] of known)
    if (!now.has(id) && one.vanished === null) {
      known.set(id, { ...one, vanished: day });
      counts.vanished++;
    }
  return counts;
}

async function stateOf(corpus: Corpus) {
  return new Map(
    toRecords(await corpus.mentions().collect()).map(({ id, begintime, text, ...rest }) => [
      id as string,
      {
        begintime: secondOf(begintime as Date),
        text,
        first_seen: dayOf(rest.first_seen),
        changed: dayOf(rest.changed),
        vanished: dayOf(rest.vanished),
      },
    ]),
  );
}

describe("refreshes", () => {
  it("date what was added, changed, vanished and came back as the service shows it, in any window and time zone", async () => {
    const cases = fc.record({
      window: fc.constantFrom(undefined, "day" as const, "week" as const, "month" as const),
      hoursAhead: fc.integer({ min: -12, max: 14 }),
      edits: fc.array(fc.array(edit, { minLength: 0, maxLength: 8 }), { minLength: 1, maxLength: 4 }),
      maxRequests: fc.option(fc.integer({ min: 12, max: 40 }), { nil: undefined }),
      isRestored: fc.array(fc.boolean(), { minLength: 4, maxLength: 4 }),
    });
    await fc.assert(
      fc.asyncProperty(cases, async ({ window, hoursAhead, edits, maxRequests, isRestored }) => {
        const rows = new Map(Array.from({ length: 14 }, (_none, at) => [at, row(at, at * 20)]));
        await using service = await startCorpusService([...rows.values()]);
        service.hoursAhead = hoursAhead;
        today("2024-04-10");
        const corpus = await corpusOf(service, { pageSize: 4, searches, window, lookups });
        const served = () =>
          searches.flatMap((search) => find(service.rows, search as Record<string, string>, hoursAhead));
        const known = new Map<string, Expected>();
        const check = async (summary: CorpusSummary, day: string) => {
          const { vanished, returned, ...counts } = expectAfter(known, served(), day);
          expect(summary).toMatchObject(counts);
          // Between two runs under a budget, a mention that moves to another window is missing.
          expect(summary.vanished - summary.returned).toBe(vanished - returned);
          if (maxRequests === undefined) expect(summary).toMatchObject({ vanished, returned });
          const state = await stateOf(corpus);
          expect([...state.keys()].sort()).toEqual([...known.keys()].sort());
          for (const [id, { row: own, ...days }] of known)
            expect([id, state.get(id)]).toEqual([id, { begintime: own.begintime, text: own.text, ...days }]);
        };
        await check(await untilComplete(() => corpus.build({ maxRequests })), "2024-04-10");
        for (const [at, changes] of edits.entries()) {
          for (const { kind, id, hours } of changes) {
            const old = rows.get(id);
            if (kind === "remove") rows.delete(id);
            else if (kind === "add" && old === undefined) rows.set(id, row(id, hours));
            else if (kind === "move" && old !== undefined)
              rows.set(id, { ...old, begintime: row(id, hours).begintime });
            else if (kind === "correct" && old !== undefined) rows.set(id, { ...old, text: `${old.text} ${hours}` });
          }
          service.rows = [...rows.values()];
          const day = `2024-04-${11 + at}`;
          today(day);
          await check(await untilComplete(() => corpus.refresh({ lag: "90d", maxRequests })), day);
          const bytes = tableBytes(corpus.dir);
          if (isRestored[at]) expect(await restoredAgain(corpus)).toEqual(bytes);
        }
        expect((await corpus.verify()).problems).toEqual([]);
      }),
      { numRuns: runs(3, 16) },
    );
  });
});
