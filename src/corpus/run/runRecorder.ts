import type { ClientContext } from "../../call/clientContext.js";
import { progressOf } from "../../call/progress.js";
import type { ProgressOption } from "../../call/progressEvent.js";
import type { ArchiveRequest } from "../../service/operations/request.js";
import { ProvenanceRecorder } from "../../service/paging/provenanceRecorder.js";

const FIELDS = ["pages", "requests", "retries", "cached", "rows"] as const;

/** Adds up the requests and rows of the searches and lookups of a run. Those that have ended are added only once. */
export class RunRecorder {
  readonly total: ProvenanceRecorder;
  readonly #ended: ProvenanceRecorder;
  readonly #active = new Set<ProvenanceRecorder>();
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

  release(recorder: ProvenanceRecorder): void {
    this.#active.delete(recorder);
    for (const field of FIELDS) this.#ended[field] += recorder[field];
  }

  /** Reports the progress: after a page, or before a wait of so many seconds. */
  onPage(waiting?: number): void {
    this.sum();
    this.#progress?.report(waiting);
  }

  sum(): ProvenanceRecorder {
    for (const field of FIELDS) {
      this.total[field] = this.#ended[field];
      for (const recorder of this.#active) this.total[field] += recorder[field];
    }
    return this.total;
  }

  end(...result: Parameters<ProvenanceRecorder["end"]>): void {
    this.sum().end(...result);
    this.#progress?.end();
  }
}
