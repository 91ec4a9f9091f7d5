import fc from "fast-check";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { provenanceOf, toRecords } from "../../src/index.js";
import { type Period, periodOf } from "../../src/util/period.js";
import { runs } from "../scale.js";
import { archiveOf, bodyOf, type Requester } from "../service/paging/generatedService.js";

const CASES = runs(300, 4000);
const HOUR = 3_600_000;
const FIRST = Date.parse("2023-12-20");

// Times without an offset are in UTC, in whatever zone this runs.
beforeAll(() => void vi.stubEnv("TZ", "America/New_York"));
afterAll(() => void vi.unstubAllEnvs());

interface Model {
  /** The times of its rows. */
  readonly rows: ReadonlyArray<number | undefined>;
  readonly knowsNumbers: boolean;
}

/** Whether the service takes a row for a search of these days; one without a time has no day. */
function matches(time: number | undefined, search: Readonly<Record<string, string>>): boolean {
  const day = time === undefined ? undefined : new Date(time).toISOString().slice(0, 10);
  return day === undefined || (day >= (search.mindate ?? "") && day <= (search.maxdate ?? "9"));
}

function serviceOf(model: Model): Requester & { sent: number } {
  const service = {
    sent: 0,
    async request(...[, query, context]: Parameters<Requester["request"]>) {
      const search = Object.fromEntries(query);
      if (context?.budget?.take() === false) throw context.budget.usedUpError("/mentions");
      service.sent++;
      context?.onRequest?.();
      const limit = Number(search.limit ?? 20);
      const page = model.knowsNumbers ? Number(search.page ?? 1) : 1;
      const from = Number(search.cursor ?? (page - 1) * limit);
      const rows = model.rows
        .flatMap((time, at) => (matches(time, search) ? [{ time, at }] : []))
        .slice(from, from + limit)
        .map(({ time, at }) => ({
          id: String(at),
          text: "x",
          ...(time !== undefined && {
            begintime: new Date(time).toISOString().replace(at % 2 === 0 ? ".000" : ".000Z", ""),
          }),
        }));
      const body = Buffer.from(bodyOf({ rows, cursor: String(from + rows.length) }));
      const at = new Date(0);
      return { status: 200, body, headers: {}, sentAt: at, receivedAt: at, requests: 1, retries: 0 };
    },
  };
  return service;
}

const time = fc.oneof(
  fc.integer({ min: 0, max: 120 * 24 }).map((hours) => FIRST + hours * HOUR),
  // Around the boundary of days, and often of months.
  fc
    .tuple(fc.constantFrom("2024-01-01", "2024-02-01", "2024-02-12", "2024-03-01"), fc.integer({ min: -3, max: 3 }))
    .map(([day, seconds]) => Date.parse(day) + seconds * 1000),
);
const models: fc.Arbitrary<Model> = fc.record({
  rows: fc.array(fc.option(time, { freq: 3000, nil: undefined }), { maxLength: 150, size: "max" }),
  knowsNumbers: fc.constantFrom(true, true, false),
});

const days = { mindate: "2023-12-25", maxdate: "2024-03-10" };
const by = fc.constantFrom<Period>("year", "quarter", "month", "week", "day", "congress");

it(`groups have as many rows as searches for each, at no higher cost than both ways, in ${CASES} generated services`, async () => {
  let [fetched, exact] = [0, 0];
  await fc.assert(
    fc.asyncProperty(
      models,
      by,
      fc.integer({ min: 3, max: 40 }),
      fc.option(fc.nat(40), { freq: 1 }),
      async (model, by, size, budget) => {
        const service = serviceOf(model);
        const options = { ...days, by, ...(budget !== null && { maxRequests: budget }) };
        const frame = await archiveOf(service, size).count("mentions", "x", options);
        const counts = toRecords(frame);
        const { sent } = service;
        expect(provenanceOf(frame)?.requests).toBe(sent);
        expect(counts.reduce((sum, { requests }) => sum + Number(requests), 0)).toBe(sent);
        if (budget !== null) expect(sent).toBeLessThanOrEqual(budget);
        let separate = 0;
        for (const [at, { rows, verdict, requests, ...group }] of counts.entries()) {
          const search = daysOf(counts, at, by);
          const matching = model.rows.filter((row) => matches(row, search)).length;
          if (verdict === "exact") expect([group, rows]).toEqual([group, matching]);
          else expect([verdict, Number(rows) <= matching]).toEqual(["at least", true]);
          if (verdict === "exact") exact++;
          if (budget === null) separate += (await archiveOf(service, size).count("mentions", "x", search)).requests;
        }
        if (budget !== null) return;
        service.sent = 0;
        await archiveOf(service, size).mentions("x", { ...days, maxItems: Number.POSITIVE_INFINITY });
        if (counts.slice(1).every(({ requests }) => requests === 0)) fetched++;
        // Rows without a time show when the rows are there.
        const isOdd = model.rows.includes(undefined);
        expect(sent).toBeLessThanOrEqual(isOdd ? separate + service.sent : Math.max(service.sent, 1.5 * separate) + 2);
      },
    ),
    { numRuns: CASES },
  );
  expect(fetched).toBeGreaterThan(CASES / 10);
  expect(exact).toBeGreaterThan(CASES);
});

/** The days of a group, from its name. */
function daysOf(counts: ReadonlyArray<Readonly<Record<string, unknown>>>, at: number, by: Period) {
  const name = (counts[at] as Record<string, unknown>)[by];
  const begins: Readonly<Record<string, string>> = {
    "2023": "2023-12-25",
    "2023-Q4": "2023-12-25",
    "118": "2023-12-25",
  };
  const begin = begins[String(name)] ?? String(name).replace("-Q1", "").padEnd(10, "-01").slice(0, 10);
  const period = periodOf(Date.parse(begin), by as "day");
  const last = new Date(Date.parse(period.end) - 24 * HOUR).toISOString().slice(0, 10);
  return {
    mindate: begin < days.mindate ? days.mindate : begin,
    maxdate: last < days.maxdate ? last : days.maxdate,
  };
}
