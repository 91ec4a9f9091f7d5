import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect } from "vitest";
import {
  type APIError,
  ArchiveClient,
  ArchiveError,
  type FetchedResult,
  provenanceOf,
  toRecords,
  type Verdict,
} from "../../src/index.js";
import { KEY } from "../service/helpers.js";
import type { CallSetup } from "./calls.js";
import type { Case } from "./cases.js";
import { expectedRows } from "./expectedRows.js";
import { FaultyService } from "./faultyService.js";
import { expectNoKey, filesBelow, printedForms } from "./keySearch.js";
import { cursorOf, numberOf, PAGE_ROWS } from "./numberedRows.js";
import { readRows } from "./readRows.js";

/** Seconds after which a case counts as hung: well above the sum of its timeouts, even on a busy machine. */
const HUNG = 60;
/** Timeout of an attempt, in seconds. */
const TIMEOUT = 30;
/** Timeouts for faults that only a timeout ends; the longer ones apply if a busy machine did not reach the fault. */
const SHORT_TIMEOUTS = [0.3, 1.5, 7.5];

/** Runs one case. Throws what is wrong with its outcome. */
export async function runCase(of: Case, elsewhere: string): Promise<void> {
  const { fault, call, place } = of;
  const atPerson = call.name === "speechesOnBill" && place === 5 && fault.act !== undefined;
  for (const timeout of fault.code === "TIMEOUT" ? SHORT_TIMEOUTS : [TIMEOUT]) {
    const service = new FaultyService({ ...of, atPerson, elsewhere });
    const directory = mkdtempSync(join(tmpdir(), "archive-frames-faults-"));
    try {
      await new Run(of, await service.listen(), service, directory).all(timeout);
    } finally {
      await service.end();
      rmSync(directory, { recursive: true, force: true });
    }
    if (service.counts.strikes > 0 || fault.act === undefined) return;
  }
  throw new Error("the fault did not strike");
}

/** The rows that a call gave, and how it ended. */
interface Outcome {
  readonly rows: readonly object[];
  readonly verdict?: Verdict | undefined;
  readonly error?: unknown;
}

class Run {
  constructor(
    readonly of: Case,
    readonly baseUrl: string,
    readonly service: FaultyService,
    readonly directory: string,
  ) {}

  async all(timeout: number): Promise<void> {
    const { fault, call, place, isLasting } = this.of;
    const cursor = call.isOnePage ? cursorOf(place) : undefined;
    const first = await this.#outcome({ cursor, maxItems: call.maxItems, resume: undefined }, timeout);
    const isSlow = fault.code === "TIMEOUT";
    if (first.error === undefined) {
      // Page numbers reach the rows that a wrong cursor hides.
      const mustFail = fault.code !== undefined && fault.page === undefined && isLasting;
      expect(mustFail, "there is a result instead of an error").toBe(false);
      this.#expectEnd(first);
    } else {
      const mayFail = fault.code !== undefined && (isLasting || isSlow);
      expect(first.error, String(first.error)).toBeInstanceOf(ArchiveError);
      expect((first.error as ArchiveError).code, String(first.error)).toBe(mayFail ? fault.code : "no error");
      await this.service.heal();
      await this.#resume(first, cursor);
    }
    expect(await this.service.end(), "open connections").toBe(0);
    expect(this.service.counts.strange, "requests with a cursor that the service never sent").toBe(0);
    // On a busy machine, the short timeout for a slow fault may also hit the first page.
    if (call.keeps !== "nothing" && place > 1 && fault.act !== undefined && !isSlow)
      expect(this.service.counts.first, "requests for the first page").toBe(1);
  }

  /** Checks the rows that survived a failure, and that resuming fetches exactly the rest. */
  async #resume({ rows, error }: Outcome, start: string | undefined): Promise<void> {
    const { call, fault } = this.of;
    const partial = (error as ArchiveError).partial as FetchedResult<"polars"> | undefined;
    const safe = [...rows, ...(call.keeps === "partial" ? toRecords(partial?.frame) : [])];
    this.#expectRows(safe, false);
    if (call.keeps === "file")
      expect(readdirSync(this.directory).filter((name) => !name.endsWith(".partial"))).toEqual([]);
    // No cursor leads out of a circle or past an unknown one, so the call has to start over.
    const startsOver = fault.code === "CURSOR_CIRCLES" || fault.code === "UNKNOWN_CURSOR";
    if (call.keeps === "partial" && safe.length > 0)
      expect(partial?.cursor === undefined, "whether there is no cursor to resume at").toBe(startsOver);
    const before = startsOver ? [] : safe;
    const maxItems = call.maxItems === undefined ? undefined : call.maxItems - before.length;
    const again = { cursor: partial?.cursor ?? start, maxItems, resume: startsOver ? false : undefined };
    // Mode auto would replay what the snapshot has: such a search, or a refusal that the request itself caused.
    const isRecorded = startsOver || [400, 404, 413, 422].includes((error as APIError).statusCode ?? 0);
    const mode = call.snapshot === "auto" && isRecorded ? "record" : call.snapshot;
    const rest = await this.#outcome(again, TIMEOUT, mode);
    expect(rest.error, `resuming fails: ${String(rest.error)}`).toBeUndefined();
    this.#expectEnd({ ...rest, rows: [...before, ...rest.rows] });
  }

  /** Calls with a new client. The key must appear nowhere. */
  async #outcome(
    setup: Omit<CallSetup, "archive" | "directory">,
    timeout: number,
    mode = this.of.call.snapshot,
  ): Promise<Outcome> {
    const { directory } = this;
    const archive = new ArchiveClient({
      apiKey: KEY,
      baseUrl: this.baseUrl,
      timeout,
      maxRetries: 1,
      backoffFactor: 0,
      maxRetryWait: 2,
      maxBodyBytes: 4 * 2 ** 20,
      pageSize: PAGE_ROWS,
      progress: false,
      ...(mode !== undefined && { snapshot: { dir: join(directory, "snapshot"), mode } }),
    });
    const rows: object[] = [];
    let verdict: Verdict | undefined;
    const run = async () => {
      const result = this.of.call.run({ archive, directory, ...setup });
      if (Symbol.asyncIterator in result) {
        for await (const part of result) rows.push(...toRecords(part));
        return;
      }
      const whole = await result;
      rows.push(...(typeof whole === "string" ? readRows(whole) : toRecords(whole)));
      verdict = typeof whole === "string" ? undefined : provenanceOf(whole)?.verdict;
    };
    const error = await withinLimit(run()).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    for (const shown of [error, rows, archive]) expectNoKey("an outcome", ...printedForms(shown));
    expectNoKey("a file", ...filesBelow(directory));
    await withinLimit(archive.close());
    return { rows, verdict, error };
  }

  /** Checks the rows and the verdict of a completed call, and that nothing is left beside a file. */
  #expectEnd({ rows, verdict }: Outcome): void {
    const { call, fault } = this.of;
    this.#expectRows(rows, true);
    // A misleading cursor may legitimately end at the last requested row.
    const isCapped = rows.length === call.maxItems;
    const verdicts = [
      ...(isCapped && fault.page === undefined ? [] : ["complete"]),
      ...(isCapped || call.isOnePage ? ["capped"] : []),
    ];
    if (verdict !== undefined) expect(verdicts, "verdicts").toContain(verdict);
    // The file and datapackage.json, or the snapshot.
    const most = call.keeps === "file" ? 2 : call.snapshot === undefined ? 0 : 1;
    const files = readdirSync(this.directory);
    if (call.keeps === "file") expect(files).toHaveLength(most);
    else expect(files.length).toBeLessThanOrEqual(most);
  }

  #expectRows(rows: readonly object[], isWhole: boolean): void {
    const seen = rows.map(numberOf);
    if (this.of.call.isUnordered) seen.sort((a, b) => Number(a) - Number(b));
    const possible = expectedRows(this.of).map((list) => String(isWhole ? list : list.slice(0, seen.length)));
    if (!possible.includes(String(seen))) expect.fail(`rows ${seen} instead of ${possible.join(" or ")}`);
  }
}

function withinLimit<T>(promise: Promise<T>): Promise<T> {
  const late = delay(HUNG * 1000, undefined, { ref: false }).then(() => {
    throw new Error(`still running after ${HUNG} s`);
  });
  return Promise.race([promise, late]);
}
