import { basename, resolve } from "node:path";
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
import { fetchWindow, type Reading, tooLarge } from "./fetchWindow.js";
import { LandingQueue } from "./landWindows.js";
import type { CheckedRunOptions } from "./runOptions.js";

/** Windows with the same request: it is sent once. */
export type Group = readonly [Window, ...Window[]];

/** Whether a failure concerns all searches and lookups: everything but answers to one request. A 403 is a wrong key, a wrong address or a firewall. */
function isCommon(error: ArchiveError): boolean {
  if (["OUT_OF_REQUESTS", "NOT_IN_SNAPSHOT", "BODY_TOO_LARGE"].includes(error.code)) return false;
  if (!(error instanceof APIError) || error.statusCode === 403) return true;
  return ["AUTHENTICATION", "RATE_LIMITED", "CONNECTION_FAILED"].includes(error.code);
}

/** Requests that a window usually takes: a run with a budget begins no more windows than it can end. */
const WINDOW_REQUESTS = 25;

/** One run over the windows that are due: what a build, a refresh and a plan have in common. */
export class CorpusRun {
  readonly recorder: RunRecorder;
  readonly call: CallSignal;
  readonly landing: LandingQueue;
  /** The errors of searches that failed: the others go on. */
  readonly failures = new Map<string, ArchiveError>();

  constructor(
    readonly corpus: OpenCorpus,
    readonly client: ClientContext,
    readonly options: CheckedRunOptions,
  ) {
    const query = [["query", basename(resolve(corpus.database.dir))]] as const;
    const request = { operation: "mentions", path: "/mentions", query } as const;
    this.recorder = new RunRecorder(client, request);
    this.call = new CallSignal([options.signal, client.output.host.signal]);
    this.landing = new LandingQueue(corpus.database, corpus.run);
  }

  /** The windows that are due, in the order in which they are fetched, those with the same request together. */
  async dueGroups(): Promise<Group[]> {
    const { database, windows } = this.corpus;
    const due = await database.rows<{ id: string }>("select search || ' ' || span as id from windows where due");
    const ids = new Set(due.map(({ id }) => id));
    const dueWindows = windows.filter(({ search, span }) => ids.has(`${search} ${span}`));
    return [...groupBy(dueWindows, ({ key }) => key).values()] as unknown as Group[];
  }

  /**
   * Fetches windows and lands them.
   *
   * @throws ArchiveError of a failure that concerns all searches
   */
  async fetchAll(groups: readonly Group[]): Promise<void> {
    const { budget } = this.options;
    const { maxRequests = Number.POSITIVE_INFINITY } = budget ?? {};
    const concurrency = Math.min(this.client.concurrency, Math.max(1, Math.floor(maxRequests / WINDOW_REQUESTS)));
    try {
      await pMap(groups, (group) => this.#fetch(group), { concurrency });
    } finally {
      await this.landing.flush();
    }
    // The next run would end like this one.
    if (maxRequests > 0 && budget?.isUsedUp && this.landing.windows === 0 && this.failures.size === 0)
      for (const { search } of groups[0] ?? []) this.failures.set(search, tooLarge(maxRequests));
    const { aborted, reason } = this.call.signal;
    const stop = [...this.failures.values()].find(isCommon);
    if (stop !== undefined || aborted) throw stop ?? abortedError(undefined, reason);
  }

  async #fetch(group: Group): Promise<void> {
    const { budget } = this.options;
    if (this.call.signal.aborted || budget?.isUsedUp || group.every(({ search }) => this.failures.has(search))) return;
    try {
      const reading = await this.#readWindow(group);
      if (reading !== undefined) await this.landing.add({ uses: group, reading });
    } catch (error) {
      const failure = toFileError(error, this.corpus.database.dir);
      // The budget did not allow a first request, or its retry.
      if (budget?.isUsedUp && !isCommon(failure)) return;
      // Aborts of the others only follow from the first failure.
      if (!this.call.signal.aborted || this.failures.size === 0)
        for (const { search } of group) this.failures.set(search, failure);
      if (isCommon(failure)) this.call.abort();
    }
  }

  /**
   * Reads a window; once more if hits that it had are missing: rows may have moved from page to page. It then has the rows of both, and
   * those of the second last. Undefined if the budget is used up.
   */
  async #readWindow(group: Group): Promise<Reading | undefined> {
    const first = await this.#readOnce(group);
    if (first === undefined || first.pages.length < 2 || !(await this.#hasMissed(group, first))) return first;
    const second = await this.#readOnce(group);
    const requests = first.requests + (second?.requests ?? 0);
    return second && { ...second, pages: [...first.pages, ...second.pages], requests, hash: null };
  }

  async #readOnce([{ request }]: Group): Promise<Reading | undefined> {
    const { requester, redact, output } = this.client;
    const recorder = this.recorder.add(request);
    const { budget } = this.options;
    const signals = [this.call.signal];
    try {
      const how = { requester, recorder, redact, pageSize: output.pageSize, budget, signals };
      return await fetchWindow(request, how, () => this.recorder.report(recorder));
    } finally {
      this.recorder.report(recorder);
    }
  }

  async #hasMissed(group: Group, { pages, hash }: Reading): Promise<boolean> {
    const { database } = this.corpus;
    const windows = group.map(({ search, span }) => `search = ${sqlValue(search)} and span = ${sqlValue(span)}`);
    const hits = await this.landing.between(() =>
      database.rows<{ id: string }>(
        `with changed as (select search, span from windows where (${windows.join(" or ")}) and hash is distinct from '${hash}')
          select distinct id from hits semi join changed using (search, span) where (${windows.join(" or ")}) and vanished is null`,
      ),
    );
    // Ids that are whole numbers.
    const ids = new Set(pages.flatMap((page) => [...page.tape.ids()]));
    return hits.some(({ id }) => /^\d{1,15}$/.test(id) && !ids.has(Number(id)));
  }

  /**
   * Does what a run consists of, records the errors of searches, and says how it ended.
   *
   * @param isOpen whether something is left to do for searches that have not failed. Default: nothing
   */
  async end(action: () => Promise<void>, isOpen = async (): Promise<boolean> => false): Promise<RunResult> {
    const { corpus, recorder } = this;
    const failure = await action().then(
      () => undefined,
      (error: unknown) => toFileError(error, corpus.database.dir),
    );
    this.call.release();
    const errors = [...this.failures].filter(([, error]) => !isCommon(error));
    const rows = errors.map(([search, { code: error, message }]) => ({ search, error, message: clip(message, 500) }));
    for (const { search, error, message } of rows)
      await corpus.database.run(`update windows set error = ${sqlValue(error)}, message = ${sqlValue(message)}
        where due and search = ${sqlValue(search)}`);
    const failed = failedSearches(corpus.definition, rows);
    const code = failure?.code ?? failed[0]?.code;
    const isCapped = code === undefined && (await isOpen());
    const verdict = code !== undefined ? "stopped" : isCapped ? "capped" : "complete";
    const reason = code ?? (isCapped ? "maxRequests" : null);
    recorder.end(verdict, reason);
    return { verdict, reason, requests: recorder.total.requests, added: this.landing.added, failed, failure };
  }
}

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
