import { createHash } from "node:crypto";
import { VERSION } from "../../util/version.js";
import type { Cost, RequestContext, ServiceResponse } from "../http/requester.js";
import { isSearch } from "../operations/operations.js";
import type { ArchiveRequest } from "../operations/request.js";

/**
 * "complete" (the pages were followed to the end), "capped" (as many rows as an option allowed), or "stopped" (an error or an abort ended
 * the search).
 */
export type Verdict = "complete" | "capped" | "stopped";

// Modules that add a member declare it beside the code that fills it in.
/** Where a result comes from, and whether it is complete. */
export interface Provenance {
  /** `"mentions"`, for example. */
  operation: string;
  /** The parameters of the call, without the limit and number of each page. */
  parameters: Record<string, string>;
  /** URL of the service. */
  baseUrl: string;
  /** Time of the first response: ISO 8601, UTC; null without one. */
  firstResponseAt: string | null;
  /** Time of the last response. */
  lastResponseAt: string | null;
  /** Pages in the result. */
  pages: number;
  /** HTTP requests sent, retries included. */
  requests: number;
  /** Attempts that were repeated. */
  retries: number;
  /** Rows that the service returned, before the verbs of a scan. */
  rows: number;
  /** Rows that were dropped because they equal an earlier row. */
  duplicates: number;
  /** Rows that share their id with an earlier row but differ from it; they stay. */
  conflicts: number;
  /** Whether the result is complete. */
  verdict: Verdict;
  /** Why the verdict is not "complete"; where a search began, if not at its first page. */
  reason: string | null;
  /** The cursor to continue from, which repeats a truncated page; null if the search cannot continue. */
  cursor: string | null;
  /** SHA-256 of the response bodies in order. */
  sha256: string;
  /** The URL of the service, or "embedded archive 3f2a9c1b"; for a snapshot, the recorded source. */
  source: string;
  /** The directory of the snapshot that holds the responses; null without one. */
  snapshot: string | null;
  /** Pages that came from a cache. */
  cached: number;
  /** Version of this package. */
  version: string;
}

/** The service behind a client. */
export interface Service {
  readonly baseUrl: string;
  /** See {@link Provenance.source}. */
  readonly source: string;
  /** See {@link Provenance.snapshot}. */
  readonly snapshot: string | null;
}

/** The reason of a result whose call is still running. */
export const NOT_FINISHED = "not finished";

const recorders = new WeakMap<Provenance, ProvenanceRecorder>();

/** The recorder of a provenance, which the batches of a scan share. Undefined for one that was read from a file. */
export function recorderOf(provenance: Provenance): object | undefined {
  return recorders.get(provenance);
}

/** Records one pagination: its request, its responses, and how it ended. The fields are those of {@link Provenance}. */
export class ProvenanceRecorder {
  pages = 0;
  requests = 0;
  retries = 0;
  rows = 0;
  duplicates = 0;
  conflicts = 0;
  cached = 0;
  verdict: Verdict = "stopped";
  reason: string | null = NOT_FINISHED;
  cursor: string | undefined;
  /** Requests per second after the client slowed down because of a 429; undefined if it did not. */
  pace: number | undefined;
  #firstResponseAt: Date | undefined;
  #lastResponseAt: Date | undefined;
  /** On this thread: handing the bytes to another one costs more than hashing them. */
  readonly #hash = createHash("sha256");

  constructor(
    readonly request: ArchiveRequest,
    readonly service: Service,
  ) {}

  /** Called before each wait for another attempt. */
  onRetry: ((delay: number) => void) | undefined;

  readonly context = {
    onRequest: (): void => {
      this.requests++;
    },
    onRetry: (delay: number): void => {
      this.retries++;
      this.onRetry?.(delay);
    },
    onReplay: ({ requests, retries }: Cost): void => {
      this.requests += requests;
      this.retries += retries;
    },
  } satisfies RequestContext;

  addResponse(response: ServiceResponse): void {
    this.#firstResponseAt ??= response.receivedAt;
    this.#lastResponseAt = response.receivedAt;
    this.#hash.update(response.body);
    this.pace = response.pace;
    if (response.cached) this.cached++;
  }

  /** Drops all but the first pages, because the next one is unusable. */
  rewind(pages: number, rows: number, reason: string): void {
    Object.assign(this, { pages, rows, cursor: undefined });
    this.end("stopped", reason);
  }

  /** Sets the verdict and its reason, which also says where a search began that did not begin at its first page. */
  end(verdict: Verdict, reason: string | null = null): void {
    const { page, cursor } = Object.fromEntries(this.request.query);
    const start = cursor === undefined ? (page ?? "1") !== "1" && `from page ${page} on` : "from a cursor on";
    this.verdict = verdict;
    this.reason = start !== false && verdict !== "stopped" ? [reason, start].filter(Boolean).join(", ") : reason;
  }

  provenance(): Provenance {
    const { operation, path, query } = this.request;
    const id = !isSearch(operation) && { id: decodeURIComponent(path.slice(path.lastIndexOf("/") + 1)) };
    const provenance: Provenance = {
      operation,
      parameters: { ...id, ...Object.fromEntries(query) },
      baseUrl: this.service.baseUrl,
      firstResponseAt: this.#firstResponseAt?.toISOString() ?? null,
      lastResponseAt: this.#lastResponseAt?.toISOString() ?? null,
      pages: this.pages,
      requests: this.requests,
      retries: this.retries,
      rows: this.rows,
      duplicates: this.duplicates,
      conflicts: this.conflicts,
      verdict: this.verdict,
      reason: this.reason,
      cursor: this.cursor ?? null,
      sha256: this.#hash.copy().digest("hex"),
      source: this.service.source,
      snapshot: this.service.snapshot,
      cached: this.cached,
      version: VERSION,
    };
    recorders.set(provenance, this);
    return provenance;
  }
}
