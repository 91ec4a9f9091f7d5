import { pl } from "../../frames/polars.js";
import type { Unit } from "../definition/units.js";
import { hits } from "../tables/corpusTables.js";
import { markVanished } from "../tables/markVanished.js";
import { type MergeCounts, mergeRows, type UnitRows } from "../tables/mergeRows.js";
import { partFrames, readPartRecord } from "./readPart.js";
import type { RefreshedIds } from "./refreshedIds.js";
import type { UnitRecords } from "./unitRecords.js";
import type { WorkDirectory } from "./workDirectory.js";

/** Rows that are merged at once. */
export const MERGE_ROWS = 20_000;

/** What a merge changed. */
export interface MergeTotals extends MergeCounts {
  readonly vanished: number;
}

/**
 * Merges the rows of finished units into the tables, and adds their records. Everything may be repeated: a killed merge leaves
 * the files of the units, and the next one gives the same tables.
 */
export async function mergeUnits(
  dir: string,
  work: WorkDirectory,
  units: readonly Unit[],
  records: UnitRecords,
  refreshed: RefreshedIds,
): Promise<MergeTotals> {
  const totals = { added: 0, changed: 0, returned: 0, vanished: 0 };
  let batch: UnitRows[] = [];
  let size = 0;
  const flush = async () => {
    const counts = await mergeRows(dir, batch);
    totals.added += counts.added;
    totals.changed += counts.changed;
    totals.returned += counts.returned;
    batch = [];
    size = 0;
  };
  for (const { name, search, window } of units) {
    const path = work.part(name);
    const { retrieved } = await readPartRecord(path);
    for await (const frame of partFrames(path, MERGE_ROWS)) {
      if (size + frame.height > MERGE_ROWS) await flush();
      batch.push({ search: search.id, window, day: retrieved, frame });
      size += frame.height;
    }
  }
  if (batch.length > 0) await flush();
  for (const unit of units) {
    const record = await readPartRecord(work.part(unit.name));
    // Only what was merged before can have vanished.
    const wasMerged = records.has(unit.name);
    if (wasMerged || refreshed.isOpen) {
      const ids = await idsOf(work, unit);
      if (refreshed.isOpen) refreshed.keep(unit.name, ids);
      if (wasMerged) {
        const { search, mindate, maxdate } = unit;
        const finished = { search: search.id, mindate, maxdate, day: record.retrieved };
        totals.vanished += await markVanished(dir, finished, ids);
      }
    }
    records.set(unit.name, unit.isPart ? { ...record, rows: await rowsOf(dir, unit) } : record);
  }
  return totals;
}

/** The hits of a unit of which only a part was fetched. */
async function rowsOf(dir: string, { search, window }: Unit): Promise<number> {
  const own = pl
    .col("search")
    .eq(pl.lit(search.id))
    .and(pl.col("window").eq(pl.lit(window)));
  const live = hits(dir).filter(own.and(pl.col("vanished").isNull()));
  return Number((await live.select(pl.len()).collect()).row(0)[0]);
}

async function idsOf(work: WorkDirectory, unit: Unit): Promise<Set<string>> {
  const ids = new Set<string>();
  for await (const frame of partFrames(work.part(unit.name), MERGE_ROWS))
    for (const id of frame.getColumn("id").toArray()) ids.add(String(id));
  return ids;
}
