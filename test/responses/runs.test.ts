import { rmSync } from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { abortedError } from "../../src/errors/index.js";
import { APIError, ArchiveError, type SnapshotMode, verifySnapshot } from "../../src/index.js";
import { declaredShape } from "../../src/pages/rows.js";
import { openSnapshot } from "../../src/responses/openSnapshot.js";
import type { StorageOptions } from "../../src/responses/snapshotOptions.js";
import { snapshotInfo } from "../../src/responses/snapshots.js";
import type { Requester } from "../../src/service/http/requester.js";
import { operations } from "../../src/service/operations/operations.js";
import { buildRequest } from "../../src/service/operations/request.js";
import { pageRows } from "../../src/service/paging/page.js";
import { PageSize } from "../../src/service/paging/pageSize.js";
import { paginate } from "../../src/service/paging/pagination.js";
import { ProvenanceRecorder } from "../../src/service/paging/provenanceRecorder.js";
import { clientTo, mention } from "../client/clientTo.js";
import { temporaryFolder } from "../files/temporary.js";
import { runs } from "../scale.js";
import { startRecording } from "./recording.js";
import { replayOf } from "./replayOf.js";

const root = temporaryFolder();
const SHAPE = declaredShape(operations.mentions.columns);
const SOURCE = "https://archive.example";

/** A search whose rows move: cursors and page numbers are offsets. Each row contains the number of its response. */
class MovingService {
  rows = 20;
  now = Date.parse("2026-11-21T06:00:00Z");
  /** Successful requests before the service fails; `Infinity` for never. */
  until = Number.POSITIVE_INFINITY;
  requestCount = 0;
  #answers = 0;

  constructor(
    readonly most: number,
    readonly numbered: boolean,
    readonly refusesLimits: boolean,
    readonly pageSize: number | undefined,
  ) {}

  readonly requester: Requester = {
    request: async (path, query, context) => {
      const { cursor, page = "1", limit } = Object.fromEntries(query);
      context?.onRequest?.();
      this.requestCount++;
      const answer = ++this.#answers;
      const at = new Date(++this.now);
      const fails = --this.until < 0;
      for (let turns = answer % 4; turns > 0; turns--) await setImmediate();
      if (context?.signal?.aborted) throw abortedError();
      if (fails) throw new APIError("fails", { code: "SERVER_ERROR", hint: "", method: "GET", path, statusCode: 500 });
      if (Number(limit) > 20 && this.refusesLimits) {
        const response = { status: 400, headers: {}, body: "{}" };
        throw new APIError("refused", { code: "HTTP_ERROR", hint: "", method: "GET", path, statusCode: 400, response });
      }
      const size = Math.min(this.most, Number(limit ?? 20));
      const offset = cursor !== undefined ? Number(cursor.slice(1)) : this.numbered ? (Number(page) - 1) * size : 0;
      const end = Math.min(this.rows, offset + size);
      const mentions = [...Array(Math.max(0, end - offset)).keys()].map((row) => ({
        id: String(1000 * answer + row),
        length: answer,
      }));
      const body = Buffer.from(
        JSON.stringify({ cursor: `c${Math.max(end, offset)}`, ...(mentions.length && { mentions }) }),
      );
      return { status: 200, body, headers: {}, requests: 1, retries: 0, sentAt: at, receivedAt: at };
    },
  };
}

interface SearchRun {
  /** The response number of each page. */
  readonly answers: readonly number[];
  readonly code: string | undefined;
  /** Whether requests were sent. */
  readonly live: boolean;
}

interface SearchOptions {
  readonly maxItems: number | undefined;
  readonly onePage?: boolean;
  /** Pages after which the consumer stops. */
  readonly leave?: number | undefined;
}

async function runSearch(
  service: MovingService,
  storage: StorageOptions,
  { maxItems, onePage, leave }: SearchOptions,
): Promise<SearchRun> {
  const { requester, now } = service;
  const before = service.requestCount;
  const replays = storage.kind === "snapshot" && storage.mode === "replay";
  const origin = replays ? undefined : { requester, baseUrl: SOURCE, source: SOURCE };
  const request = buildRequest("mentions", { query: "x" });
  const answers: number[] = [];
  let code: string | undefined;
  try {
    const opened = openSnapshot(
      storage,
      origin,
      (text) => text,
      1e6,
      () => Math.max(now, service.now),
    );
    try {
      const recorder = new ProvenanceRecorder(request, opened);
      const pages = paginate(request, {
        requester: opened.requester,
        recorder,
        redact: (text) => text,
        shape: () => SHAPE,
        maxItems,
        maxPages: onePage ? 1 : undefined,
        pageSize: new PageSize(service.pageSize),
        ahead: () => true,
        signals: [],
      });
      for await (const page of pages) {
        const [row] = pageRows(page);
        if (row !== undefined) answers.push(row.length as number);
        if (answers.length === leave) break;
      }
    } finally {
      opened.close();
    }
  } catch (error) {
    if (!(error instanceof ArchiveError)) throw error;
    code = error.code;
  }
  return { answers, code, live: service.requestCount > before };
}

const services = fc.record({
  most: fc.constantFrom(3, 5, 20),
  numbered: fc.boolean(),
  refusesLimits: fc.boolean(),
  pageSize: fc.constantFrom(2, undefined, undefined),
});
const maxItems = fc.constantFrom(undefined, undefined, 4, 9, 15);
const interruption = fc.option(fc.integer({ min: 0, max: 6 }), { nil: undefined });

/** No page is older than the one before it, so rows that moved may appear twice but none is missing. */
function expectNoOlderPages({ answers }: SearchRun): void {
  expect(answers).toEqual([...answers].sort((a, b) => a - b));
}

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
    let run = 0;
    let compared = 0;
    await fc.assert(
      fc.asyncProperty(services, fc.array(step, { minLength: 1, maxLength: 7 }), async (kind, steps) => {
        const dir = join(root, String(++run));
        const service = new MovingService(kind.most, kind.numbered, kind.refusesLimits, kind.pageSize);
        /** Searches that sent requests and were not interrupted, newest last. */
        let runsSoFar: Array<{ maxItems: number | undefined; pagination: SearchRun }> = [];
        for (const { mode, until, leave, rows, ...asked } of steps) {
          service.rows = rows;
          service.now += 1000;
          service.until = until ?? Number.POSITIVE_INFINITY;
          const one = await runSearch(service, { kind: "snapshot", dir, mode }, { ...asked, leave });
          expectNoOlderPages(one);
          const whole = leave === undefined || one.answers.length < leave;
          if (one.code === undefined && one.live && whole)
            runsSoFar.push({ maxItems: asked.maxItems, pagination: one });
          // A search that its consumer stops may have enough rows for any of them.
          if (!whole) runsSoFar = [];
          for (const want of [undefined, 4, 9, 15]) {
            const replay = await runSearch(service, { kind: "snapshot", dir, mode: "replay" }, { maxItems: want });
            expectNoOlderPages(replay);
            const known = runsSoFar.at(-1);
            if (known === undefined || known.maxItems !== want) continue;
            compared++;
            expect([replay.code, ...replay.answers]).toEqual([undefined, ...known.pagination.answers]);
          }
        }
        if (runsSoFar.length > 0) {
          expect((await verifySnapshot(dir)).ok).toBe(true);
          expect(snapshotInfo(dir).searches).toHaveLength(1);
        }
        rmSync(dir, { recursive: true, force: true });
      }),
      { numRuns: CASES },
    );
    expect(compared).toBeGreaterThan(1.25 * CASES);
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
    let run = 0;
    let cached = 0;
    await fc.assert(
      fc.asyncProperty(services, fc.array(step, { minLength: 2, maxLength: 9 }), async (kind, steps) => {
        const dir = join(root, `cache-${++run}`);
        const service = new MovingService(kind.most, kind.numbered, kind.refusesLimits, kind.pageSize);
        const times = new Map<number, number>();
        for (const { until, rows, seconds, ...asked } of steps) {
          service.rows = rows;
          service.now += seconds * 1000;
          service.until = until ?? Number.POSITIVE_INFINITY;
          const start = service.now;
          const one = await runSearch(service, { kind: "cache", dir, maxAge: 60 }, asked);
          expectNoOlderPages(one);
          for (const answer of one.answers) {
            const at = times.get(answer) ?? start;
            times.set(answer, at);
            if (at < start) cached++;
          }
          const [first] = one.answers;
          if (first !== undefined) expect(start - (times.get(first) as number)).toBeLessThanOrEqual(60_000);
        }
        rmSync(dir, { recursive: true, force: true });
      }),
      { numRuns: CASES },
    );
    expect(cached).toBeGreaterThan(0.8 * CASES);
  });
});

describe("a search of 250 rows", () => {
  const ids = (frame: { getColumn(name: string): { toArray(): unknown[] } }) => frame.getColumn("id").toArray();

  it("is replayed unchanged after an interrupted recording", async () => {
    let first = 0;
    let fails = false;
    const { dir, server, archive } = await startRecording({
      rows: 250,
      most: 100,
      unnumbered: true,
      row: (id) => mention(id + first),
      instead: (offset) => (fails && offset === 100 ? { status: 500 } : undefined),
    });
    const frame = await archive.mentions("climate", { maxItems: 300 });
    // 50 new rows were inserted at the front.
    first = -50;
    fails = true;
    await using recording = clientTo(server, { pageSize: 100, snapshot: { dir, mode: "record" }, maxRetries: 0 });
    await expect(recording.mentions("climate", { maxItems: 300 })).rejects.toMatchObject({ code: "SERVER_ERROR" });
    await using replay = replayOf(dir, { pageSize: 100 });
    const again = await replay.mentions("climate", { maxItems: 300 });
    expect(ids(again)).toEqual(ids(frame));
    expect(snapshotInfo(dir).replaced).toBeGreaterThan(0);
    fails = false;
    await using whole = clientTo(server, { pageSize: 100, snapshot: { dir, mode: "record" } });
    const fresh = await whole.mentions("climate", { maxItems: 300 });
    await using later = replayOf(dir, { pageSize: 100 });
    expect(ids(await later.mentions("climate", { maxItems: 300 }))).toEqual(ids(fresh));
    expect(ids(fresh)[0]).toBe("-49");
  });
});
