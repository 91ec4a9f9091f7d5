import { createHash } from "node:crypto";
import type { ClientContext } from "../call/clientContext.js";
import { Progress } from "../call/progress.js";
import { warnOfVideotype } from "../call/warnOfVideotype.js";
import { type ArchiveRequest, buildRequest } from "../service/operations/request.js";
import { type Provenance, ProvenanceRecorder, type Verdict } from "../service/paging/provenanceRecorder.js";
import { unusualVideotype } from "../service/paging/unusualVideotype.js";

/** Keeps the books of many walks and look-ups that make one result. */
export class CombinedRecorder {
  /** What all accounts come to. */
  readonly total: ProvenanceRecorder;
  readonly #accounts: ProvenanceRecorder[] = [];
  readonly #progress: Progress;
  #remark: string | undefined;

  constructor(readonly client: ClientContext) {
    this.total = new ProvenanceRecorder(buildRequest("mentions", { query: "bill" }), client);
    this.#progress = new Progress(client.output.progress, this.total, undefined);
  }

  /** The account of one more walk or look-up. */
  open(request: ArchiveRequest): ProvenanceRecorder {
    const recorder = new ProvenanceRecorder(request, this.client);
    recorder.onRetry = (event) => {
      this.#sum();
      this.#progress.waits(event);
    };
    this.#accounts.push(recorder);
    return recorder;
  }

  /** A page of one of them has come. */
  page(): void {
    this.#sum();
    this.#progress.page();
  }

  /** Nothing more comes. The total gets the rows of the result, and the verdict that all searches come to. */
  async end(rows: number, searches: readonly ProvenanceRecorder[], stopped?: string): Promise<void> {
    await Promise.all(this.#accounts.map((recorder) => recorder.settle(true)));
    this.#sum();
    this.total.rows = rows;
    const worst = WORST_FIRST.map((verdict) => searches.find((recorder) => recorder.verdict === verdict)).find(Boolean);
    if (stopped !== undefined) this.total.end("stopped", stopped);
    else if (worst === undefined) this.total.end("complete");
    else this.total.end(worst.verdict, worst.reason);
    this.#progress.end();
    this.#remark = remarkOf(searches);
    warnOfVideotype(this.#remark, { some: this.#found > 0 });
  }

  /**
   * Where the result comes from: walks and look-ups taken together. Their bodies come in any order, so `sha256` is that of
   * the digests of each, in the order in which they were planned.
   */
  provenance(parameters: Record<string, string>): Provenance {
    const books = this.#accounts.map((recorder) => recorder.provenance());
    const answered = books.filter(({ firstResponseAt }) => firstResponseAt !== null);
    const times = answered.flatMap(({ firstResponseAt, lastResponseAt }) => [firstResponseAt, lastResponseAt]).sort();
    const digests = answered.map(({ sha256 }) => sha256);
    const sha256 = digests.includes(null) ? null : createHash("sha256").update(digests.join("")).digest("hex");
    return {
      ...this.total.provenance(),
      operation: "speechesOnBill",
      parameters,
      firstResponseAt: times[0] ?? null,
      lastResponseAt: times.at(-1) ?? null,
      rows: this.#found,
      sha256,
      ...(this.#remark !== undefined && { remark: this.#remark }),
    };
  }

  #sum(): void {
    for (const field of ["pages", "requests", "retries", "cached", "redactions"] as const) {
      this.total[field] = this.#accounts.reduce((sum, recorder) => sum + recorder[field], 0);
    }
    this.total.rows = this.#found;
  }

  /** Rows that the searches brought: people are not counted. */
  get #found(): number {
    const searches = this.#accounts.filter(({ request }) => request.operation === "mentions");
    return searches.reduce((sum, { rows }) => sum + rows, 0);
  }
}

const WORST_FIRST: readonly Verdict[] = ["stopped", "capped"];

/** What to say of the unusual video types for which no search found anything. */
function remarkOf(searches: readonly ProvenanceRecorder[]): string | undefined {
  const silent = searches.filter(({ remark }) => remark === undefined);
  const remarks = new Set(searches.map(({ remark }) => remark));
  for (const { request } of silent) remarks.delete(unusualVideotype(request));
  return [...remarks].filter((remark) => remark !== undefined).join(" ") || undefined;
}
