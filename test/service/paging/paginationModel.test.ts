import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { provenanceOf } from "../../../src/index.js";
import type { Requester } from "../../../src/service/http/requester.js";
import { runs } from "../../scale.js";
import {
  archiveOf,
  bodyOf,
  pageAtPlace,
  plainPages,
  type ServiceRow,
  serviceOf,
  services,
  wellBehaved,
} from "./generatedService.js";

const CASES = runs(150, 2400);

interface Bounds {
  readonly pageSize: number;
  readonly ahead: number;
  readonly maxItems: number | undefined;
}

/** Reads all pages of a service to the end. Returns the rows and their provenance. */
async function paginated(requester: Requester, { pageSize, ahead, maxItems = 1e12 }: Bounds) {
  const archive = archiveOf(requester, pageSize, Math.max(1, ahead));
  if (ahead > 0) {
    const rows = (await archive.mentions("x", { maxItems, format: "records" })) as unknown as ServiceRow[];
    return { rows, recorder: provenanceOf(rows) };
  }
  const rows: ServiceRow[] = [];
  for await (const row of archive.iterRecords("mentions", { query: "x", maxItems })) rows.push(row as never);
  return { rows, recorder: provenanceOf(archive.lastResult()?.frame) };
}

const bounds = fc.record({
  pageSize: fc.integer({ min: 3, max: 12 }),
  ahead: fc.integer({ min: 0, max: 10 }),
  maxItems: fc.option(fc.integer({ min: 1, max: 300 }), { freq: 3, nil: undefined }),
});

/** Requests for `pages` pages of a well-behaved service: each once, a check, and where lanes begin and beyond the end some twice. */
function mostRequests(pages: number, ahead: number): number {
  if (pages < 9 || ahead < 4) return pages + 1;
  return pages + 3 + Math.min(ahead, Math.ceil(pages / 2) + 1) + Math.ceil(pages / 16);
}

describe("a pagination, compared to the reference pagination by cursor", () => {
  it(`returns the same rows in the same order and is complete, on ${CASES} generated services`, async () => {
    await fc.assert(
      fc.asyncProperty(services, bounds, async (generated, limits) => {
        // With maxItems the last pages are smaller, so the pagination may step over the position that leads back.
        const model = limits.maxItems === undefined ? generated : { ...generated, loop: undefined };
        const service = serviceOf(model);
        const oracle = plainPages(model, limits.pageSize);
        const { rows, recorder } = await paginated(service, limits);
        const wanted = oracle.rows.slice(0, limits.maxItems);
        expect(rows).toEqual(wanted);
        expect(recorder?.rows).toBe(wanted.length);
        if (limits.maxItems === undefined || limits.maxItems > oracle.rows.length) {
          expect(recorder?.verdict).toBe("complete");
          expect(recorder?.cursor).toBeNull();
        } else expect(["complete", "capped"]).toContain(recorder?.verdict);
        const numbered = service.requests.filter(({ page }) => page !== undefined).length;
        if (limits.maxItems === undefined) {
          expect(recorder?.duplicates).toBe(oracle.duplicates);
          // Where numbers turn out wrong later, the lanes were for nothing.
          const lanes = oracle.pages <= 8 || limits.ahead < 4 ? 0 : limits.ahead * 16;
          expect(service.requests.length).toBeLessThanOrEqual(oracle.pages + 1 + lanes);
        }
        if (oracle.pages <= 8 || limits.ahead < 4) expect(numbered).toBe(0);
      }),
      { numRuns: CASES },
    );
  });

  it("sends few more requests to a well-behaved service than it has pages", async () => {
    const rows = fc.integer({ min: 1, max: 900 });
    await fc.assert(
      fc.asyncProperty(rows, bounds, async (count, { pageSize, ahead }) => {
        const model = wellBehaved(count);
        const service = serviceOf(model);
        const result = await paginated(service, { pageSize, ahead: Math.max(1, ahead), maxItems: undefined });
        expect(result.rows).toEqual(model.rows.slice());
        const most = mostRequests(Math.ceil(count / pageSize), ahead);
        expect(service.requests.length).toBeLessThanOrEqual(most);
      }),
      { numRuns: runs(100, 300) },
    );
  });

  it.each([
    [5000, undefined, 59],
    [5030, undefined, 60],
    [100_000, undefined, 1052],
    [10, 10, 1],
    [730, undefined, 9],
    [5000, 1230, 13],
  ])("%d rows, maxItems %s: %d requests", async (count, maxItems, requests) => {
    const service = serviceOf(wellBehaved(count));
    const { rows } = await paginated(service, { pageSize: Math.min(100, maxItems ?? 100), ahead: 8, maxItems });
    expect(rows).toHaveLength(maxItems ?? count);
    expect(service.requests.length).toBeLessThanOrEqual(requests);
    if (maxItems !== undefined) expect(service.requests.reduce((sum, { limit }) => sum + limit, 0)).toBe(maxItems);
  });
});

it("generates services of different sizes", () => {
  const seen = fc.sample(services, 200).map((model) => plainPages(model, 5).pages);
  expect(seen.filter((pages) => pages > 12).length).toBeGreaterThan(40);
  expect(bodyOf(pageAtPlace(wellBehaved(0), 0, 5))).toBe('{"cursor":"c0"}');
});
