import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { expect } from "vitest";
import { type Corpus, type CorpusSummary, type OpenCorpusOptions, openCorpus } from "../../src/corpus/index.js";
import { clientTo } from "../client/clientTo.js";
import { temporaryFolder } from "../files/temporary.js";
import type { CorpusService } from "./corpusServer.js";
import { tableBytes } from "./tableBytes.js";

interface CorpusOptions extends Omit<OpenCorpusOptions, "archive"> {
  readonly dir?: string;
  readonly pageSize?: number;
}

/** A corpus of a service, in a new directory unless one is given. */
export function corpusOf(service: CorpusService, { dir = newDirectory(), pageSize = 10, ...options }: CorpusOptions) {
  return openCorpus(dir, { archive: clientTo(service, { pageSize }), ...options });
}

/** A directory that does not exist yet. */
export const newDirectory = () => join(temporaryFolder(), "corpus");

/** A copy of a corpus, after a change. */
export function copyOf(corpus: string, change: (dir: string) => void): string {
  const dir = newDirectory();
  cpSync(corpus, dir, { recursive: true });
  change(dir);
  return dir;
}

/** Deletes a search in `corpus.json`, as users do. */
export function removeSearch(dir: string, search: object): void {
  const path = join(dir, "corpus.json");
  const definition = JSON.parse(readFileSync(path, "utf8"));
  const searches = definition.searches.filter((row: object) => !isDeepStrictEqual(row, search));
  writeFileSync(path, JSON.stringify({ ...definition, searches }));
}

/** Repeats a step until it is complete. Gives the last summary, with the sums of what all steps counted. */
export async function untilComplete(step: () => Promise<CorpusSummary>, maxSteps = 100): Promise<CorpusSummary> {
  const sums = { added: 0, changed: 0, vanished: 0, returned: 0, requests: 0 };
  for (let call = 0; ; call++) {
    expect(call).toBeLessThan(maxSteps);
    const summary = await step();
    for (const name of Object.keys(sums) as Array<keyof typeof sums>) sums[name] += summary[name];
    if (summary.verdict === "complete") return { ...summary, ...sums };
  }
}

/** The tables after a run that had to make the database again from them. */
export async function restoredAgain(corpus: Corpus): Promise<Record<string, string>> {
  rmSync(join(corpus.dir, "corpus.duckdb"));
  await corpus.build();
  return tableBytes(corpus.dir);
}

/** What is in `work/` besides the directory of DuckDB. */
export function workOf({ dir }: Corpus): string[] {
  return readdirSync(join(dir, "work")).filter((name) => name !== "spill");
}
