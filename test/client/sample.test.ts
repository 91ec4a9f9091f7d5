import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { distinctNumbers, drawRows } from "../../src/call/sample.js";
import { ArchiveError, type PolarsFrame, provenanceOf, toRecords, ValidationError } from "../../src/index.js";
import { recordedAndReplayed } from "../responses/recording.js";
import { runs } from "../scale.js";
import { errorOf } from "../service/helpers.js";
import {
  archiveOf,
  plainPages,
  type Requester,
  serviceOf,
  services,
  wellBehaved,
} from "../service/paging/generatedService.js";
import { fastRandom } from "../tools/fastRandom.js";
import { served } from "./clientTo.js";

const CASES = runs(60, 3000);
const DRAWS = runs(2000, 100_000);

/** As `archive.sample` draws: from some pages, or from all rows. */
function drawn(size: { of: number; rowsPerPage: number; rows: number; pages: number }, random: () => number): number[] {
  const positions = drawRows(size, size, random);
  if (positions === undefined) return distinctNumbers(Math.min(size.rows, size.of), size.of, random);
  expect(positions.size).toBeLessThanOrEqual(Math.max(size.pages, Math.ceil(size.rows / size.rowsPerPage)) + 1);
  return [...positions].flatMap(([page, rows]) => rows.map((at) => (page - 1) * size.rowsPerPage + at));
}

describe("a draw", () => {
  it.each([
    { of: 47, rowsPerPage: 10, rows: 7, pages: 3 },
    { of: 101, rowsPerPage: 10, rows: 20, pages: 4 },
    { of: 60, rowsPerPage: 10, rows: 11, pages: 5 },
    { of: 60, rowsPerPage: 10, rows: 11, pages: 50 },
    { of: 12, rowsPerPage: 10, rows: 4, pages: 1 },
    { of: 99, rowsPerPage: 25, rows: 3, pages: 20 },
  ])(`takes each row equally often, from few pages: %j, ${DRAWS} times`, (size) => {
    const { of, rows } = size;
    const times = new Array<number>(of).fill(0);
    const random = fastRandom(12345);
    for (let draw = 0; draw < DRAWS; draw++)
      for (const at of new Set(drawn(size, random))) times[at] = (times[at] as number) + 1;
    expect(times.reduce((sum, count) => sum + count)).toBe(DRAWS * rows);
    const share = rows / of;
    const deviation = Math.sqrt(DRAWS * share * (1 - share));
    // One of the hundred rows would exceed this by chance in one of ten thousand runs; the random numbers are always the same.
    for (const count of times) expect(Math.abs(count - DRAWS * share)).toBeLessThan(4.9 * deviation);
  });
});

async function sampled(requester: Requester, options: object, pageSize = 100): Promise<PolarsFrame> {
  return await archiveOf(requester, pageSize).sample("mentions", "x", options as { rows: number });
}

const idsOf = (frame: PolarsFrame) => toRecords(frame).map(({ id }) => Number(id));

describe("archive.sample", () => {
  it("fetches a few pages of a large search, always the same for a seed", async () => {
    const service = serviceOf(wellBehaved(20_037));
    const frame = await sampled(service, { rows: 200, pages: 10, seed: 4 });
    const ids = idsOf(frame);
    expect(new Set(ids).size).toBe(200);
    expect(ids).toEqual(ids.toSorted((a, b) => a - b));
    expect(frame.getColumn("page").toArray()).toEqual(ids.map((id) => Math.ceil(id / 100)));
    const { length: requests } = service.requests;
    expect(requests).toBeLessThanOrEqual(16 + 11);
    expect(provenanceOf(frame)).toMatchObject({ rows: 200, verdict: "capped", reason: "sample", requests });
    expect(provenanceOf(frame)?.sample).toEqual({ of: 20_037, rows: 200, pages: 10, pageRows: 100, seed: 4 });
    expect(idsOf(await sampled(serviceOf(wellBehaved(20_037)), { rows: 200, pages: 10, seed: 4 }))).toEqual(ids);
    expect(idsOf(await sampled(serviceOf(wellBehaved(20_037)), { rows: 200, pages: 10, seed: 5 }))).not.toEqual(ids);
  });

  it.each([0, 100, 150, 200])("is the whole search if that has %d rows", async (rows) => {
    const frame = await sampled(serviceOf(wellBehaved(rows)), { rows: 200 });
    expect(idsOf(frame)).toEqual(Array.from({ length: rows }, (_none, at) => at + 1));
    expect(frame.getColumn("page").nullCount()).toBe(rows);
    expect(provenanceOf(frame)).toMatchObject({ verdict: "complete", sample: { of: rows, rows, pageRows: null } });
  });

  it("refuses if rows move while it reads", async () => {
    const [before, after] = [serviceOf(wellBehaved(5000)), serviceOf(wellBehaved(4000))];
    let requests = 0;
    const moving: Requester = { request: (...args) => (++requests > 15 ? after : before).request(...args) };
    const error = await errorOf(sampled(moving, { rows: 100, pages: 25 }), ArchiveError);
    expect([error.code, error.message]).toEqual([
      "CANNOT_SAMPLE",
      expect.stringMatching(/rows moved .*Repeat the call/s),
    ]);
  });

  it(`has different rows of the search, or refuses, on ${CASES} generated services`, async () => {
    let samples = 0;
    const rows = fc.integer({ min: 1, max: 40 });
    await fc.assert(
      fc.asyncProperty(services, rows, fc.integer({ min: 1, max: 8 }), fc.nat(99), async (one, count, pages, seed) => {
        const frame = await sampled(serviceOf(one), { rows: count, pages, seed }, 7).catch((error: unknown) => {
          expect((error as ArchiveError).code).toBe("CANNOT_SAMPLE");
          expect((error as ArchiveError).message).toMatch(/^no sample can be drawn: (at least \d+|rows moved)/);
        });
        if (frame === undefined) return;
        samples++;
        const { of = 0, rows } = provenanceOf(frame)?.sample ?? {};
        const listed = new Set(one.rows.slice().map((row) => JSON.stringify(row)));
        const found = toRecords(frame).map(({ id, text }) => JSON.stringify({ id, text }));
        expect(found.filter((row) => !listed.has(row))).toEqual([]);
        expect(new Set(found).size).toBe(found.length);
        expect([one.rows.length, plainPages(one, 7).rows.length]).toContain(of);
        expect([rows, found.length]).toEqual([found.length, Math.min(count, of)]);
      }),
      { numRuns: CASES },
    );
    expect(samples).toBeGreaterThan(CASES / 3);
  });

  it.each([
    ["mentions", { rows: 0 }, /rows/],
    ["mentions", { rows: 5, pages: 0 }, /pages/],
    ["mentions", { rows: 5, seed: -1 }, /seed/],
    ["mentions", { rows: 5, page: 2 }, /invalid page: .*Leave it out/],
    ["mentions", { rows: 5, sed: 2 }, /Did you mean seed/],
    ["bills", { rows: 5 }, /"mentions"/],
  ])("refuses %s %j before any request", async (operation, options, message) => {
    const { server, archive } = await served(() => ({ body: {} }));
    const call = archive.sample(operation as "mentions", "x", options as { rows: number });
    expect((await errorOf(call, ValidationError)).message).toMatch(message);
    expect(server.requests).toEqual([]);
  });

  it("is replayed from a snapshot", async () => {
    await recordedAndReplayed(async (archive) => {
      const frame = await archive.sample("mentions", "climate", { rows: 25, seed: 3, pages: 5, limit: 20 });
      return [toRecords(frame), provenanceOf(frame)?.sample];
    });
  });
});
