import type { ClientContext } from "../../call/clientContext.js";
import { progressOf } from "../../call/progress.js";
import type { ProgressOption } from "../../call/progressEvent.js";
import { APIError, type ArchiveError, type ErrorCode } from "../../errors/index.js";
import type { ArchiveRequest } from "../../service/operations/request.js";
import { ProvenanceRecorder, type Verdict } from "../../service/paging/provenanceRecorder.js";

const FIELDS = ["pages", "requests", "retries", "cached"] as const;

/** Failures that every request of the client would run into, and failures to write to the corpus. */
const COMMON: ReadonlySet<ErrorCode> = new Set([
  ...(["ABORTED", "AUTHENTICATION", "RATE_LIMITED", "CONNECTION_FAILED", "CLIENT_CLOSED", "QUEUE_FAILED"] as const),
  ...(["NOT_WRITABLE", "DISK_FULL", "TARGET_IS_DIRECTORY", "NAME_TOO_LONG"] as const),
  ...(["TARGET_BUSY", "UNSAFE_PATH", "FILE_ERROR"] as const),
]);

/** Whether a failure concerns all searches and lookups. A 403 is a wrong key, a wrong address or a firewall. */
export function isCommon(error: ArchiveError): boolean {
  return COMMON.has(error.code) || (error instanceof APIError && error.statusCode === 403);
}

/** Adds up the requests and rows of the searches and lookups of a run. Those that have ended are added only once. */
export class RunRecorder {
  readonly total: ProvenanceRecorder;
  readonly #active = new Set<ProvenanceRecorder>();
  readonly #ended: ProvenanceRecorder;
  readonly #progress: ReturnType<typeof progressOf>;

  constructor(
    readonly client: ClientContext,
    request: ArchiveRequest,
    progress: ProgressOption | undefined,
  ) {
    this.total = new ProvenanceRecorder(request, client);
    this.#ended = new ProvenanceRecorder(request, client);
    this.#progress = progressOf(progress ?? client.output.progress, this.total);
  }

  /** A recorder for one more reading or lookup. */
  add(request: ArchiveRequest): ProvenanceRecorder {
    const recorder = new ProvenanceRecorder(request, this.client);
    recorder.onRetry = (delay) => this.onPage(delay);
    this.#active.add(recorder);
    return recorder;
  }

  /** Adds a recorder that has ended. */
  release(recorder: ProvenanceRecorder): void {
    if (!this.#active.delete(recorder)) return;
    addTo(this.#ended, recorder);
  }

  /** Reports the progress: after a page, or before a wait of so many seconds. */
  onPage(waiting?: number): void {
    this.sum();
    this.#progress?.report(waiting);
  }

  sum(): ProvenanceRecorder {
    for (const field of [...FIELDS, "rows"] as const) this.total[field] = this.#ended[field];
    for (const recorder of this.#active) addTo(this.total, recorder);
    return this.total;
  }

  end(verdict: Verdict, reason: string | null): void {
    this.sum().end(verdict, reason);
    this.#progress?.end();
  }
}

/** Rows of lookups are not rows of searches. */
function addTo(total: ProvenanceRecorder, one: ProvenanceRecorder): void {
  for (const field of FIELDS) total[field] += one[field];
  if (one.request.operation === total.request.operation) total.rows += one.rows;
}
