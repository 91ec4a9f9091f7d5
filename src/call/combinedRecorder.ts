import { ArchiveError } from "../errors/index.js";
import { invalid } from "../errors/validators.js";
import type { RequestBudget } from "../service/http/requester.js";
import type { ArchiveRequest } from "../service/operations/request.js";
import type { Page } from "../service/paging/page.js";
import { type Provenance, ProvenanceRecorder } from "../service/paging/provenanceRecorder.js";
import { RowCounter } from "../service/paging/rowCounter.js";
import { CallSignal } from "../util/callSignal.js";
import { sha256Of } from "../util/hash.js";
import { sum } from "../util/lists.js";
import type { ClientContext } from "./clientContext.js";
import type { CheckedCall } from "./execution.js";
import { type ProgressSubject, progressOf } from "./progress.js";

/** Why a call stopped or its result is incomplete. */
type EndReasons = Partial<Record<"stopped" | "capped", string | null | undefined>>;

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

  /** @param rows rows of the result. Default: those of the searches */
  end({ stopped = null, capped = null }: EndReasons, rows = this.#rows): void {
    this.#sum();
    this.total.rows = rows;
    if (stopped !== null) this.total.end("stopped", stopped);
    else this.total.end(capped === null ? "complete" : "capped", capped);
    this.#progress?.end();
  }

  /** The provenance of the result. Its `sha256` hashes those of the parts in the order of `add`, because responses arrive in any order. */
  provenance(operation: string, parameters: Record<string, string>): Provenance {
    const all = this.#recorders.map((recorder) => recorder.provenance());
    const parts = all.filter(({ firstResponseAt }) => firstResponseAt !== null);
    const times = parts.flatMap(({ firstResponseAt, lastResponseAt }) => [firstResponseAt, lastResponseAt]).sort();
    const [firstResponseAt = null, lastResponseAt = null] = [times[0], times.at(-1)];
    const sha256 = sha256Of(parts.map((part) => part.sha256).join(""));
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

/** Creates the counter of a search; `onRows` receives the pages that it reads by cursor. */
export type CounterOf = (search: ArchiveRequest, onRows?: (page: Page) => void) => RowCounter;

/** Runs a call that counts searches. They share a budget and a provenance; if one fails, the others stop. */
export async function withCounters<T>(
  client: ClientContext,
  { request, signal }: CheckedCall,
  budget: RequestBudget | undefined,
  run: (combined: CombinedRecorder, counterOf: CounterOf) => Promise<T>,
): Promise<T> {
  for (const [name, value] of request.query)
    if (name === "cursor" || name === "page") throw invalid(name, value, "All pages are counted. Leave it out.");
  const combined = new CombinedRecorder(client, request);
  const callSignal = new CallSignal([signal, client.output.host.signal]);
  const { requester, redact, output } = client;
  const commonOptions = { requester, redact, budget, pageSize: output.pageSize, signal: callSignal.signal };
  const counterOf: CounterOf = (search, onRows) => {
    const onPage = (page: Page, isByCursor: boolean) => {
      combined.onPage();
      if (isByCursor) onRows?.(page);
    };
    return new RowCounter(search, { ...commonOptions, recorder: combined.add(search), onPage });
  };
  try {
    return await run(combined, counterOf);
  } catch (error) {
    callSignal.abort();
    combined.end({ stopped: error instanceof ArchiveError ? error.code : "failed" });
    throw error;
  } finally {
    callSignal.release();
  }
}
