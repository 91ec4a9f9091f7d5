import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ArchiveClient, ArchiveError, type Harvest } from "../../src/index.js";
import { KEY } from "../service/helpers.js";
import { keyIn, keyInFiles } from "./canary.js";
import type { Case } from "./cases.js";
import { judgeRows, judgeVerdict, type Violation } from "./invariants.js";
import { PAGE_ROWS } from "./server/corpus.js";
import type { FaultServer, OrderedService } from "./startFaultServer.js";
import { CONCURRENCY, type Gained } from "./ways.js";

/** Seconds after which a case counts as hung: far more than all its time-outs together, on a machine that is busy. */
const HUNG = 60;
/** Seconds of an attempt. */
const TIMEOUT = 30;
/** Seconds of an attempt where its end is what is tried; longer ones for a machine so busy that the fault was not reached. */
const SHORT_TIMEOUTS = [0.3, 1.5, 7.5];

/** Runs one case and gives what it found wrong. */
export async function runCase(server: FaultServer, of: Case): Promise<Violation[]> {
  const { fault, way, place, lasting } = of;
  const atPerson = way.name === "speechesOnBill" && place === 5 && fault.act !== undefined;
  const violations: Violation[] = [];
  for (const timeout of fault.slow ? SHORT_TIMEOUTS : [TIMEOUT]) {
    const run = new Run(of, await server.order({ fault: fault.name, place, lasting, atPerson }), timeout);
    try {
      violations.push(...(await run.all()));
    } finally {
      run.clean();
    }
    if (run.struck || fault.act === undefined) return violations;
  }
  return [...violations, { problem: "silent", detail: "the fault did not strike" }];
}

/** What came of asking once. */
interface Outcome {
  readonly handed: readonly object[];
  readonly gained?: Gained;
  readonly error?: unknown;
}

class Run {
  struck = false;
  readonly #folder = mkdtempSync(join(tmpdir(), "archive-frames-faults-"));
  readonly #violations: Violation[] = [];

  constructor(
    readonly of: Case,
    readonly service: OrderedService,
    readonly timeout: number,
  ) {}

  async all(): Promise<Violation[]> {
    const { fault, way, place, lasting } = this.of;
    const mayFail = fault.code !== undefined && (lasting || fault.slow === true);
    // What a cursor hides can be reached by page numbers.
    const mustFail = fault.code !== undefined && fault.page === undefined && lasting;
    const start = way.onePage ? `c${(place - 1) * PAGE_ROWS}` : undefined;
    const first = await this.#ask(start, way.most, this.timeout);
    if (first.gained !== undefined) {
      if (mustFail) this.#found("silent", "there is a result");
      this.#finished(first.gained, [...first.handed, ...first.gained.rows]);
    } else {
      if (!mayFail) this.#found("silent", `it failed: ${String(first.error)}`);
      this.#typed(first.error);
      await this.service.heal();
      await this.#goOn(first, start);
    }
    await this.#closed();
    return this.#violations;
  }

  clean(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #ask(
    cursor: string | undefined,
    most: number | undefined,
    timeout: number,
    snapshot = this.of.way.snapshot,
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
      ...(snapshot === undefined ? {} : { snapshot: { dir: join(this.#folder, "snapshot"), mode: snapshot } }),
    });
    const handed: object[] = [];
    const asking = {
      archive,
      folder: this.#folder,
      cursor,
      most,
      hand: (rows: readonly object[]) => void handed.push(...rows),
    };
    const outcome = await inTime(this.of.way.ask(asking)).then(
      (gained): Outcome => ({ handed, gained }),
      (error: unknown): Outcome => ({ handed, error }),
    );
    if (outcome.error === TOO_LATE) this.#found("hung", `not over after ${HUNG} s`);
    this.#look(outcome.error, outcome.gained?.rows, archive);
    await inTime(archive.close()).catch(() => this.#found("hung", "the client does not close"));
    return outcome;
  }

  /** The rows that are there in the end are the right ones, and nothing lies beside the file. */
  #finished(gained: Gained, rows: readonly object[]): void {
    this.#violations.push(...judgeRows(this.of, rows, true), ...judgeVerdict(this.of, rows.length, gained.verdict));
    const files = readdirSync(this.#folder);
    const { keeps, snapshot } = this.of.way;
    // The file, and datapackage.json.
    const most = (keeps === "file" ? 2 : 0) + (snapshot === undefined ? 0 : 1);
    if (files.length > most || (keeps === "file" && files.length < 2)) this.#found("left open", files.join(", "));
  }

  /** An error of ours, with the code of this fault. */
  #typed(error: unknown): void {
    const { code } = this.of.fault;
    if (!(error instanceof ArchiveError)) this.#found("untyped", String((error as Error | undefined)?.stack ?? error));
    else if (code !== undefined && error.code !== code)
      this.#found("untyped", `${error.code} instead of ${code}: ${error.message}`);
  }

  /** What is safe is right, and going on from there gives the exact rest. */
  async #goOn({ handed, error }: Outcome, start: string | undefined): Promise<void> {
    const { way } = this.of;
    const partial =
      way.keeps === "partial" ? ((error as ArchiveError).partial as Harvest<"polars"> | undefined) : undefined;
    const safe = [...handed, ...((partial?.frame.toRecords() ?? []) as object[])];
    this.#violations.push(...judgeRows(this.of, safe, false));
    if (way.keeps === "file") {
      const whole = readdirSync(this.#folder).filter((name) => !name.endsWith(".partial"));
      if (whole.length > 0) this.#found("silent", `the file is there: ${whole.join(", ")}`);
    }
    // From a circle no cursor leads on: what is left is to begin anew.
    const anew = this.of.fault.code === "CURSOR_CIRCLES";
    if (way.keeps === "partial" && safe.length > 0 && (partial?.cursor === undefined) !== anew)
      this.#found("lost", anew ? "a cursor of the circle" : "no cursor to go on from");
    const kept = anew ? [] : safe;
    const most = way.most === undefined ? undefined : way.most - kept.length;
    const again = anew && way.snapshot === "auto" ? "refresh" : way.snapshot;
    const rest = await this.#ask(partial?.cursor ?? start, most, TIMEOUT, again);
    if (rest.gained === undefined) this.#found("lost", `going on fails: ${String(rest.error)}`);
    else this.#finished(rest.gained, [...kept, ...rest.handed, ...rest.gained.rows]);
  }

  /** The key shows nowhere. */
  #look(...things: unknown[]): void {
    for (const thing of things) {
      const where = keyIn(thing);
      if (where !== undefined) this.#found("leaked", where);
    }
    const file = keyInFiles(this.#folder);
    if (file !== undefined) this.#found("leaked", file);
  }

  async #closed(): Promise<void> {
    const { way, place, fault } = this.of;
    const { open, strange, first, strikes } = await this.service.end();
    if (open > 0) this.#found("left open", `${open} connections`);
    if (strange > 0) this.#found("wrong", `${strange} requests with a cursor that was never given`);
    this.struck = strikes > 0;
    // On a machine that is busy the short time-out of a slow fault may strike the first page, too.
    if (way.keeps !== "nothing" && place > 1 && fault.act !== undefined && !fault.slow && first !== 1)
      this.#found("again", `the first page was asked for ${first} times`);
  }

  #found(problem: Violation["problem"], detail: string): void {
    this.#violations.push({ problem, detail });
  }
}

const TOO_LATE = new Error("too late");

function inTime<T>(promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(TOO_LATE), HUNG * 1000);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}
