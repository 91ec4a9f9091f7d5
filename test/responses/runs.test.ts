import { rmSync } from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";
import {
  APIError,
  type ArchiveClientOptions,
  ArchiveError,
  type SnapshotMode,
  verifySnapshot,
} from "../../src/index.js";
import { temporaryFolder } from "../files/temporary.js";
import { runs } from "../scale.js";
import { KEY } from "../service/helpers.js";
import type { Requester } from "../service/paging/generatedService.js";
import { abortedError, createClient } from "../service/paging/generatedService.js";

const root = temporaryFolder();
const START = Date.now();
afterEach(() => {
  vi.restoreAllMocks();
});

/** A search whose rows move: cursors are offsets. Each row contains the number of its response, its page. */
class MovingService {
  rows = 20;
  now = START;
  /** Successful requests before the service fails; `Infinity` for never. */
  until = Number.POSITIVE_INFINITY;
  requests = 0;

  constructor(
    readonly most: number,
    readonly refusesLimits: boolean,
    readonly pageSize: number | undefined,
  ) {
    vi.spyOn(Date, "now").mockImplementation(() => this.now);
  }

  readonly request: Requester["request"] = async (path, query, context) => {
    const { cursor = "c0", limit } = Object.fromEntries(query);
    context?.onRequest?.();
    const page = ++this.requests;
    const at = new Date(++this.now);
    const fails = --this.until < 0;
    for (let turns = page % 4; turns > 0; turns--) await setImmediate();
    if (context?.signal?.aborted) throw abortedError();
    const refuse = (statusCode: number, code: "SERVER_ERROR" | "HTTP_ERROR") => {
      const response = { status: statusCode, headers: {}, body: "{}" };
      return new APIError("refused", { code, hint: "", method: "GET", path, statusCode, response });
    };
    if (fails) throw refuse(500, "SERVER_ERROR");
    if (Number(limit) > 20 && this.refusesLimits) throw refuse(400, "HTTP_ERROR");
    const offset = Number(cursor.slice(1));
    const end = Math.max(offset, Math.min(this.rows, offset + Math.min(this.most, Number(limit ?? 20))));
    const ids = [...Array(end - offset).keys()].map((row) => String(1000 * page + row));
    const mentions = ids.map((id) => ({ id, length: page }));
    const body = Buffer.from(JSON.stringify({ cursor: `c${end}`, ...(mentions.length && { mentions }) }));
    return { status: 200, body, headers: {}, requests: 1, retries: 0, sentAt: at, receivedAt: at };
  };

  async close(): Promise<void> {}
}

interface SearchRun {
  /** The numbers of the pages. */
  readonly pages: readonly number[];
  readonly code: string | undefined;
  /** Whether requests were sent. */
  readonly live: boolean;
}

async function runSearch(
  service: MovingService,
  storage: Pick<ArchiveClientOptions, "snapshot" | "cache">,
  maxItems: number | undefined,
  leaveAfter = Number.POSITIVE_INFINITY,
): Promise<SearchRun> {
  const before = service.requests;
  const pages = new Set<number>();
  let code: string | undefined;
  try {
    const options = { apiKey: KEY, pageSize: service.pageSize, ...storage } as ArchiveClientOptions;
    await using archive = createClient(options, { source: "a service", transportOf: () => service });
    for await (const { length } of archive.iterRecords("mentions", { query: "x", maxItems })) {
      pages.add(length as number);
      if (pages.size >= leaveAfter) break;
    }
  } catch (error) {
    if (!(error instanceof ArchiveError)) throw error;
    code = error.code;
  }
  // No page is older than the one before it, so rows that moved may appear twice but none is missing.
  expect([...pages]).toEqual([...pages].sort((a, b) => a - b));
  return { pages: [...pages], code, live: service.requests > before };
}

const services = fc.record({
  most: fc.constantFrom(3, 5, 20),
  refusesLimits: fc.boolean(),
  pageSize: fc.constantFrom(2, undefined, undefined),
});
const maxItems = fc.constantFrom(undefined, undefined, 4, 9, 15);
const interruption = fc.option(fc.integer({ min: 0, max: 6 }), { nil: undefined });

describe("searches whose rows move", () => {
  const step = fc.record({
    mode: fc.constantFrom<SnapshotMode>("record", "record", "auto", "auto"),
    maxItems,
    rows: fc.integer({ min: 0, max: 22 }),
    until: interruption,
    leave: fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined, freq: 5 }),
  });

  it("use one run each, and a replay equals the last uninterrupted one", async () => {
    const CASES = runs(40, 240);
    let [run, compared] = [0, 0];
    await fc.assert(
      fc.asyncProperty(services, fc.array(step, { minLength: 1, maxLength: 7 }), async (kind, steps) => {
        const dir = join(root, String(++run));
        const service = new MovingService(kind.most, kind.refusesLimits, kind.pageSize);
        /** The last search that sent requests and was not interrupted; none if one may have been stopped behind it. */
        let last: { maxItems: number | undefined; pages: readonly number[] } | undefined;
        for (const { mode, until, leave, rows, maxItems } of steps) {
          service.rows = rows;
          service.now += 1000;
          service.until = until ?? Number.POSITIVE_INFINITY;
          const one = await runSearch(service, { snapshot: { dir, mode } }, maxItems, leave);
          if (leave !== undefined && one.pages.length >= leave) last = undefined;
          else if (one.code === undefined && one.live) last = { maxItems, pages: one.pages };
          for (const want of [undefined, 4, 9, 15]) {
            const replay = await runSearch(service, { snapshot: { dir, mode: "replay" } }, want);
            expect(replay.live).toBe(false);
            if (last === undefined || last.maxItems !== want) continue;
            compared++;
            expect([replay.code, ...replay.pages]).toEqual([undefined, ...last.pages]);
          }
        }
        if (last !== undefined) {
          expect(await verifySnapshot(dir)).toEqual([]);
        }
        rmSync(dir, { recursive: true, force: true });
      }),
      { numRuns: CASES },
    );
    expect(compared).toBeGreaterThan(0.5 * CASES);
  });
});

describe("a cache", () => {
  const step = fc.record({
    maxItems,
    rows: fc.integer({ min: 0, max: 22 }),
    until: interruption,
    seconds: fc.integer({ min: -5, max: 90 }),
  });

  it("that expires during a search never mixes runs", async () => {
    const CASES = Math.max(9, runs(25, 160));
    let [run, cached] = [0, 0];
    await fc.assert(
      fc.asyncProperty(services, fc.array(step, { minLength: 2, maxLength: 9 }), async (kind, steps) => {
        const dir = join(root, `cache-${++run}`);
        const service = new MovingService(kind.most, kind.refusesLimits, kind.pageSize);
        const times = new Map<number, number>();
        for (const { until, rows, seconds, maxItems } of steps) {
          service.rows = rows;
          service.now += seconds * 1000;
          service.until = until ?? Number.POSITIVE_INFINITY;
          const start = service.now;
          const { pages } = await runSearch(service, { cache: { dir, maxAge: 60 } }, maxItems);
          for (const page of pages) {
            const at = times.get(page) ?? start;
            times.set(page, at);
            if (at < start) cached++;
          }
          const [first] = pages;
          if (first !== undefined) expect(start - (times.get(first) as number)).toBeLessThanOrEqual(60_000);
        }
        rmSync(dir, { recursive: true, force: true });
      }),
      { numRuns: CASES },
    );
    expect(cached).toBeGreaterThan(0.8 * CASES);
  });
});

describe("an interrupted search", () => {
  /** Interrupts a recording of 20 rows after some pages, and lets the service forget its cursors. */
  async function forgotten(after: number, forget: (service: MovingService, known: Requester["request"]) => void) {
    const snapshot = { dir: join(root, `forgotten-${after}-${Math.random()}`) };
    const service = new MovingService(5, false, undefined);
    service.until = after;
    expect((await runSearch(service, { snapshot }, undefined)).code).toBe("SERVER_ERROR");
    service.until = Number.POSITIVE_INFINITY;
    forget(service, service.request);
    return { service, snapshot };
  }
  const setRequest = (service: MovingService, request: Requester["request"]) =>
    Object.defineProperty(service, "request", { value: request });

  it.each([1, 2, 4])(
    "of %d pages is not complete if the service answers its cursor with an empty page",
    async (pages) => {
      const { service, snapshot } = await forgotten(pages, (service, known) =>
        // Only the first page is still there, with cursors of its own.
        setRequest(service, async (path, query, context) => {
          const response = await known(path, query, context);
          const isFirst = !query.some(([name]) => name === "cursor");
          const body = isFirst ? response.body.toString().replace(/"c\d+"/, '"d5"') : '{"cursor":"c5"}';
          return { ...response, body: Buffer.from(body) };
        }),
      );
      const { code } = await runSearch(service, { snapshot }, undefined);
      expect(code).toBe("UNKNOWN_CURSOR");
      setRequest(service, new MovingService(5, false, undefined).request);
      expect(await runSearch(service, { snapshot: { ...snapshot, mode: "record" } }, undefined)).toMatchObject({
        code: undefined,
      });
    },
  );

  it("goes on without repeating a page, and asks for the last one again only if it seems to have ended there", async () => {
    for (const [pages, sent] of [
      [2, 3],
      [4, 2],
    ] as const) {
      const { service, snapshot } = await forgotten(pages, () => undefined);
      const before = service.requests;
      const { code, pages: read } = await runSearch(service, { snapshot }, undefined);
      expect([code, read.length, service.requests - before]).toEqual([undefined, 4, sent]);
    }
  });
});
