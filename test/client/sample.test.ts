import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { distinctNumbers, drawRows } from "../../src/call/drawRows.js";
import {
  ArchiveError,
  openArchive,
  type PolarsFrame,
  provenanceOf,
  toRecords,
  ValidationError,
} from "../../src/index.js";
import { seededRandom } from "../../src/util/seededRandom.js";
import { recordedAndReplayed } from "../responses/recording.js";
import { runs } from "../scale.js";
import { errorOf } from "../service/helpers.js";
import {
  archiveOf,
  plainPages,
  type Requester,
  type ServiceModel,
  serviceOf,
  services,
  wellBehaved,
} from "../service/paging/generatedService.js";
import { fastRandom } from "../tools/fastRandom.js";
import { served } from "./clientTo.js";

const CASES = runs(60, 3000);
const DRAWS = runs(2000, 100_000);

const sizes = fc.record({
  of: fc.integer({ min: 1, max: 3000 }),
  pageRows: fc.integer({ min: 1, max: 100 }),
  rows: fc.integer({ min: 1, max: 300 }),
  pages: fc.integer({ min: 1, max: 60 }),
});

/** As `archive.sample` draws: from some pages, or from all rows. */
function drawn(size: { of: number; pageRows: number; rows: number; pages: number }, random: () => number): number[] {
  const positions = drawRows(size, size, random);
  if (positions === undefined) return distinctNumbers(Math.min(size.rows, size.of), size.of, random);
  return [...positions].flatMap(([page, rows]) => rows.map((at) => (page - 1) * size.pageRows + at));
}

describe("drawRows", () => {
  it("draws different rows of the result, from few pages", () => {
    fc.assert(
      fc.property(sizes, fc.nat(), (size, seed) => {
        const { of, pageRows, rows, pages } = size;
        const places = drawn(size, seededRandom(seed));
        expect(new Set(places).size).toBe(Math.min(rows, of));
        expect(places.length).toBe(Math.min(rows, of));
        expect(places.every((at) => at >= 0 && at < of)).toBe(true);
        expect(places).toEqual(places.toSorted((a, b) => a - b));
        const positions = drawRows(size, size, seededRandom(seed)) ?? new Map<number, number[]>();
        for (const onPage of positions.values()) expect(Math.max(...onPage)).toBeLessThan(pageRows);
        expect(positions.size).toBeLessThanOrEqual(Math.max(pages, Math.ceil(rows / pageRows)) + 1);
      }),
    );
  });

  it.each([
    { of: 47, pageRows: 10, rows: 7, pages: 3 },
    { of: 101, pageRows: 10, rows: 20, pages: 4 },
    { of: 60, pageRows: 10, rows: 11, pages: 5 },
    { of: 60, pageRows: 10, rows: 11, pages: 50 },
    { of: 12, pageRows: 10, rows: 4, pages: 1 },
    { of: 99, pageRows: 25, rows: 3, pages: 20 },
  ])(`draws each row equally often: %j, ${DRAWS} times`, (size) => {
    const { of, rows } = size;
    const times = new Array<number>(of).fill(0);
    const random = fastRandom(12345);
    for (let draw = 0; draw < DRAWS; draw++)
      for (const at of drawn(size, random)) times[at] = (times[at] as number) + 1;
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
  it("fetches a few pages of a large search", async () => {
    const service = serviceOf(wellBehaved(20_037));
    const frame = await sampled(service, { rows: 200, pages: 10, seed: 4 });
    const ids = idsOf(frame);
    expect(new Set(ids).size).toBe(200);
    expect(ids).toEqual(ids.toSorted((a, b) => a - b));
    expect(frame.getColumn("page").toArray()).toEqual(ids.map((id) => Math.ceil(id / 100)));
    expect(service.requests.length).toBeLessThanOrEqual(16 + 11);
    const report = provenanceOf(frame)?.sample;
    expect(report).toMatchObject({ of: 20_037, rows: 200, pages: 10, pageRows: 100, seed: 4, verdict: "exact" });
    expect(report?.note).toMatch(
      /^Each row .* equally likely; about 20 come from each of 10 pages, and rows of one page may/,
    );
    expect(provenanceOf(frame)).toMatchObject({
      rows: 200,
      verdict: "capped",
      reason: "sample",
      requests: service.requests.length,
    });
    expect(idsOf(await sampled(serviceOf(wellBehaved(20_037)), { rows: 200, pages: 10, seed: 4 }))).toEqual(ids);
    expect(idsOf(await sampled(serviceOf(wellBehaved(20_037)), { rows: 200, pages: 10, seed: 5 }))).not.toEqual(ids);
  });

  it("is the whole search if that has no more rows", async () => {
    for (const rows of [0, 1, 100, 150, 200]) {
      const frame = await sampled(serviceOf(wellBehaved(rows)), { rows: 200 });
      expect(idsOf(frame)).toEqual(Array.from({ length: rows }, (_none, at) => at + 1));
      expect(frame.getColumn("page").toArray()).toEqual(Array.from({ length: rows }, () => null));
      expect(provenanceOf(frame)).toMatchObject({ verdict: "complete", sample: { of: rows, rows, verdict: "exact" } });
      expect(provenanceOf(frame)?.sample?.note).toBe("These are all rows of the search.");
    }
  });

  it.each<[string, Partial<ServiceModel>]>([
    ["pages end early", { depth: { pages: 20, as: "empty" } }],
    ["deep pages are refused", { depth: { pages: 20, as: 400 } }],
    ["numbers are ignored", { numbers: "ignored" }],
  ])("refuses if %s", async (_name, more) => {
    const error = await errorOf(sampled(serviceOf(wellBehaved(7000, more)), { rows: 200 }), ArchiveError);
    expect(error.code).toBe("CANNOT_SAMPLE");
    expect(error.message).toMatch(/^no sample can be drawn: at least \d+ rows were found, but .*mindate and maxdate/s);
  });

  it("says so if rows move while it reads", async () => {
    const before = serviceOf(wellBehaved(5000));
    const after = serviceOf(wellBehaved(4000));
    let requests = 0;
    const moving: Requester = {
      request: (...args) => (++requests > 15 ? after : before).request(...args),
    };
    const frame = await sampled(moving, { rows: 100, pages: 25 });
    expect(provenanceOf(frame)?.sample).toMatchObject({ verdict: "estimated" });
    expect(provenanceOf(frame)?.sample?.note).toMatch(/^Rows moved between the pages/);
  });

  it(`never calls a wrong sample exact, on ${CASES} generated services`, async () => {
    let exact = 0;
    const rows = fc.integer({ min: 1, max: 40 });
    await fc.assert(
      fc.asyncProperty(services, rows, fc.integer({ min: 1, max: 8 }), fc.nat(99), async (one, count, pages, seed) => {
        const frame = await sampled(serviceOf(one), { rows: count, pages, seed }, 7).catch((error: unknown) => {
          expect(error).toBeInstanceOf(ArchiveError);
          expect((error as ArchiveError).code).toBe("CANNOT_SAMPLE");
        });
        if (frame === undefined) return;
        const report = provenanceOf(frame)?.sample;
        const listed = new Set(one.rows.slice().map((row) => JSON.stringify(row)));
        const found = toRecords(frame).map(({ id, text }) => JSON.stringify({ id, text }));
        expect(found.every((row) => listed.has(row))).toBe(true);
        expect(new Set(found).size).toBe(found.length);
        expect(report?.rows).toBe(found.length);
        if (report?.verdict !== "exact") return;
        exact++;
        expect([one.rows.length, plainPages(one, 7).rows.length]).toContain(report.of);
        expect(found.length).toBe(Math.min(count, report.of));
      }),
      { numRuns: CASES },
    );
    expect(exact).toBeGreaterThan(CASES / 3);
  });

  it.each([
    ["mentions", { rows: 0 }, /rows/],
    ["mentions", {}, /rows/],
    ["mentions", { rows: 5, pages: 0 }, /pages/],
    ["mentions", { rows: 5, seed: -1 }, /seed/],
    ["mentions", { rows: 5, page: 2 }, /drawn from all pages/],
    ["mentions", { rows: 5, sed: 2 }, /Did you mean seed/],
    ["mentions", { rows: 5, strata: "year" }, /strata/],
    ["bills", { rows: 5 }, /"mentions"/],
  ])("refuses %s %j before any request", async (operation, options, message) => {
    const { server, archive } = await served(() => ({ body: {} }));
    const error = await errorOf(
      archive.sample(operation as "mentions", "x", options as { rows: number }),
      ValidationError,
    );
    expect(error.message).toMatch(message);
    expect(server.requests).toEqual([]);
  });

  it("represents the embedded archive, and is replayed from a snapshot", async () => {
    await recordedAndReplayed(async (archive) => {
      const frame = await archive.sample("mentions", "climate", { rows: 25, seed: 3, pages: 5, limit: 20 });
      return [toRecords(frame), provenanceOf(frame)?.sample];
    });
    await using fresh = await openArchive({ announce: false });
    const all = await fresh.mentions("climate", { maxItems: 100_000, format: "records" });
    const place = new Map(all.map(({ id }, at) => [id, at]));
    const places: number[] = [];
    for (let seed = 1; seed <= 8; seed++) {
      const frame = await fresh.sample("mentions", "climate", { rows: 40, seed, pages: 8, limit: 10 });
      expect(provenanceOf(frame)?.sample).toMatchObject({ of: all.length, rows: 40, verdict: "exact" });
      places.push(...toRecords(frame).map(({ id }) => place.get(id as string) as number));
    }
    const mean = places.reduce((sum, at) => sum + at, 0) / places.length / all.length;
    // Five standard errors of the mean of 320 rows, if they were drawn one by one.
    expect(Math.abs(mean - 0.5)).toBeLessThan((5 * Math.sqrt(1 / 12)) / Math.sqrt(places.length));
  });
});
