import type { ArchiveRequest } from "../service/operations/request.js";
import { type Provenance, ProvenanceRecorder } from "../service/paging/provenanceRecorder.js";
import { sha256Of } from "../util/sha256Of.js";
import { sum } from "../util/sum.js";
import type { ClientContext } from "./clientContext.js";
import { type ProgressSubject, progressOf } from "./progress.js";

/** Combines the recorders of the searches and lookups behind one result. */
export class CombinedRecorder {
  readonly total: ProvenanceRecorder;
  readonly #recorders: ProvenanceRecorder[] = [];
  readonly #progress: ReturnType<typeof progressOf>;

  constructor(
    readonly client: ClientContext,
    request: ArchiveRequest,
    subject?: ProgressSubject,
  ) {
    this.total = new ProvenanceRecorder(request, client);
    this.#progress = progressOf(client.output.progress, this.total, subject);
  }

  add(request: ArchiveRequest): ProvenanceRecorder {
    const recorder = new ProvenanceRecorder(request, this.client);
    recorder.onRetry = (delay) => this.onPage(delay);
    this.#recorders.push(recorder);
    return recorder;
  }

  /** Reports progress: before the first request, after each page, or before a wait of `waiting` seconds. */
  onPage(waiting?: number): void {
    this.#sum();
    this.#progress?.report(waiting);
  }

  /**
   * Ends the recording with the worst verdict of all searches.
   * @param rows rows of the result
   * @param stopped why the call stopped, if it did
   * @param capped why lookups are missing, if any are
   */
  end(rows: number, searches: readonly ProvenanceRecorder[], stopped?: string, capped?: string): void {
    this.#sum();
    this.total.rows = rows;
    const worst =
      searches.find(({ verdict }) => verdict === "stopped") ?? searches.find(({ verdict }) => verdict === "capped");
    if (stopped !== undefined) this.total.end("stopped", stopped);
    else if (worst !== undefined) this.total.end(worst.verdict, worst.reason);
    else this.total.end(capped === undefined ? "complete" : "capped", capped);
    this.#progress?.end();
  }

  /** The provenance of the result; `sha256` digests the digests of all searches and lookups in planned order, as responses arrive in any. */
  provenance(operation: string, parameters: Record<string, string>): Provenance {
    const parts = this.#recorders.map((recorder) => recorder.provenance());
    const answered = parts.filter(({ firstResponseAt }) => firstResponseAt !== null);
    const times = answered.flatMap(({ firstResponseAt, lastResponseAt }) => [firstResponseAt, lastResponseAt]).sort();
    const [firstResponseAt = null, lastResponseAt = null] = [times[0], times.at(-1)];
    const sha256 = sha256Of(answered.map((part) => part.sha256).join(""));
    const total = this.total.provenance();
    return { ...total, operation, parameters, rows: this.#rows, firstResponseAt, lastResponseAt, sha256 };
  }

  #sum(): void {
    for (const field of ["pages", "requests", "retries", "cached"] as const)
      this.total[field] = sum(this.#recorders.map((recorder) => recorder[field]));
    this.total.rows = this.#rows;
  }

  /** Rows of the searches, without those of lookups. */
  get #rows(): number {
    const searches = this.#recorders.filter(({ request }) => request.operation === this.total.request.operation);
    return sum(searches.map(({ rows }) => rows));
  }
}
