import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { openCorpus } from "../corpus/index.js";

/** How many windows of a corpus are fetched, and how many there are. */
export interface CorpusWindows {
  /** In the tables, or fetched and waiting to be merged. */
  readonly done: number;
  /** Of all searches. */
  readonly total: number;
}

/** Counts the windows of a corpus: those in the tables, and those that wait in `work/` to be merged. */
export async function corpusWindows(dir: string): Promise<CorpusWindows> {
  if (!existsSync(join(dir, "corpus.json"))) return { done: 0, total: 0 };
  const { windows } = await (await openCorpus(dir)).info();
  const work = join(dir, "work");
  const waiting = existsSync(work) ? readdirSync(work).filter((name) => name.endsWith(".parquet")).length : 0;
  return { done: Math.min(windows.total, windows.done + waiting), total: windows.total };
}
