import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { searchLines } from "../corpus/corpusText.js";
import type { FleetStatus } from "../fleet/index.js";
import { pluralize } from "../util/counts.js";
import { rowsOf } from "./corpusLines.js";
import { queueUrl } from "./flags.js";
import { printJson, printLines } from "./print.js";

interface Values {
  readonly queue?: string;
  readonly storage?: string;
  readonly json?: true;
}

/** Adds `corpus status` and `corpus clean`, which look into the queue of a corpus. */
export function addQueueCommands(command: Command): void {
  const onQueue = (name: string, description: string) =>
    command
      .command(name)
      .description(description)
      .argument("<dir>", "directory of the corpus")
      .option("--queue <url>", "the Redis server, or a file with its URL (default: ARCHIVE_QUEUE)", queueUrl)
      .option("--json", "print JSON");
  onQueue("status", "show the progress of the workers at a queue").action(status);
  onQueue("clean", "remove the queue of a build that was killed, and its files")
    .option("--storage <dir>", "the storage of the build (default: a directory of this user)")
    .action(clean);
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
  const searches = await rowsOf((await openCorpus(dir)).searches());
  return searches.length === 0 ? [] : ["", ...searchLines(searches)];
}

async function clean(corpus: string, { queue, storage, json }: Values): Promise<void> {
  const { cleanQueue } = await import("../fleet/index.js");
  const removed = await cleanQueue({ corpus, queue, storage });
  if (json === true) printJson({ removed });
  else printLines([removed ? "The queue is removed." : "There is no queue of this corpus."]);
}

/** How far a fleet is, for people. */
function statusLines({ windows, requests, perSecond, workers, coordinator }: FleetStatus): string[] {
  const rate = perSecond === null ? "" : `, ${perSecond.toFixed(1)} a second`;
  return [
    `${windows.done} of ${pluralize(windows.total, "window")}; ${windows.waiting} waiting, ${windows.active} active`,
    `${pluralize(requests, "request")}${rate}`,
    pluralize(workers, "worker"),
    ...(coordinator ? [] : ["No build or refresh is running. To continue one, run its command again."]),
  ];
}
