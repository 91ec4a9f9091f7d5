import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { provenanceOf } from "../../../src/index.js";
import { runs } from "../../scale.js";
import {
  archiveOf,
  plainPages,
  type Requester,
  type ServiceRow,
  serviceOf,
  services,
  wellBehaved,
} from "./generatedService.js";

const CASES = runs(60, 2400);

interface Bounds {
  readonly pageSize: number | undefined;
  /** Whether a page is requested while the one before it is processed. */
  readonly ahead: boolean;
  readonly maxItems: number | undefined;
}

/** Reads all pages of a service to the end. Returns the rows and their provenance. */
async function paginated(requester: Requester, { pageSize, ahead, maxItems = 1e12 }: Bounds) {
  const archive = archiveOf(requester, pageSize);
  if (ahead) {
    const rows = (await archive.mentions("x", { maxItems, format: "records" })) as unknown as ServiceRow[];
    return { rows, recorder: provenanceOf(rows) };
  }
  const rows: ServiceRow[] = [];
  for await (const row of archive.iterRecords("mentions", { query: "x", maxItems })) rows.push(row as never);
  return { rows, recorder: provenanceOf(archive.lastResult()?.frame) };
}

const bounds = fc.record({
  pageSize: fc.integer({ min: 3, max: 12 }),
  ahead: fc.boolean(),
  maxItems: fc.option(fc.integer({ min: 1, max: 300 }), { freq: 3, nil: undefined }),
});

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
        if (limits.maxItems === undefined) {
          expect(recorder?.duplicates).toBe(oracle.duplicates);
          expect(service.requests).toHaveLength(oracle.pages);
        }
        expect(service.requests.filter(({ page }) => page !== undefined)).toEqual([]);
      }),
      { numRuns: CASES },
    );
  });
});

/** A service of which the law below knows what every page takes. */
const lawful = fc.record({
  rows: fc.integer({ min: 0, max: 2500 }),
  pageSize: fc.option(fc.integer({ min: 1, max: 1200 }), { nil: undefined }),
  /** Rows per page at most; larger limits are reduced to it, or refused. */
  cap: fc.constantFrom(1000, 1000, 500, 100, 20, 7),
  refuses: fc.boolean(),
  /** The page without rows that follows the last one, or how the last one shows that it is the last. */
  end: fc.constantFrom("empty page" as const, "no cursor" as const, "own cursor" as const),
  cursors: fc.constantFrom("counting" as const, "keyset" as const),
  ahead: fc.boolean(),
  maxItems: fc.option(fc.integer({ min: 1, max: 2600 }), { nil: undefined }),
});

/** The sizes that are tried in turn, of which the service refuses the first. */
const sizesOf = (pageSize: number | undefined, maxItems: number) =>
  pageSize === undefined ? [1000, 20].map((size) => Math.min(size, maxItems)) : [pageSize];

describe("the number of requests", () => {
  it("is one per page, and one to confirm the end where the last cursor was not followed", async () => {
    await fc.assert(
      fc.asyncProperty(lawful, async ({ rows: count, pageSize, cap, refuses, end, cursors, ahead, maxItems }) => {
        const wanted = Math.min(count, maxItems ?? count);
        // A page of the user's choice that the service refuses is an error.
        fc.pre(!refuses || (pageSize ?? 0) <= cap);
        // What a service sends that is not asked for a size is not refused.
        fc.pre(!refuses || cap >= 20);
        // The page that confirms the end may be smaller than the first, and then leads on.
        fc.pre(end !== "own cursor" || maxItems === undefined || maxItems <= count);
        const service = serviceOf(wellBehaved(count, { cap, end, refuses, cursors }));
        const { rows, recorder } = await paginated(service, { pageSize, ahead, maxItems });
        expect(rows.map(({ id }) => Number(id))).toEqual(Array.from({ length: wanted }, (_, at) => at + 1));
        const sizes = sizesOf(pageSize, maxItems ?? Number.POSITIVE_INFINITY);
        const refused = refuses ? sizes.filter((size) => size > cap && size > 20) : [];
        const distinct = new Set(refused).size;
        const page = Math.min(cap, ...(refuses ? [sizes.find((size) => size <= cap) ?? 20] : sizes.slice(0, 1)));
        const isCapped = maxItems !== undefined && maxItems <= count;
        // An empty search is one page, which confirms itself.
        const confirms = !isCapped && (end === "empty page" || count === 0) ? 1 : 0;
        // A last page whose cursor leads back to itself confirms the end, unless it is the first, which had no cursor.
        const isOwnFirst = !isCapped && end === "own cursor" && count > 0 && count <= page ? 1 : 0;
        expect(service.requests.length - distinct).toBe(Math.ceil(wanted / page) + confirms + isOwnFirst);
        expect(recorder?.requests).toBe(service.requests.length);
        expect(recorder?.verdict).toBe(isCapped && recorder?.cursor !== null ? "capped" : "complete");
      }),
      { numRuns: runs(120, 4000) },
    );
  });
});
