import { ArchiveError } from "../errors/index.js";
import { invalid } from "../errors/validators.js";
import type { RequestBudget } from "../service/http/requester.js";
import type { ArchiveRequest } from "../service/operations/request.js";
import { RowCounter } from "../service/paging/countRows.js";
import type { Page } from "../service/paging/page.js";
import { type Provenance, ProvenanceRecorder } from "../service/paging/provenanceRecorder.js";
import { CallSignal } from "../util/callSignal.js";
import { sha256Of } from "../util/hash.js";
import { sum } from "../util/lists.js";
import type { ClientContext } from "./clientContext.js";
import type { CheckedCall } from "./execution.js";
import { type ProgressSubject, progressOf } from "./progress.js";

/** Why a call stopped, or why its result is not all there is; without a reason it is complete. */
type Reasons = Partial<Record<"stopped" | "capped", string | null | undefined>>;

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

  /** @param rows of the result, if they are not those of the searches */
  end({ stopped = null, capped = null }: Reasons, rows = this.#rows): void {
    this.#sum();
    this.total.rows = rows;
    if (stopped !== null) this.total.end("stopped", stopped);
    else this.total.end(capped === null ? "complete" : "capped", capped);
    this.#progress?.end();
  }

  /** The provenance of the result. `sha256` digests those of all searches and lookups in planned order, as responses arrive in any. */
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
    this.total.pace = this.#recorders.findLast(({ pace }) => pace !== undefined)?.pace;
  }

  /** Rows of the searches, without those of lookups. */
  get #rows(): number {
    const { operation } = this.total.request;
    return sum(this.#recorders.map(({ request, rows }) => (request.operation === operation ? rows : 0)));
  }
}

/** Makes the counter of a search; `onRows` gets the pages that it reads by cursor. */
export type CounterOf = (search: ArchiveRequest, onRows?: (page: Page) => void) => RowCounter;

/** Runs a call that counts searches. They share a budget and a record, and if one fails, the others stop. */
export async function withCounters<T>(
  client: ClientContext,
  { request, signal }: CheckedCall,
  budget: RequestBudget | undefined,
  run: (combined: CombinedRecorder, counterOf: CounterOf) => Promise<T>,
): Promise<T> {
  for (const [name, value] of request.query)
    if (name === "cursor" || name === "page") throw invalid(name, value, "All pages are counted. Leave it out.");
  const combined = new CombinedRecorder(client, request);
  const stop = new CallSignal([signal, client.output.host.signal]);
  const { requester, redact, output } = client;
  const common = { requester, redact, budget, pageSize: output.pageSize, signal: stop.signal };
  const counterOf: CounterOf = (search, onRows) => {
    const onPage = (page: Page, isByCursor: boolean) => {
      combined.onPage();
      if (isByCursor) onRows?.(page);
    };
    return new RowCounter(search, { ...common, recorder: combined.add(search), onPage });
  };
  try {
    return await run(combined, counterOf);
  } catch (error) {
    stop.abort();
    combined.end({ stopped: error instanceof ArchiveError ? error.code : "failed" });
    throw error;
  } finally {
    stop.release();
  }
}
