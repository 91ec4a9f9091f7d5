import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import type { FleetStatus } from "../fleet/index.js";
import { pluralize } from "../notebook/display/grid.js";
import { escaped } from "../util/quoted.js";
import { searchLines, windowRows } from "./corpusLines.js";
import { printJson, printLines } from "./print.js";

interface Values {
  readonly queue: string;
  readonly json?: true;
}

/** Adds `corpus status` and `corpus retry`, which look into the queue of a corpus. */
export function addQueueCommands(command: Command): void {
  const onQueue = (name: string, description: string) =>
    command
      .command(name)
      .description(description)
      .argument("<dir>", "directory of the corpus")
      .requiredOption("--queue <url>", "the Redis server: redis://localhost:6379")
      .option("--json", "print JSON");
  onQueue("status", "show how far the workers at a queue are, and which pages failed").action(status);
  onQueue("retry", "let workers request pages again that failed; then build again")
    .requiredOption("--failed", "all pages that failed")
    .action(retry);
}

async function status(corpus: string, { queue, json }: Values): Promise<void> {
  const { fleetStatus } = await import("../fleet/index.js");
  const found = await fleetStatus({ corpus, queue });
  if (json === true) return printJson(found);
  printLines([...statusLines(found), ...(await linesOfSearches(corpus))]);
}

/** How far each search is in the tables; nothing before the corpus exists. */
async function linesOfSearches(dir: string): Promise<string[]> {
  if (!existsSync(join(dir, "corpus.json"))) return [];
  const { openCorpus } = await import("../corpus/index.js");
  const searches = await windowRows(await (await openCorpus(dir)).searches().collect());
  return searches.length === 0 ? [] : ["", ...searchLines(searches)];
}

async function retry(corpus: string, { queue, json }: Values): Promise<void> {
  const { retryFailed } = await import("../fleet/index.js");
  const retried = await retryFailed({ corpus, queue });
  if (json === true) printJson({ retried });
  else printLines([`${pluralize(retried, "page")} given to the workers again`]);
}

function keyLine({ key, workers, pages, perSecond, refused }: FleetStatus["keys"][number]): string {
  return `key ${key}: ${pluralize(workers, "worker")}; ${pages.received} received${rateText(perSecond)}, ${refused} refused with 429`;
}

function rateText(perSecond: number | null): string {
  return perSecond === null ? "" : `, ${perSecond.toFixed(1)} a second`;
}

/** How far a fleet is, for people. */
export function statusLines({
  windows,
  pages,
  refused,
  workers,
  perSecond,
  minutesLeft,
  keys,
  failed,
}: FleetStatus): string[] {
  const { waiting, active, received } = pages;
  const left = minutesLeft === null ? "" : `, about ${pluralize(Math.ceil(minutesLeft), "minute")} left`;
  return [
    `${windows.done} of ${pluralize(windows.total, "window")}${left}`,
    `pages: ${waiting} waiting, ${active} active, ${received} received${rateText(perSecond)}, ${pages.failed} failed; ${refused} refused with 429`,
    pluralize(workers, "worker"),
    ...(keys.length > 1 ? keys.map(keyLine) : []),
    ...failed.map(
      ({ get, code, status: http }) => `FAILED  ${code}${http === null ? "" : ` ${http}`}  ${escaped(get, 200)}`,
    ),
  ];
}
