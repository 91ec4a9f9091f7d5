import type { ClientContext } from "../../call/clientContext.js";
import type { ProvenanceRecorder } from "../../service/paging/provenanceRecorder.js";
import type { Group } from "../definition/windows.js";
import type { CorpusState } from "../state/corpusState.js";
import { misses } from "../state/land.js";
import { fetchWindow, type Reading } from "./fetchWindow.js";
import type { Journals } from "./journals.js";
import type { LandingQueue } from "./landingQueue.js";
import { writeRows } from "./rowsFile.js";
import type { CheckedRunOptions } from "./runOptions.js";
import type { RunRecorder } from "./runRecorder.js";

/** The most readings of a window. */
const MAX_READINGS = 5;

/** Reads windows: again, if an unstable reading has missed what an earlier one found. */
export class WindowReader {
  /** The recorders of windows that are being read, or have failed, by key. */
  readonly recorders = new Map<string, ProvenanceRecorder>();
  /** The searches with windows that landed before this run. */
  readonly #landedBefore: ReadonlySet<string>;

  constructor(
    readonly state: CorpusState,
    readonly client: ClientContext,
    readonly options: CheckedRunOptions,
    readonly run: {
      readonly journals: Journals;
      readonly recorder: RunRecorder;
      readonly landing: LandingQueue;
      readonly signal: AbortSignal;
    },
  ) {
    this.#landedBefore = new Set([...state.landed.values()].map(({ search }) => search));
  }

  /** The readings of a request; undefined if the budget is used up. */
  async read(group: Group): Promise<readonly Reading[] | undefined> {
    const { client, options, state, run } = this;
    const { scratch, round } = state;
    const { budget, recheck } = options;
    const { journals, landing, signal } = run;
    const [window] = group;
    const onPage = () => run.recorder.onPage();
    const readings: Reading[] = [];
    while (readings.length < MAX_READINGS) {
      const recorder = run.recorder.add(window.request);
      this.recorders.set(window.key, recorder);
      try {
        const found = await fetchWindow(client, window, {
          ...{ scratch, round: round.round, reading: readings.length + 1 },
          ...{ journals, recorder, budget, signal, shape: landing.shape, onPage },
        });
        if (found !== undefined) readings.push(found);
        onPage();
        this.recorders.delete(window.key);
        if (found === undefined) return undefined;
        if (found.pageCount <= 1 || agree(readings)) break;
      } finally {
        run.recorder.release(recorder);
      }
      if (!recheck && !(await this.#misses(group, readings))) break;
    }
    return readings;
  }

  /** Whether readings of a window have missed known hits. */
  async #misses(group: Group, readings: Reading[]): Promise<boolean> {
    const { state } = this;
    const { landing } = this.run;
    if (!group.some(({ search }) => this.#landedBefore.has(search.id))) return false;
    if (readings.length === 1 && group.every((use) => state.landingOf(use)?.sha === readings[0]?.sha)) return false;
    for (const [at, { pages, files, ...rest }] of readings.entries())
      if (pages.length > 0)
        readings[at] = { ...rest, pages: [], files: [...files, writeRows(state.scratch, [pages], landing.shape)] };
    const files = readings.flatMap((reading) => reading.files);
    return landing.between(() => misses(state, group, files));
  }
}

/** Whether the last two readings have found the same mentions. */
export function agree(readings: readonly Reading[]): boolean {
  const [before, last] = readings.slice(-2);
  return last !== undefined && before?.ids === last.ids;
}
