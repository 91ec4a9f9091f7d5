import { basename, resolve } from "node:path";
import type { ClientContext } from "../../call/clientContext.js";
import { ArchiveError, abortedError } from "../../errors/index.js";
import { toFileError } from "../../fs/fileErrors.js";
import { CallSignal } from "../../util/callSignal.js";
import { groupBy } from "../../util/groupBy.js";
import { clip } from "../../util/quoted.js";
import { sqlValue } from "../database/sqlText.js";
import type { Window } from "../definition/windows.js";
import type { OpenCorpus, RunResult } from "../withCorpus.js";
import { fetchWindow, type Reading, tooLarge } from "./fetchWindow.js";
import { LandingQueue } from "./landingQueue.js";
import type { CheckedRunOptions, FailedSearch } from "./runOptions.js";
import { isCommon, RunRecorder } from "./runRecorder.js";

/** Windows with the same request: it is sent once. */
export type Group = readonly [Window, ...Window[]];

/** Requests that a window takes, as long as none has been read. */
const USUAL_REQUESTS = 3;

/** One run over the windows that are due: what a build, a refresh and a plan have in common. */
export class CorpusRun {
  readonly recorder: RunRecorder;
  readonly call: CallSignal;
  readonly landing: LandingQueue;
  /** The errors of searches that failed: the others go on. */
  readonly failures = new Map<string, ArchiveError>();
  /** Requests that windows in progress will probably send. */
  #reserved = 0;
  /** Windows that were read, and the requests for them. */
  #read = { windows: 0, requests: 0 };

  constructor(
    readonly corpus: OpenCorpus,
    readonly client: ClientContext,
    readonly options: CheckedRunOptions,
  ) {
    const query = [["query", basename(resolve(corpus.database.dir))]] as const;
    const request = { operation: "mentions", path: "/mentions", query } as const;
    this.recorder = new RunRecorder(client, request, options.progress);
    this.call = new CallSignal([options.signal, client.output.host.signal]);
    this.landing = new LandingQueue(corpus.database, corpus.run);
  }

  /** The windows that are due, in the order in which they are fetched, those with the same request together. */
  async dueGroups(): Promise<Group[]> {
    const { database, windows } = this.corpus;
    const due = await database.rows<{ id: string }>("select search || ' ' || span as id from windows where due");
    const ids = new Set(due.map(({ id }) => id));
    const isDue = ({ search, span }: Window) => ids.has(`${search} ${span}`);
    return [...groupBy(windows.filter(isDue), ({ key }) => key).values()] as unknown as Group[];
  }

  /**
   * Fetches windows and lands them. With a budget, a window is begun if it can probably be read to its end: it would be read again.
   *
   * @throws ArchiveError of a failure that concerns all searches
   */
  async fetchAll(groups: readonly Group[]): Promise<void> {
    const { budget } = this.options;
    const inProgress = new Set<Promise<void>>();
    let unexpected: unknown;
    for (const group of groups) {
      const expected = this.#read.windows === 0 ? USUAL_REQUESTS : this.#read.requests / this.#read.windows;
      const fits = () => budget === undefined || budget.left - this.#reserved >= expected;
      while (inProgress.size >= this.client.concurrency || (inProgress.size > 0 && !fits()))
        await Promise.race(inProgress);
      if (this.call.signal.aborted || unexpected !== undefined) break;
      if (budget?.isUsedUp || (!fits() && this.recorder.sum().requests > 0)) break;
      if (group.every(({ search }) => this.failures.has(search))) continue;
      this.#reserved += expected;
      const fetch = this.#fetch(group)
        .catch((error: unknown) => {
          unexpected ??= error;
          this.call.abort();
        })
        .finally(() => {
          this.#reserved -= expected;
          inProgress.delete(fetch);
        });
      inProgress.add(fetch);
    }
    await Promise.all(inProgress);
    if (unexpected === undefined) await this.landing.flush();
    const { aborted, reason } = this.call.signal;
    const stop = unexpected ?? [...this.failures.values()].find(isCommon);
    if (stop !== undefined || aborted) throw stop ?? abortedError(undefined, reason);
  }

  async #fetch(group: Group): Promise<void> {
    const { budget } = this.options;
    const hasWholeBudget = this.recorder.sum().requests === 0;
    try {
      const readings = await this.#readWindow(group);
      if (readings !== undefined) return await this.landing.add({ uses: group, readings });
      if (budget?.isUsedUp && hasWholeBudget) throw tooLarge(budget.maxRequests);
    } catch (error) {
      if (!(error instanceof ArchiveError)) throw error;
      this.fail(group, error);
    }
  }

  /** Notes the failure of searches. One that concerns all of them stops the run. */
  fail(group: Group, error: ArchiveError): void {
    // Aborts of the others only follow from the first failure.
    if (!this.call.signal.aborted || this.failures.size === 0)
      for (const { search } of group) this.failures.set(search, error);
    if (isCommon(error)) this.call.abort();
  }

  /** Reads a window; once more if hits that it had are missing: rows may have moved from page to page. Undefined if the budget is used up. */
  async #readWindow(group: Group): Promise<readonly Reading[] | undefined> {
    const first = await this.#readOnce(group);
    if (first === undefined || first.pageCount < 2 || !(await this.#hasMissed(group, first))) return first && [first];
    const second = await this.#readOnce(group);
    return second && [first, second];
  }

  async #readOnce([window]: Group): Promise<Reading | undefined> {
    const { client, corpus, recorder: all, options } = this;
    const { budget } = options;
    const recorder = all.add(window.request);
    const { work } = corpus.database;
    const { signal } = this.call;
    try {
      const reading = await fetchWindow(client, window, { recorder, budget, signal, work, onPage: () => all.onPage() });
      if (reading !== undefined)
        this.#read = { windows: this.#read.windows + 1, requests: this.#read.requests + reading.requests };
      return reading;
    } catch (error) {
      // The budget did not allow a first request, or its retry.
      const isTooLarge = (error as { code?: string }).code === "OUT_OF_REQUESTS" && budget?.isUsedUp === false;
      const isOut = budget?.isUsedUp && !signal.aborted && !(error instanceof ArchiveError && isCommon(error));
      if (isOut && !isTooLarge) return undefined;
      throw error;
    } finally {
      all.release(recorder);
    }
  }

  async #hasMissed(group: Group, { ids }: Reading): Promise<boolean> {
    const { database } = this.corpus;
    const windows = group.map(({ search, span }) => `(${sqlValue(search)}, ${sqlValue(span)})`).join(", ");
    const hits = await this.landing.between(() =>
      database.rows<{ id: string }>(
        `select distinct id from hits where vanished is null and (search, span) in (${windows})`,
      ),
    );
    return hits.some(({ id }) => /^\d{1,15}$/.test(id) && !ids.has(Number(id)));
  }

  /**
   * Does what a run consists of, records the errors of searches, and says how it ended.
   *
   * @param isOpen whether something is left to do for searches that have not failed
   */
  async end(
    action: () => Promise<void>,
    isOpen: () => Promise<boolean>,
  ): Promise<RunResult & { failed: FailedSearch[]; failure: ArchiveError | undefined }> {
    const { corpus, recorder } = this;
    const failure = await action().then(
      () => undefined,
      (error: unknown) => toFileError(error, corpus.database.dir),
    );
    this.call.release();
    const failed = corpus.definition.searches.flatMap(({ id: search, parameters: { query = "" } }): FailedSearch[] => {
      const error = this.failures.get(search);
      if (error === undefined || isCommon(error)) return [];
      return [{ search, query, code: error.code, message: clip(error.message, 500) }];
    });
    for (const { search, code, message } of failed)
      await corpus.database.run(
        `update windows set error = ${sqlValue(code)}, message = ${sqlValue(message)} where due and search = ${sqlValue(search)}`,
      );
    const code = failure?.code ?? failed[0]?.code;
    const isCapped = code === undefined && (await isOpen());
    const verdict = code !== undefined ? "stopped" : isCapped ? "capped" : "complete";
    const reason = code ?? (isCapped ? "maxRequests" : null);
    recorder.end(verdict, reason);
    return { verdict, reason, requests: recorder.total.requests, added: this.landing.added, failed, failure };
  }
}
