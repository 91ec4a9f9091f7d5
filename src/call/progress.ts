import { show } from "../errors/validators.js";
import type { RetryEvent } from "../service/http/requester.js";
import type { ProvenanceRecorder, Verdict } from "../service/paging/provenanceRecorder.js";
import { escaped } from "../util/quoted.js";
import { notebookHost } from "./notebookHost.js";

/** How a harvest goes on. */
export interface ProgressEvent {
  /** Tells harvests apart that run at once. */
  readonly harvest: number;
  readonly operation: string;
  readonly rows: number;
  readonly pages: number;
  /** Requests sent, repeated ones included. */
  readonly requests: number;
  /** Seconds since it began. */
  readonly seconds: number;
  /** Rows per second so far. */
  readonly rate: number;
  /** Rows that it will have at most, where a bound was given. */
  readonly most: number | undefined;
  /** Seconds that it waits now before it asks again: the service wants a slower pace, or failed. */
  readonly waiting: number | undefined;
  /** Pages that an earlier run of a save or a sink had fetched already; undefined where there are none. */
  readonly resumed?: number | undefined;
  /** Requests per second that the client keeps to because the service refused more; undefined where it does not. */
  readonly pace?: number | undefined;
  /** Set when it is over. */
  readonly verdict: Verdict | undefined;
  /** Set when it is over and the verdict is not "complete": why. */
  readonly reason: string | undefined;
}

/** `false` for none, `true` for a bar on a terminal's stderr also when it takes less than a second, or a function. */
export type ProgressOption = boolean | ((event: ProgressEvent) => void);

let harvests = 0;

/** Reports how one walk goes on. */
export class Progress {
  readonly #harvest = ++harvests;
  readonly #begun = Date.now();
  readonly #report: (event: ProgressEvent) => void;

  constructor(
    option: ProgressOption | undefined,
    readonly recorder: ProvenanceRecorder,
    readonly most: number | undefined,
  ) {
    this.#report = reporter(option);
  }

  page(): void {
    this.#report(this.#event(undefined, undefined));
  }

  waits(event: RetryEvent): void {
    this.#report(this.#event(event.delay, undefined));
  }

  end(): void {
    this.#report(this.#event(undefined, this.recorder.verdict));
  }

  #event(waiting: number | undefined, verdict: Verdict | undefined): ProgressEvent {
    const { request, rows, pages, requests, pace } = this.recorder;
    const seconds = (Date.now() - this.#begun) / 1000;
    const rate = seconds > 0 ? rows / seconds : 0;
    const reason = verdict === undefined ? undefined : (this.recorder.reason ?? undefined);
    const { operation } = request;
    const how = { rows, pages, requests, seconds, rate, most: this.most, waiting, pace };
    return { harvest: this.#harvest, operation, ...how, verdict, reason };
  }
}

function reporter(option: ProgressOption | undefined): (event: ProgressEvent) => void {
  if (typeof option === "function") return harmless(option);
  if (option === false) return () => undefined;
  const { progress } = notebookHost();
  if (progress !== undefined) return progress;
  return process.stderr.isTTY ? terminalBar(process.stderr, option === true ? 0 : 1) : () => undefined;
}

const warned = new WeakSet<object>();

/** A callback that fails ends no harvest: it is told of once. */
function harmless(callback: (event: ProgressEvent) => unknown): (event: ProgressEvent) => void {
  const warn = (error: unknown) => {
    if (warned.has(callback)) return;
    warned.add(callback);
    process.emitWarning(`The progress callback failed: ${show(error)}. The harvest goes on.`, {
      type: "ArchiveFramesWarning",
      code: "PROGRESS_FAILED",
    });
  };
  return (event) => {
    try {
      Promise.resolve(callback(event)).catch(warn);
    } catch (error) {
      warn(error);
    }
  };
}

/** The same progress, which also says that so many pages came from an earlier run. */
export function withResumed(option: ProgressOption | undefined, pages: number): ProgressOption | undefined {
  if (pages === 0 || option === false) return option;
  const report = reporter(option);
  return (event) => report({ ...event, resumed: pages });
}

/**
 * How much an earlier run had fetched; nothing where there was none.
 *
 * @example
 * resumedText({ resumed: 24 }); //=> "resumed from 24 pages"
 */
export function resumedText({ resumed = 0 }: Pick<ProgressEvent, "resumed">): string {
  return resumed === 0 ? "" : `resumed from ${resumed === 1 ? "1 page" : `${grouped(resumed)} pages`}`;
}

/** What a terminal bar writes to. */
export interface Terminal {
  readonly columns?: number | undefined;
  write(text: string): unknown;
}

/** A line on a terminal, rewritten ten times a second at most, and wiped at the end. What a harvest resumed from stays. */
export function terminalBar(terminal: Terminal, afterSeconds: number): (event: ProgressEvent) => void {
  let last = Number.NEGATIVE_INFINITY;
  let shown = false;
  let told = false;
  return (event) => {
    if (!told && event.resumed !== undefined) terminal.write(`\r\x1b[K${event.operation}  ${resumedText(event)}\n`);
    told = true;
    if (event.verdict !== undefined) {
      if (shown) terminal.write("\r\x1b[K");
      return;
    }
    const due = event.waiting !== undefined || event.seconds - last >= 0.1;
    if (!due || (event.seconds < afterSeconds && event.waiting === undefined)) return;
    last = event.seconds;
    shown = true;
    terminal.write(`\r${escaped(progressLine(event)).slice(0, (terminal.columns ?? 80) - 1)}\x1b[K`);
  };
}

/**
 * A harvest in one line.
 *
 * @example
 * progressLine(event); //=> "mentions  2,400 of 5,000 rows  24 requests  812 rows/s"
 */
export function progressLine({ operation, rows, most, requests, rate, waiting, pace }: ProgressEvent): string {
  const of = most === undefined ? "" : ` of ${grouped(most)}`;
  const speed = waiting === undefined ? `${grouped(rate)} rows/s` : `waiting ${Math.ceil(waiting)} s`;
  const slowed = pace === undefined ? "" : `  slowed to ${pace.toFixed(1)} requests/s by the service`;
  return `${operation}  ${grouped(rows)}${of} rows  ${grouped(requests)} requests  ${speed}${slowed}`;
}

function grouped(value: number): string {
  return String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, ",");
}
