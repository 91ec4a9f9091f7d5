import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ArchiveClient, ArchiveError, type FetchedResult } from "../../src/index.js";
import { KEY } from "../service/helpers.js";
import { type CallResult, CONCURRENCY } from "./calls.js";
import { keyIn, keyInFiles } from "./canary.js";
import type { Case } from "./cases.js";
import { judgeRows, judgeVerdict, type Violation } from "./invariants.js";
import { PAGE_ROWS } from "./server/corpus.js";
import type { FaultServer, OrderedService } from "./startFaultServer.js";

/** Seconds after which a case counts as hung: well above the sum of its timeouts, even on a busy machine. */
const HUNG = 60;
/** Timeout of an attempt, in seconds. */
const TIMEOUT = 30;
/** Timeouts for faults that only a timeout ends; the longer ones apply if a busy machine did not reach the fault. */
const SHORT_TIMEOUTS = [0.3, 1.5, 7.5];

/** Runs one case and returns its violations. */
export async function runCase(server: FaultServer, of: Case): Promise<Violation[]> {
  const { fault, call, place, isLasting } = of;
  const atPerson = call.name === "speechesOnBill" && place === 5 && fault.act !== undefined;
  const violations: Violation[] = [];
  for (const timeout of fault.slow ? SHORT_TIMEOUTS : [TIMEOUT]) {
    const run = new Run(of, await server.order({ fault: fault.name, place, isLasting, atPerson }), timeout);
    try {
      violations.push(...(await run.all()));
    } finally {
      run.clean();
    }
    if (run.struck || fault.act === undefined) return violations;
  }
  return [...violations, { problem: "silent", detail: "the fault did not strike" }];
}

/** The outcome of one call. */
interface Outcome {
  readonly delivered: readonly object[];
  readonly result?: CallResult;
  readonly error?: unknown;
}

class Run {
  struck = false;
  readonly #directory = mkdtempSync(join(tmpdir(), "archive-frames-faults-"));
  readonly #violations: Violation[] = [];

  constructor(
    readonly of: Case,
    readonly service: OrderedService,
    readonly timeout: number,
  ) {}

  async all(): Promise<Violation[]> {
    const { fault, call, place, isLasting } = this.of;
    const mayFail = fault.code !== undefined && (isLasting || fault.slow === true);
    // Page numbers reach the rows that a wrong cursor hides.
    const mustFail = fault.code !== undefined && fault.page === undefined && isLasting;
    const start = call.isOnePage ? `c${(place - 1) * PAGE_ROWS}` : undefined;
    const first = await this.#call(start, call.maxItems, this.timeout);
    if (first.result !== undefined) {
      if (mustFail) this.#report("silent", "there is a result");
      this.#judgeEnd(first.result, [...first.delivered, ...first.result.rows]);
    } else {
      if (!mayFail) this.#report("silent", `it failed: ${String(first.error)}`);
      this.#judgeError(first.error);
      await this.service.heal();
      await this.#resume(first, start);
    }
    await this.#end();
    return this.#violations;
  }

  clean(): void {
    rmSync(this.#directory, { recursive: true, force: true });
  }

  async #call(
    cursor: string | undefined,
    maxItems: number | undefined,
    timeout: number,
    snapshot = this.of.call.snapshot,
    resume?: boolean,
  ): Promise<Outcome> {
    const archive = new ArchiveClient({
      apiKey: KEY,
      baseUrl: this.service.url,
      timeout,
      maxRetries: 1,
      backoffFactor: 0,
      maxRetryWait: 2,
      maxBodyBytes: 4 * 2 ** 20,
      pageSize: PAGE_ROWS,
      concurrency: CONCURRENCY,
      progress: false,
      ...(snapshot === undefined ? {} : { snapshot: { dir: join(this.#directory, "snapshot"), mode: snapshot } }),
    });
    const delivered: object[] = [];
    const setup = {
      archive,
      directory: this.#directory,
      cursor,
      maxItems,
      resume,
      deliver: (rows: readonly object[]) => void delivered.push(...rows),
    };
    const outcome = await withinLimit(this.of.call.run(setup)).then(
      (result): Outcome => ({ delivered, result }),
      (error: unknown): Outcome => ({ delivered, error }),
    );
    if (outcome.error === HANGS) this.#report("hung", `still running after ${HUNG} s`);
    this.#searchForKey(outcome.error, outcome.result?.rows, archive);
    await withinLimit(archive.close()).catch(() => this.#report("hung", "the client does not close"));
    return outcome;
  }

  /** Checks the rows of a completed call, and that nothing is left beside the file. */
  #judgeEnd(result: CallResult, rows: readonly object[]): void {
    this.#violations.push(...judgeRows(this.of, rows, true), ...judgeVerdict(this.of, rows.length, result.verdict));
    const files = readdirSync(this.#directory);
    const { keeps, snapshot } = this.of.call;
    // The file and datapackage.json.
    const expected = (keeps === "file" ? 2 : 0) + (snapshot === undefined ? 0 : 1);
    if (files.length > expected || (keeps === "file" && files.length < 2)) this.#report("left open", files.join(", "));
  }

  /** Checks that the error is an ArchiveError with the fault's code. */
  #judgeError(error: unknown): void {
    const { code } = this.of.fault;
    if (!(error instanceof ArchiveError)) this.#report("untyped", String((error as Error | undefined)?.stack ?? error));
    else if (code !== undefined && error.code !== code)
      this.#report("untyped", `${error.code} instead of ${code}: ${error.message}`);
  }

  /** Checks the rows that survived the failure, and that resuming fetches exactly the rest. */
  async #resume({ delivered, error }: Outcome, start: string | undefined): Promise<void> {
    const { call } = this.of;
    const partial =
      call.keeps === "partial" ? ((error as ArchiveError).partial as FetchedResult<"polars"> | undefined) : undefined;
    const safe = [...delivered, ...((partial?.frame.toRecords() ?? []) as object[])];
    this.#violations.push(...judgeRows(this.of, safe, false));
    if (call.keeps === "file") {
      const whole = readdirSync(this.#directory).filter((name) => !name.endsWith(".partial"));
      if (whole.length > 0) this.#report("silent", `the file exists: ${whole.join(", ")}`);
    }
    // No cursor leads out of a circle or past an unknown one, so the call has to start over.
    const startsOver = this.of.fault.code === "CURSOR_CIRCLES" || this.of.fault.code === "UNKNOWN_CURSOR";
    if (call.keeps === "partial" && safe.length > 0 && (partial?.cursor === undefined) !== startsOver)
      this.#report("lost", startsOver ? "there is a cursor" : "no cursor to resume at");
    const before = startsOver ? [] : safe;
    const maxItems = call.maxItems === undefined ? undefined : call.maxItems - before.length;
    const mode = startsOver && call.snapshot === "auto" ? "record" : call.snapshot;
    const rest = await this.#call(partial?.cursor ?? start, maxItems, TIMEOUT, mode, startsOver ? false : undefined);
    if (rest.result === undefined) this.#report("lost", `resuming fails: ${String(rest.error)}`);
    else this.#judgeEnd(rest.result, [...before, ...rest.delivered, ...rest.result.rows]);
  }

  /** Checks that the key appears nowhere. */
  #searchForKey(...things: unknown[]): void {
    for (const thing of things) {
      const where = keyIn(thing);
      if (where !== undefined) this.#report("leaked", where);
    }
    const file = keyInFiles(this.#directory);
    if (file !== undefined) this.#report("leaked", file);
  }

  async #end(): Promise<void> {
    const { call, place, fault } = this.of;
    const { open, strange, first, strikes } = await this.service.end();
    if (open > 0) this.#report("left open", `${open} connections`);
    if (strange > 0) this.#report("wrong", `${strange} requests with a cursor that the service never sent`);
    this.struck = strikes > 0;
    // On a busy machine, the short timeout for a slow fault may also hit the first page.
    if (call.keeps !== "nothing" && place > 1 && fault.act !== undefined && !fault.slow && first !== 1)
      this.#report("again", `the first page was requested ${first} times`);
  }

  #report(problem: Violation["problem"], detail: string): void {
    this.#violations.push({ problem, detail });
  }
}

const HANGS = new Error("hangs");

function withinLimit<T>(promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(HANGS), HUNG * 1000);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}
