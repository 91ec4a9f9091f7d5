import pMap from "p-map";
import type { ClientContext } from "../call/clientContext.js";
import { ArchiveError } from "../errors/index.js";
import { type PolarsFrame, pl } from "../frames/polars.js";
import { CorpusRun } from "./corpusRun.js";
import { unitsBySearch } from "./definition/units.js";
import type { CheckedRunOptions } from "./runOptions.js";
import { withCorpusLock } from "./withCorpusLock.js";
import { countUnit, type UnitCount } from "./work/countUnit.js";
import { readPartRecord } from "./work/readPart.js";
import { searchesTable } from "./work/unitRecords.js";

/** Counts the rows of all units that are missing, and returns what a build will take. */
export function planCorpus(dir: string, client: ClientContext, options: CheckedRunOptions): Promise<PolarsFrame> {
  return withCorpusLock(dir, client, async (definition, work) => {
    const run = new CorpusRun(dir, client, work, definition, options);
    const { combined, budget, signal } = run;
    const counts = new Map<string, UnitCount>();
    const recorders = run.missing.map((unit) => ({ unit, recorder: combined.add(unit.request) }));
    const began = performance.now();
    let failure: unknown;
    const one = async ({ unit, recorder }: (typeof recorders)[number]) => {
      if (work.hasPart(unit.name)) {
        const { rows } = await readPartRecord(work.part(unit.name));
        counts.set(unit.name, { rows, verdict: "exact", reason: null, requests: 0 });
      } else if (!budget?.isUsedUp || work.hasJournal(unit.name)) {
        const onPage = () => combined.onPage();
        try {
          const count = await countUnit(run.client, work, unit, { recorder, budget, signal, onPage });
          // Another window may have sent the last request meanwhile.
          if (recorder.pages > 0 || count.verdict === "exact") counts.set(unit.name, count);
        } catch (error) {
          if (!(error instanceof ArchiveError && error.code === "OUT_OF_REQUESTS")) throw error;
        }
      }
    };
    try {
      await pMap(recorders, one, { concurrency: client.concurrency });
    } catch (error) {
      failure = error;
      run.stop();
    }
    run.end(failure);
    if (failure !== undefined) throw failure;
    const seconds = (performance.now() - began) / 1000;
    const perSecond = combined.total.pace ?? (run.requests > 0 ? run.requests / seconds : undefined);
    return planTable(run, counts, perSecond);
  });
}

/** One row per unit: what it is, and what is left to fetch. */
function planTable(run: CorpusRun, counts: ReadonlyMap<string, UnitCount>, perSecond: number | undefined): PolarsFrame {
  const { definition, records } = run;
  const units = unitsBySearch(definition, run.units);
  const rows = units.map(({ name }) => {
    const count = counts.get(name);
    const record = records.get(name);
    if (count === undefined && record !== undefined)
      return { rows: record.rows, verdict: "exact", requests: 0, minutes: 0, done: true };
    const { requests = null } = count ?? {};
    const minutes = requests === null || perSecond === undefined ? null : requests / perSecond / 60;
    return { rows: count?.rows ?? null, verdict: count?.verdict ?? null, requests, minutes, done: false };
  });
  const column = (name: keyof (typeof rows)[number], dtype: PolarsFrame["dtypes"][number]) =>
    pl.Series(
      name,
      rows.map((row) => row[name]),
      dtype,
    );
  return searchesTable(definition, units, records)
    .drop("rows", "verdict", "reason", "requests", "retrieved")
    .withColumns(
      column("rows", pl.Int64),
      column("verdict", pl.Utf8),
      column("requests", pl.Int64),
      column("minutes", pl.Float64),
      column("done", pl.Bool),
    );
}
