import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { provenanceOf } from "../../../src/index.js";
import { runs } from "../../scale.js";
import { archiveOf, plainPages, type Requester, serviceOf, services, wellBehaved } from "./generatedService.js";

const CASES = runs(120, 5000);

const counted = (requester: Requester, pageSize: number, maxRequests?: number) =>
  archiveOf(requester, pageSize).count("mentions", "x", { maxRequests });

describe("RowCounter", () => {
  it.each([
    [0, 1],
    [100, 2],
    [20_037, 16],
    [200_000, 20],
  ])("counts %d rows with at most %d requests", async (rows, requests) => {
    const service = serviceOf(wellBehaved(rows));
    const count = await counted(service, 100);
    expect(count).toMatchObject({ rows, verdict: "exact", reason: null });
    expect(service.requests.length).toBeLessThanOrEqual(requests);
    expect(provenanceOf(count)).toMatchObject({ requests: service.requests.length, verdict: "complete" });
  });

  it("never sends more than a logarithm of the pages", async () => {
    const sizes = fc.integer({ min: 300, max: 2_000_000 });
    await fc.assert(
      fc.asyncProperty(sizes, async (rows) => {
        const service = serviceOf(wellBehaved(rows));
        expect(await counted(service, 100)).toMatchObject({ rows, verdict: "exact" });
        expect(service.requests.length).toBeLessThanOrEqual(8 + 1.5 * Math.log2(rows / 100));
      }),
      { numRuns: 60 },
    );
  });

  it(`never calls a wrong number exact, on ${CASES} generated services`, async () => {
    const verdicts = new Map<string, number>();
    await fc.assert(
      fc.asyncProperty(services, fc.integer({ min: 3, max: 12 }), async (model, pageSize) => {
        const count = await counted(serviceOf(model), pageSize);
        verdicts.set(count.verdict, (verdicts.get(count.verdict) ?? 0) + 1);
        const listed = model.rows.length;
        const reachable = plainPages(model, pageSize).rows.length;
        // Where the service itself disagrees, because rows are equal or its cursor turns back, either number is right.
        if (count.verdict === "exact") expect([listed, reachable]).toContain(count.rows);
        if (count.verdict === "at least") expect(count.rows).toBeLessThanOrEqual(listed);
        expect(count.requests).toBeLessThanOrEqual(75);
      }),
      { numRuns: CASES },
    );
    expect(verdicts.get("exact")).toBeGreaterThan(CASES / 3);
    expect(verdicts.get("at least")).toBeGreaterThan(CASES / 40);
  });

  it("follows the cursor where page numbers do not work, or pages repeat rows", async () => {
    const { rows } = wellBehaved(20_000);
    const repeating = rows.slice(0).map((row, at, all) => (at > 200 && at % 100 === 0 ? (all[0] ?? row) : row));
    const repeated = await counted(serviceOf(wellBehaved(0, { rows: repeating })), 100);
    expect(repeated).toMatchObject({ rows: 5000 - 47, verdict: "at least" });
    const few = await counted(serviceOf(wellBehaved(2_000, { numbers: "ignored" })), 100);
    expect(few).toMatchObject({ rows: 2000, verdict: "exact" });
    const many = await counted(serviceOf(wellBehaved(20_000, { numbers: "ignored" })), 100);
    expect(many).toMatchObject({ rows: 5000, verdict: "at least" });
    const all = await counted(serviceOf(wellBehaved(20_000, { numbers: "ignored" })), 100, 500);
    expect(all).toMatchObject({ rows: 20_000, verdict: "exact" });
  });

  it("keeps the budget", async () => {
    for (const maxRequests of [0, 1, 2, 3, 5, 9]) {
      const service = serviceOf(wellBehaved(20_000));
      const requester: Requester = {
        request(path, query, context) {
          if (context?.budget?.take() === false) return Promise.reject(context.budget.usedUpError(path));
          return service.request(path, query, context);
        },
      };
      const count = await counted(requester, 100, maxRequests);
      expect(service.requests.length).toBe(maxRequests);
      expect(count).toMatchObject({ verdict: "at least", reason: "maxRequests" });
      expect(count.rows).toBeLessThanOrEqual(20_000);
    }
  });
});
