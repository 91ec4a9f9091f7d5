import type { ClientContext } from "../../call/clientContext.js";
import { progressOf } from "../../call/progress.js";
import type { ArchiveRequest } from "../../service/operations/request.js";
import { ProvenanceRecorder } from "../../service/paging/provenanceRecorder.js";

const FIELDS = ["pages", "requests", "retries", "cached", "rows"] as const;

/** Adds up the requests and rows of the searches and lookups of a run. It keeps no recorder: there may be many. */
export class RunRecorder {
  readonly total: ProvenanceRecorder;
  readonly #counted = new WeakMap<ProvenanceRecorder, Partial<ProvenanceRecorder>>();
  readonly #progress: ReturnType<typeof progressOf>;

  constructor(
    readonly client: ClientContext,
    request: ArchiveRequest,
  ) {
    this.total = new ProvenanceRecorder(request, client);
    this.#progress = progressOf(client.output.progress, this.total);
  }

  /** A recorder for one more reading or lookup. */
  add(request: ArchiveRequest): ProvenanceRecorder {
    const recorder = new ProvenanceRecorder(request, this.client);
    recorder.onRetry = (delay) => this.report(recorder, delay);
    return recorder;
  }

  /** Adds what a recorder has counted since the last time, and reports the progress: after a page, or before a wait of so many seconds. */
  report(recorder: ProvenanceRecorder, waiting?: number): void {
    const before = this.#counted.get(recorder);
    for (const field of FIELDS) this.total[field] += recorder[field] - (before?.[field] ?? 0);
    this.#counted.set(recorder, Object.fromEntries(FIELDS.map((field) => [field, recorder[field]])));
    this.#progress?.report(waiting);
  }

  end(...result: Parameters<ProvenanceRecorder["end"]>): void {
    this.total.end(...result);
    this.#progress?.end();
  }
}
