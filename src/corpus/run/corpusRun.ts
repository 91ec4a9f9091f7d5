import { basename } from "node:path";
import pMap from "p-map";
import type { ClientContext } from "../../call/clientContext.js";
import { progressOf } from "../../call/progress.js";
import { APIError, type ArchiveError, abortedError } from "../../errors/index.js";
import { toFileError } from "../../fs/fileErrors.js";
import type { ArchiveRequest } from "../../service/operations/request.js";
import { ProvenanceRecorder } from "../../service/paging/provenanceRecorder.js";
import { CallSignal } from "../../util/callSignal.js";
import { groupBy } from "../../util/lists.js";
import { clip } from "../../util/text.js";
import { failedSearches } from "../corpusInfo.js";
import { sqlValue } from "../database/database.js";
import type { Window } from "../definition/windows.js";
import type { OpenCorpus, RunResult } from "../withCorpus.js";
import { CommitQueue } from "./commitQueue.js";
import { type FetchResult, fetchWindow, windowTooLarge } from "./fetchWindow.js";
import type { CheckedRunOptions } from "./runOptions.js";

/** Windows with the same request, which is sent once. */
type WindowGroup = readonly [Window, ...Window[]];

/** The usual number of requests of a window. A run with a budget begins no more windows than it can probably finish. */
const WINDOW_REQUESTS = 25;

/** Fetches due windows: the common part of a build, a refresh and a plan. */
export class CorpusRun {
  readonly recorder: RunRecorder;
  readonly call: CallSignal;
  readonly commits: CommitQueue;
  /** The errors of failed searches, which do not stop the others. */
  readonly failures = new Map<string, ArchiveError>();

  constructor(
    readonly corpus: OpenCorpus,
    readonly client: ClientContext,
    readonly options: CheckedRunOptions,
  ) {
    const query = [["query", basename(corpus.database.dir)]] as const;
    const request = { operation: "mentions", path: "/mentions", query } as const;
    this.recorder = new RunRecorder(client, request);
    this.call = new CallSignal([options.signal, client.output.host.signal]);
    this.commits = new CommitQueue(corpus.database, corpus.run);
  }

  /** The due windows by request, in the order in which they are fetched. */
  async dueGroups(): Promise<WindowGroup[]> {
    const { database, windows } = this.corpus;
    const due = await database.rows<{ id: string }>("select search || ' ' || span as id from windows where due");
    const ids = new Set(due.map(({ id }) => id));
    const dueWindows = windows.filter(({ search, span }) => ids.has(`${search} ${span}`));
    return [...groupBy(dueWindows, ({ key }) => key).values()] as unknown as WindowGroup[];
  }

  /**
   * Fetches windows and commits them.
   *
   * @throws ArchiveError of a failure that concerns all searches
   */
  async fetchAll(groups: readonly WindowGroup[]): Promise<void> {
    const { budget } = this.options;
    const { maxRequests = Number.POSITIVE_INFINITY } = budget ?? {};
    const concurrency = Math.min(this.client.concurrency, Math.max(1, Math.floor(maxRequests / WINDOW_REQUESTS)));
    try {
      await pMap(groups, (group) => this.#fetch(group), { concurrency });
    } finally {
      await this.commits.flush();
    }
    // Otherwise every run with this budget would end without a window.
    if (maxRequests > 0 && budget?.isUsedUp && this.commits.requests === 0 && this.failures.size === 0)
      for (const { search } of groups[0] ?? []) this.failures.set(search, windowTooLarge(maxRequests));
    const { aborted, reason } = this.call.signal;
    const stop = [...this.failures.values()].find(isGeneral);
    if (stop !== undefined || aborted) throw stop ?? abortedError(undefined, reason);
  }

  async #fetch(group: WindowGroup): Promise<void> {
    const { budget } = this.options;
    if (this.call.signal.aborted || budget?.isUsedUp || group.every(({ search }) => this.failures.has(search))) return;
    try {
      const result = await this.#fetchWindow(group);
      if (result !== undefined) await this.commits.add({ windows: group, result });
    } catch (error) {
      const failure = toFileError(error, this.corpus.database.dir);
      // The budget did not allow the first request, or its retry.
      if (budget?.isUsedUp && !isGeneral(failure)) return;
      // Aborted searches did not fail themselves.
      if (!this.call.signal.aborted || this.failures.size === 0)
        for (const { search } of group) this.failures.set(search, failure);
      if (isGeneral(failure)) this.call.abort();
    }
  }

  /**
   * Fetches a window, and a second time if hits are missing, because rows may have moved between pages. The result then has the rows of
   * both, the second ones last. Undefined if the budget is used up.
   */
  async #fetchWindow(group: WindowGroup): Promise<FetchResult | undefined> {
    const first = await this.#fetchOnce(group);
    if (first === undefined || first.pages.length < 2 || !(await this.#lacksHits(group, first))) return first;
    const second = await this.#fetchOnce(group);
    const requests = first.requests + (second?.requests ?? 0);
    return second && { ...second, pages: [...first.pages, ...second.pages], requests, hash: null };
  }

  async #fetchOnce([{ request }]: WindowGroup): Promise<FetchResult | undefined> {
    const { requester, redact, output } = this.client;
    const recorder = this.recorder.add(request);
    const { budget } = this.options;
    const signals = [this.call.signal];
    try {
      const pagination = { requester, recorder, redact, pageSize: output.pageSize, budget, signals };
      return await fetchWindow(request, pagination, () => this.recorder.report(recorder));
    } finally {
      this.recorder.report(recorder);
    }
  }

  async #lacksHits(group: WindowGroup, { pages, hash }: FetchResult): Promise<boolean> {
    const { database } = this.corpus;
    const windows = group.map(({ search, span }) => `search = ${sqlValue(search)} and span = ${sqlValue(span)}`);
    const hits = await this.commits.between(() =>
      database.rows<{ id: string }>(
        `with changed as (select search, span from windows where (${windows.join(" or ")}) and hash is distinct from ${sqlValue(hash)})
          select distinct id from hits semi join changed using (search, span) where (${windows.join(" or ")}) and vanished is null`,
      ),
    );
    // Only pages with integer ids show them.
    const ids = new Set(pages.flatMap((page) => [...page.records.ids()]));
    return hits.some(({ id }) => /^\d{1,15}$/.test(id) && !ids.has(Number(id)));
  }

  /**
   * Runs an action, records the errors of searches, and returns the result of the run.
   *
   * @param isUnfinished whether searches that have not failed need another run. Default: no
   */
  async execute(action: () => Promise<void>, isUnfinished = async (): Promise<boolean> => false): Promise<RunResult> {
    const { corpus, recorder } = this;
    const failure = await action().then(
      () => undefined,
      (error: unknown) => toFileError(error, corpus.database.dir),
    );
    this.call.release();
    const errors = [...this.failures].filter(([, error]) => !isGeneral(error));
    const rows = errors.map(([search, { code: error, message }]) => ({ search, error, message: clip(message, 500) }));
    for (const { search, error, message } of rows)
      await corpus.database.run(`update windows set error = ${sqlValue(error)}, message = ${sqlValue(message)}
        where due and search = ${sqlValue(search)}`);
    const failed = failedSearches(corpus.definition, rows);
    const code = failure?.code ?? failed[0]?.code;
    const isCapped = code === undefined && (await isUnfinished());
    const verdict = code !== undefined ? "stopped" : isCapped ? "capped" : "complete";
    const reason = code ?? (isCapped ? "maxRequests" : null);
    recorder.end(verdict, reason);
    return { verdict, reason, requests: recorder.total.requests, added: this.commits.added, failed, failure };
  }
}

/** Whether a failure concerns all searches: everything but the response to one request. A 403 is a wrong key, address or firewall. */
function isGeneral(error: ArchiveError): boolean {
  if (["OUT_OF_REQUESTS", "NOT_IN_SNAPSHOT", "BODY_TOO_LARGE"].includes(error.code)) return false;
  if (!(error instanceof APIError) || error.statusCode === 403) return true;
  return ["AUTHENTICATION", "RATE_LIMITED", "CONNECTION_FAILED"].includes(error.code);
}

const FIELDS = ["pages", "requests", "retries", "cached", "rows"] as const;

/** Adds up the requests and rows of a run. It holds no recorders, because there may be many. */
class RunRecorder {
  readonly total: ProvenanceRecorder;
  readonly #reported = new WeakMap<ProvenanceRecorder, Partial<ProvenanceRecorder>>();
  readonly #progress: ReturnType<typeof progressOf>;

  constructor(
    readonly client: ClientContext,
    request: ArchiveRequest,
  ) {
    this.total = new ProvenanceRecorder(request, client);
    this.#progress = progressOf(client.output.progress, this.total);
  }

  /** A recorder for one more window or lookup. */
  add(request: ArchiveRequest): ProvenanceRecorder {
    const recorder = new ProvenanceRecorder(request, this.client);
    recorder.onRetry = (delay) => this.report(recorder, delay);
    return recorder;
  }

  /** Adds the new counts of a recorder, and reports the progress. @param waiting seconds until the next attempt */
  report(recorder: ProvenanceRecorder, waiting?: number): void {
    const before = this.#reported.get(recorder);
    for (const field of FIELDS) this.total[field] += recorder[field] - (before?.[field] ?? 0);
    this.#reported.set(recorder, Object.fromEntries(FIELDS.map((field) => [field, recorder[field]])));
    this.#progress?.report(waiting);
  }

  end(...result: Parameters<ProvenanceRecorder["end"]>): void {
    this.total.end(...result);
    this.#progress?.end();
  }
}
