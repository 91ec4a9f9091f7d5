import { show } from "../errors/validators.js";
import { warnOnce } from "../errors/warn.js";
import type { ArchiveRequest } from "../service/operations/request.js";
import type { ProvenanceRecorder, Verdict } from "../service/paging/provenanceRecorder.js";
import { clip, escaped, formatCount, pluralize } from "../util/text.js";

/** The progress of a call: after every page, before every wait, and at the end. */
export interface ProgressEvent {
  /** Number of the call in this process. */
  readonly call: number;
  /** Name of the operation: `"mentions"`. */
  readonly operation: string;
  /** The query or id; for `withPeople` and `withPrograms`, how many ids. */
  readonly query?: string | undefined;
  /** Rows fetched so far. */
  readonly rows: number;
  /** Pages fetched so far. */
  readonly pages: number;
  /** HTTP requests sent so far, retries included. */
  readonly requests: number;
  /** Seconds since the start. */
  readonly seconds: number;
  /** Average rows per second. */
  readonly rate: number;
  /** The row limit, if given. */
  readonly maxItems: number | undefined;
  /** Seconds to wait before the next attempt, after a 429 or a failure. */
  readonly waiting: number | undefined;
  /** Pages fetched by the earlier run that this save or sink resumes. */
  readonly resumed?: number | undefined;
  /** Requests per second to which the client slowed down after a 429. */
  readonly pace?: number | undefined;
  /** How the call ended; undefined until the last event. */
  readonly verdict: Verdict | undefined;
  /** Why the verdict is not "complete", for example "maxItems". */
  readonly reason: string | undefined;
}

/** `true` for a progress line from the start, `false` for none, or a function to call. */
export type ProgressOption = boolean | ((event: ProgressEvent) => void);

type OnProgress = (event: ProgressEvent) => void;

export type ProgressSubject = Partial<Pick<ProgressEvent, "operation" | "query" | "maxItems" | "resumed">>;

let lastCall = 0;

/** Reports the progress of one call; undefined if nothing displays it. */
export function progressOf(
  option: ProgressOption | undefined,
  recorder: ProvenanceRecorder,
  subject: ProgressSubject = {},
): { report(waiting?: number): void; end(): void } | undefined {
  const onEvent = progressHandler(option);
  if (onEvent === undefined) return undefined;
  const [call, startTime] = [++lastCall, Date.now()];
  const report = (waiting?: number, verdict?: Verdict) => {
    const { request, rows, pages, requests, pace } = recorder;
    const { operation = request.operation, query = queryOrId(request), resumed } = subject;
    const maxItems = Number.isFinite(subject.maxItems) ? subject.maxItems : undefined;
    const seconds = (Date.now() - startTime) / 1000;
    const rate = seconds > 0 ? rows / seconds : 0;
    const reason = (verdict && recorder.reason) ?? undefined;
    const counts = { rows, pages, requests, seconds, rate, waiting, pace };
    onEvent({ call, operation, query, ...counts, maxItems, resumed, verdict, reason });
  };
  return { report: (waiting) => report(waiting), end: () => report(undefined, recorder.verdict) };
}

/** The query of a request, or the id at the end of its path. */
function queryOrId({ path, query }: ArchiveRequest): string | undefined {
  return new Map(query).get("query") ?? /\/(\d+)$/.exec(path)?.[1];
}

function progressHandler(option: ProgressOption | undefined): OnProgress | undefined {
  if (typeof option === "function") return withoutErrors(option);
  if (option === false) return undefined;
  const { progress } = notebookHost();
  if (progress !== undefined || !process.stderr.isTTY) return progress;
  return terminalLine(process.stderr, option === true ? 0 : 1);
}

/** A failing callback causes one warning instead of failing the call. */
function withoutErrors(callback: (event: ProgressEvent) => unknown): OnProgress {
  return async (event) => {
    try {
      await callback(event);
    } catch (error) {
      warnOnce("PROGRESS_FAILED", `The progress callback failed: ${show(error)}. The call continues.`);
    }
  };
}

export function resumedText({ resumed = 0 }: Pick<ProgressEvent, "resumed">): string {
  return resumed === 0 ? "" : `resumed from ${pluralize(resumed, "page")}`;
}

export function eventText({ operation, query }: Pick<ProgressEvent, "operation" | "query">, length = 24): string {
  return query === undefined ? operation : `${operation} ${clip(query, length).replace(/\s+/g, " ")}`;
}

export interface Terminal {
  readonly columns?: number | undefined;
  write(text: string): unknown;
}

/** A progress line, redrawn at most ten times a second and erased at the end. */
export function terminalLine(terminal: Terminal, afterSeconds: number): OnProgress {
  let shownAt = Number.NEGATIVE_INFINITY;
  return (event) => {
    const { waiting, seconds, verdict } = event;
    if (verdict !== undefined) {
      if (shownAt >= 0) terminal.write("\r\x1b[K");
      return;
    }
    if (waiting === undefined && (seconds - shownAt < 0.1 || seconds < afterSeconds)) return;
    shownAt = seconds;
    // A pseudo-terminal without a size has 0 columns.
    const width = (terminal.columns || 80) - 1;
    terminal.write(`\r${escaped(progressLine(event)).slice(0, width)}\x1b[K`);
  };
}

/** `mentions climate  2,400 of 5,000 rows  24 requests  812 rows/s` */
export function progressLine(event: ProgressEvent): string {
  const { rows, requests, rate, waiting, pace, maxItems } = event;
  const of = maxItems === undefined ? "" : ` of ${formatCount(maxItems)}`;
  const parts = [
    eventText(event),
    `${formatCount(rows)}${of} rows`,
    pluralize(requests, "request"),
    waiting === undefined ? `${formatCount(rate)} rows/s` : `waiting ${Math.ceil(waiting)} s`,
    pace === undefined ? "" : `slowed to ${pace.toFixed(1)} requests/s by the service`,
    resumedText(event),
  ];
  return parts.filter((part) => part !== "").join("  ");
}

/** What a notebook kernel provides to this package, at `globalThis[Symbol.for("archive-frames.host")]`. */
export interface NotebookHost {
  /** Aborts when the running cell is interrupted. */
  readonly signal?: AbortSignal | undefined;
  /** Shows the progress of a call. */
  readonly progress?: ((event: ProgressEvent) => void) | undefined;
  /** Shows a MIME bundle below the running cell. */
  readonly display?:
    | ((bundle: Record<string, unknown>) => { update(bundle: Record<string, unknown>): void })
    | undefined;
  /** Asks the user for a secret, after a prompt; absent if the front end cannot. */
  readonly input?: ((prompt: string) => Promise<string>) | undefined;
  /** Removes the user's secrets from a text. */
  readonly redact?: ((text: string) => string) | undefined;
}

/** The notebook kernel of this process; empty outside one. A global symbol, because kernel and notebook may load different copies of the package. */
export function notebookHost(): NotebookHost {
  return (globalThis as { [name: symbol]: NotebookHost | undefined })[Symbol.for("archive-frames.host")] ?? {};
}
