import { VERSION } from "../../util/version.js";
import type { Cost, RequestContext, RetryEvent, ServiceResponse } from "../http/requester.js";
import type { ArchiveRequest } from "../operations/request.js";
import { BodyHash } from "./bodyHash.js";
import { unusualVideotype } from "./unusualVideotype.js";

/** Whether a result is all there is: everything, as much as was asked for, or as much as came before a stop. */
export type Verdict = "complete" | "capped" | "stopped";

/**
 * Where a result comes from and whether it is complete. Modules that add a field of their own declare it beside the code
 * that fills it in: `speeches` is declared in `src/speeches/speechesReport.ts`.
 */
export interface Provenance {
  operation: string;
  /** What was asked; the limit and the number of each page, which the walk chooses, are not in it. */
  parameters: Record<string, string>;
  baseUrl: string;
  /** When the first and the last response had arrived: ISO 8601, UTC; null where none came. */
  firstResponseAt: string | null;
  lastResponseAt: string | null;
  pages: number;
  /** Requests sent, repeated ones included. */
  requests: number;
  retries: number;
  /** Rows that the service gave, before the verbs of a scan. */
  rows: number;
  /** Rows that are equal as a whole to one that came before, and were dropped. */
  duplicates: number;
  /** Rows that have the id of an earlier row and other contents. They are kept. */
  conflicts: number;
  verdict: Verdict;
  /** Why the verdict is not "complete"; null where it is. */
  reason: string | null;
  /**
   * Where to go on from: a page that was cut comes again from its beginning. Null where nothing is left, where nothing was
   * asked, where the first page was cut, or where the cursor goes in circles.
   */
  cursor: string | null;
  /** SHA-256 of the response bodies in order, in hexadecimal; null where it could not be computed. */
  sha256: string | null;
  /** What answered: the address of the service, or "embedded archive, seed 1"; of a snapshot, what answered then. */
  source: string;
  /** The folder of the snapshot that keeps the answers; null without one. */
  snapshot: string | null;
  /** Pages that came from a cache: they are as old as the times of the responses say, and cost no request now. */
  cached: number;
  /**
   * How often the service sent the key in a response and it was replaced by `[redacted]`. More than 0 where the key is an
   * ordinary word too: rows that hold the word have changed.
   */
  redactions: number;
  /** Version of this package. */
  version: string;
  /** Why nothing may have been found: the video type is unusual, and the nearest known one. Absent where nothing is remarkable. */
  remark?: string;
}

/** What is asked. */
export interface Service {
  readonly baseUrl: string;
  /** See {@link Provenance.source}. */
  readonly source: string;
  /** See {@link Provenance.snapshot}. */
  readonly snapshot: string | null;
}

/** Keeps the books of one walk: what was asked, what came, and how it ended. */
export class ProvenanceRecorder {
  pages = 0;
  requests = 0;
  retries = 0;
  rows = 0;
  duplicates = 0;
  conflicts = 0;
  /** Pages that came from a cache. */
  cached = 0;
  /** Keys taken out of bodies. */
  redactions = 0;
  /** Requests per second that the client keeps to because the service refused more; undefined where it does not. */
  pace: number | undefined;
  verdict: Verdict = "stopped";
  reason: string | null = "not finished";
  /** Where to go on from. */
  cursor: string | undefined;
  /** The cursor that each page was fetched with. */
  readonly trail: Array<string | undefined> = [];
  #first: Date | undefined;
  #last: Date | undefined;
  readonly #hash = new BodyHash();

  constructor(
    readonly request: ArchiveRequest,
    readonly service: Service,
  ) {}

  /** Is told of each wait before another attempt. */
  onRetry: ((event: RetryEvent) => void) | undefined;

  /** What an ask is to report to. */
  readonly context = {
    onRequest: (): void => {
      this.requests++;
    },
    onRetry: (event: RetryEvent): void => {
      this.retries++;
      this.onRetry?.(event);
    },
    onReplay: ({ requests, retries }: Cost): void => {
      this.requests += requests;
      this.retries += retries;
    },
  } satisfies RequestContext;

  answered(response: ServiceResponse): void {
    this.#first ??= response.receivedAt;
    this.#last = response.receivedAt;
    this.#hash.update(response.body);
    this.pace = response.pace;
    if (response.cached) this.cached++;
    this.redactions += response.redactions ?? 0;
  }

  /** Brings the hash up to date; with `last` no response follows. */
  settle(last: boolean): Promise<void> {
    return this.#hash.settle(last);
  }

  /** Takes back the pages from `page` on, which could not be read after all. */
  rewind(page: number, rows: number): void {
    this.cursor = this.trail[page];
    this.pages = page;
    this.rows = rows;
    this.end("stopped", "BODY_NOT_JSON");
  }

  end(verdict: Verdict, reason: string | null = null): void {
    this.verdict = verdict;
    this.reason = reason;
  }

  /** See {@link Provenance.remark}. */
  get remark(): string | undefined {
    return this.pages > 0 && this.rows === 0 ? unusualVideotype(this.request) : undefined;
  }

  /** The books as they stand. */
  provenance(): Provenance {
    const { remark } = this;
    const { request, pages, requests, retries, rows, duplicates, conflicts, cached, redactions, verdict, reason } =
      this;
    const { baseUrl, source, snapshot } = this.service;
    return {
      operation: request.operation,
      parameters: { ...pathParameters(request), ...Object.fromEntries(request.query) },
      baseUrl,
      firstResponseAt: this.#first?.toISOString() ?? null,
      lastResponseAt: this.#last?.toISOString() ?? null,
      pages,
      requests,
      retries,
      rows,
      duplicates,
      conflicts,
      verdict,
      reason,
      cursor: this.cursor ?? null,
      sha256: this.#hash.digest,
      source,
      snapshot,
      cached,
      redactions,
      version: VERSION,
      ...(remark !== undefined && { remark }),
    };
  }
}

function pathParameters({ operation, path }: ArchiveRequest): Record<string, string> {
  return operation === "person" || operation === "program"
    ? { id: decodeURIComponent(path.slice(path.lastIndexOf("/") + 1)) }
    : {};
}
