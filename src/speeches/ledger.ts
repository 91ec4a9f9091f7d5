import { createHash } from "node:crypto";
import type { Core } from "../calls/core.js";
import { host } from "../calls/host.js";
import { Progress } from "../calls/progress.js";
import type { ArchiveRequest } from "../service/operations/request.js";
import { Account, type Provenance, type Verdict } from "../service/pages/account.js";

/** Keeps the books of many walks and look-ups that make one result. */
export class Ledger {
  /** What all accounts come to. */
  readonly total: Account;
  readonly #accounts: Account[] = [];
  readonly #progress: Progress;

  constructor(
    readonly core: Core,
    request: ArchiveRequest,
  ) {
    this.total = new Account(request, core.baseUrl);
    this.#progress = new Progress(core.output.progress, this.total, undefined);
  }

  /** The account of one more walk or look-up. */
  open(request: ArchiveRequest): Account {
    const account = new Account(request, this.core.baseUrl);
    account.onRetry = (event) => {
      this.#sum();
      this.#progress.waits(event);
    };
    this.#accounts.push(account);
    return account;
  }

  /** A page of one of them has come. */
  page(): void {
    this.#sum();
    this.#progress.page();
  }

  /** Nothing more comes. The total has the rows of the result, and the verdict that all searches come to. */
  end(rows: number, searches: readonly Account[], stopped?: string): void {
    this.#sum();
    this.total.rows = rows;
    const worst = WORST_FIRST.map((verdict) => searches.find((account) => account.verdict === verdict)).find(Boolean);
    if (stopped !== undefined) this.total.end("stopped", stopped);
    else if (worst === undefined) this.total.end("complete");
    else this.total.end(worst.verdict, worst.reason);
    this.#progress.end();
  }

  /** Where the result comes from: everything of the walks and look-ups taken together, in the order of the plan. */
  provenance(parameters: Record<string, string>): Provenance {
    const books = this.#accounts.map((account) => account.provenance());
    const answered = books.filter(({ firstResponseAt }) => firstResponseAt !== null);
    const hash = createHash("sha256");
    for (const { sha256 } of answered) hash.update(sha256);
    return {
      ...this.total.provenance(),
      operation: "speechesOnBill",
      parameters,
      firstResponseAt: answered.map((book) => book.firstResponseAt).sort()[0] ?? null,
      lastResponseAt: answered.map((book) => book.lastResponseAt).sort().at(-1) ?? null,
      sha256: hash.digest("hex"),
    };
  }

  #sum(): void {
    for (const field of ["pages", "requests", "retries", "rows"] as const) {
      this.total[field] = this.#accounts.reduce((sum, account) => sum + account[field], 0);
    }
  }
}

const WORST_FIRST: readonly Verdict[] = ["stopped", "capped"];

/** What aborts a build: the caller, the notebook, or the failure of one of its requests. */
export function stopper(signal: AbortSignal | undefined): AbortController {
  const controller = new AbortController();
  for (const other of [signal, host().signal]) {
    if (other === undefined) continue;
    if (other.aborted) controller.abort(other.reason);
    else other.addEventListener("abort", () => controller.abort(other.reason), { once: true, signal: controller.signal });
  }
  return controller;
}
