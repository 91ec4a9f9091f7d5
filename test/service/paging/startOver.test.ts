import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { expect, it } from "vitest";
import { createClient } from "../../../src/client.js";
import { type ArchiveClient, provenanceOf } from "../../../src/index.js";
import { errorFromResponse } from "../../../src/service/http/failures.js";
import { runs } from "../../scale.js";
import { warningsOf } from "../../util/warningsOf.js";
import { KEY } from "../key.js";
import type { Requester } from "./generatedService.js";

/** How a service answers a cursor that it gave in another session. */
const FORGETS = [400, 404, 410, 422, 500, 503, "empty"] as const;

const cases = fc.record({
  rows: fc.integer({ min: 0, max: 60 }),
  pageSize: fc.integer({ min: 1, max: 20 }),
  /** The pages that each run gets before the service is down, and whether the next run is in another session. */
  stops: fc.array(fc.record({ pages: fc.nat(6), expires: fc.boolean() }), { maxLength: 5 }),
  forgets: fc.constantFrom(...FORGETS),
  /** Whether a cursor looks the same in every session. */
  alike: fc.boolean(),
});

/** A service with sessions, which answers so many requests before it is down. */
function sessions(rows: number, forgets: (typeof FORGETS)[number], alike: boolean) {
  const state = { session: 0, left: 0, sent: 0, time: 0, issued: new Set<string>() };
  const requester: Requester = {
    async request(path, query, context) {
      context?.onRequest?.();
      const at = new Date(++state.time);
      const answer = (status: number, body: object) => {
        const text = JSON.stringify(body);
        if (status > 299) throw errorFromResponse({ path, response: { status, headers: {}, body: text } });
        const times = { sentAt: at, receivedAt: at };
        return { status, body: Buffer.from(text), headers: {}, ...times, requests: 1, retries: 0 };
      };
      await null;
      if (state.left-- <= 0) return answer(500, {});
      state.sent++;
      const { cursor, limit } = Object.fromEntries(query);
      if (cursor !== undefined && !state.issued.has(cursor))
        return forgets === "empty" ? answer(200, { cursor }) : answer(forgets, { message: "unknown cursor" });
      const from = Number(cursor?.split("-")[1] ?? 0);
      const ids = Array.from({ length: Math.max(0, Math.min(Number(limit), rows - from)) }, (_, nth) => from + nth);
      const next = `${alike ? "c" : state.session}-${from + ids.length}`;
      state.issued.add(next);
      return answer(200, { cursor: next, ...(ids.length > 0 && { mentions: ids.map((id) => ({ id: String(id) })) }) });
    },
  };
  return Object.assign(requester, {
    state,
    run(left: number, expires: boolean) {
      state.left = left;
      if (!expires) return;
      state.session++;
      state.issued = new Set();
    },
  });
}

/** Two ways to read a search to the end that store what they have before they fail. */
const WAYS = {
  save: async (client: ArchiveClient, dir: string) => {
    const path = await client.save("mentions", join(dir, "x.jsonl"), { query: "x", resume: true });
    const lines = readFileSync(path, "utf8").trim().split("\n").filter(Boolean);
    return lines.map((line) => JSON.parse(line) as { id: string });
  },
  snapshot: async (client: ArchiveClient) =>
    client.mentions("x", { maxItems: Number.POSITIVE_INFINITY, format: "records" }),
};

it.each(["save", "snapshot"] as const)(
  "a %s ends with every row once, whatever cursors the service forgets",
  async (way) => {
    await fc.assert(
      fc.asyncProperty(cases, async ({ rows, pageSize, stops, forgets, alike }) => {
        const dir = join(tmpdir(), randomUUID());
        const service = sessions(rows, forgets, alike);
        const read = async () => {
          const snapshot = way === "snapshot" ? { dir: join(dir, "s") } : undefined;
          const options = { apiKey: KEY, pageSize, progress: false, maxRetries: 0, snapshot } as const;
          const client = createClient(options, {
            source: "http://x",
            transportOf: () => ({ ...service, close: async () => undefined }),
          });
          try {
            const found = await WAYS[way](client, dir);
            return { rows: found, provenance: provenanceOf(client.lastResult()?.frame) };
          } finally {
            await client.close();
          }
        };
        const { warnings } = await warningsOf(async () => {
          for (const { pages, expires } of stops) {
            service.run(pages, expires);
            await read().catch(() => undefined);
          }
        });
        const before = service.state.sent;
        service.run(1000, false);
        const { result, warnings: last } = await warningsOf(read);
        expect(result.rows.map(({ id }) => Number(id))).toEqual([...Array(rows).keys()]);
        expect(result.provenance).toMatchObject({ verdict: "complete", reason: null, rows, duplicates: 0 });
        // The end may be asked for twice: in the run that was stopped before it, and to see that it is the end.
        const pages = Math.ceil(rows / pageSize) + 1;
        expect(service.state.sent - before).toBeLessThanOrEqual(pages + 2);
        const told = [...warnings, ...last].filter(([code]) => code === "STARTED_OVER").length;
        if (stops.every(({ expires }) => !expires) && rows > pageSize) expect(told).toBe(0);
        expect(told).toBeLessThanOrEqual(stops.length + 1);
      }),
      { numRuns: runs(40, 1500) },
    );
  },
);
