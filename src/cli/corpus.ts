import { existsSync } from "node:fs";
import { join } from "node:path";
import { Command, Option } from "commander";
import type { ArchiveClientOptions } from "../call/clientSettings.js";
import { searchLines } from "../corpus/corpusText.js";
import type { Corpus, CorpusSummary, RunOptions } from "../corpus/index.js";
import { ArchiveError, RateLimitError } from "../errors/index.js";
import { faulty, show } from "../errors/validators.js";
import type { OpenFleetOptions } from "../fleet/index.js";
import { statOf } from "../fs/statOf.js";
import { pluralize } from "../util/counts.js";
import { PERIODS } from "../util/period.js";
import { checkLines, planLines, rowsOf, summaryLines } from "./corpusLines.js";
import { addPublishCommands } from "./corpusPublish.js";
import { addQueueCommands } from "./corpusQueue.js";
import { addSnapshotFlags, argument, queueUrl, snapshotOf, wholeNumber } from "./flags.js";
import { errorTerminal, printJson, printJsonRows, printLines, printText } from "./print.js";
import { interruptible } from "./signals.js";

type Values = Readonly<Record<string, unknown>>;

/** Does something with an open corpus, and returns what to print: for `--json`, and as lines. */
type Action = (
  corpus: Corpus,
  options: RunOptions & Values,
  next: string,
) => Promise<{ json: unknown; lines: string[] }>;

/**
 * `archive-frames corpus plan | build | refresh | info | verify | remove | import | changes | export | hydrate`: many searches become one dataset in a directory.
 */
export function corpusCommand(): Command {
  const command = new Command("corpus").description("make one dataset of many searches for mentions");
  fetching(command, "plan", "estimate what a build will fetch, with few requests")
    .option("--quota <rate>", "the requests that your key allows, for the minutes: 25/s, 1000/h")
    .option("--exact", "count every window")
    .option("--refresh", "plan a refresh instead of a build")
    .action(running("plan", plan));
  careful(fetching(command, "build", "fetch what is missing; a build that was stopped goes on")).action(
    running("build", build),
  );
  careful(fetching(command, "refresh", "ask again for what may have changed, and for new days; report what is new"))
    .option("--lag <days>", "how long the service may change mentions after their day: 30d, 6w (default: 30d)")
    .option("--lookup-age <days>", "look up people and programs again after this time: 90d, 26w (default: 180d)")
    .action(running("refresh", refresh));
  reading(command, "info", "show what a corpus has, and its progress").action(info);
  const verifying = "compare every file with its checksum, and the tables; exit with 1 if something is wrong";
  reading(command, "verify", verifying).action(verify);
  reading(command, "remove", "take searches out of a corpus, with their hits")
    .argument("<search...>", "ids of searches: the column search of the table of searches")
    .action(remove);
  reading(command, "import", "take over windows that another corpus has, which are then not asked again")
    .argument("<other>", "directory of the other corpus")
    .action(importFrom);
  reading(command, "changes", "print what later rounds have changed, one JSON line each, for loaders")
    .requiredOption("--since <round>", "the last round that was loaded, or a day", roundOrDay)
    .action(changes);
  addPublishCommands(command);
  addQueueCommands(command);
  return command;
}

/** A subcommand that sends requests. */
function fetching(command: Command, name: string, description: string): Command {
  const subcommand = command
    .command(name)
    .description(description)
    .argument("<dir>", "directory of the corpus, created if it does not exist")
    .argument(
      "[searches]",
      "CSV file with a column per parameter (query, videotype, mindate, congress, …); others are labels",
    )
    .option(
      "--bills <file>",
      "instead: CSV file of bills (title, number, type, congress), to search for speeches on each; others are labels",
    )
    .addOption(
      new Option("--window <period>", "split every search by congress, year, quarter, month, week or day").choices([
        ...PERIODS,
      ]),
    )
    .option("--lookups <table...>", "tables to fill by lookups: people, programs (default: both)")
    .option("--no-lookups", "look up neither people nor programs")
    .option("--max-requests <n>", "maximum number of requests; repeat the command to continue", wholeNumber)
    .option("--queue [url]", "let workers fetch the windows (archive-frames work); default: ARCHIVE_QUEUE", queueUrl)
    .option(
      "--storage <dir>",
      "with --queue: directory that all machines share, or s3://bucket/prefix (default: one of this user)",
    )
    .option(
      "--wait-workers <seconds>",
      "with --queue: end without a worker that fits after this time (default: 60)",
      Number,
    )
    .option("--concurrency <n>", "requests in flight; with --queue, of lookups (default: 8)", wholeNumber)
    .option("--json", "print JSON");
  return addSnapshotFlags(subcommand);
}

/** A subcommand that fetches windows. */
function careful(command: Command): Command {
  return command
    .option(
      "--no-confirm-end",
      "trust a short page to be the last of its window: half of the requests for small windows",
    )
    .option("--recheck", "read windows of several pages until two readings agree");
}

/** A client whose windows are fetched by the workers at a queue. */
async function openQueue(
  corpus: string,
  { queue, storage, waitWorkers }: Record<string, unknown>,
  given: ArchiveClientOptions,
) {
  const { openFleet } = await import("../fleet/openFleet.js");
  const fleet = { queue: queue === true ? undefined : queue, storage, waitWorkers } as Partial<OpenFleetOptions>;
  return openFleet({ ...given, ...fleet, corpus });
}

/** A subcommand that sends no requests. */
function reading(command: Command, name: string, description: string): Command {
  return command
    .command(name)
    .description(description)
    .argument("<dir>", "directory of the corpus")
    .option("--json", "print JSON");
}

async function info(dir: string, { json }: Values): Promise<void> {
  const corpus = await reader(dir);
  if (json === true) printJson(await corpus.info());
  else printText(String(corpus));
}

async function verify(dir: string, { json }: Values): Promise<void> {
  const check = await (await reader(dir)).verify();
  if (json === true) printJson(check);
  else printLines(checkLines(check));
  if (!check.ok) process.exitCode = 1;
}

async function remove(dir: string, searches: readonly string[], { json }: Values): Promise<void> {
  const corpus = await reader(dir);
  await corpus.remove(searches);
  if (json === true) printJson(await corpus.info());
  else printText(String(corpus));
}

async function importFrom(dir: string, other: string, { json }: Values): Promise<void> {
  const { windows } = await (await reader(dir)).import(other);
  if (json === true) printJson({ windows });
  else printLines([`${pluralize(windows, "window")} taken over.`]);
}

async function changes(dir: string, { since }: Values): Promise<void> {
  const { toRecords } = await import("../index.js");
  printJsonRows(toRecords((await reader(dir)).changes({ since: since as number })));
}

function roundOrDay(value: string): string | number {
  return /^\d{1,9}$/.test(value) ? Number(value) : value;
}

async function reader(dir: string): Promise<Corpus> {
  checkArguments("build", dir);
  const { openCorpus } = await import("../corpus/index.js");
  return openCorpus(dir);
}

function running(verb: string, action: Action) {
  return async (dir: string, searches: string | undefined, values: Values): Promise<void> => {
    checkArguments(verb, dir, searches, values.bills);
    const { json, bills, snapshot, snapshotMode, window, lookups, queue, storage, waitWorkers, ...more } = values;
    const { concurrency, ...options } = more;
    const { openCorpus, searchesOfBills } = await import("../corpus/index.js");
    const searchesOrBills = bills === undefined ? searches : await searchesOfBills(bills as string);
    const { corpusProgress } = await import("./progress.js");
    const progress = corpusProgress(json === true ? undefined : errorTerminal());
    const given = { snapshot: snapshotOf(values), progress, concurrency: concurrency as number | undefined };
    await using archive = await (queue === undefined
      ? (await import("../openArchive.js")).openArchive(given)
      : openQueue(dir, { queue, storage, waitWorkers }, given));
    const corpus = await openCorpus(dir, {
      archive,
      searches: searchesOrBills,
      window: window as never,
      // Commander reports --no-lookups as false, and its absence as true.
      lookups: (lookups === true ? undefined : lookups === false ? [] : lookups) as never,
    });
    const limit = options.maxRequests === undefined ? "" : ` --max-requests ${options.maxRequests}`;
    const next = `archive-frames corpus ${verb} ${argument(dir)}${limit}`;
    try {
      const { json: result, lines } = await interruptible((signal) => action(corpus, { ...options, signal }, next));
      if (json === true) printJson(result);
      else printLines(lines);
    } catch (error) {
      if (json === true && error instanceof ArchiveError) printJson(await failureOf(error, corpus));
      throw error;
    }
  };
}

/** What `--json` prints of a run that an error ended: the error, and what the corpus has by now. */
async function failureOf(error: ArchiveError, corpus: Corpus) {
  const { code, message } = error;
  const retryAfter = error instanceof RateLimitError ? (error.retryAfter ?? null) : null;
  return { verdict: "stopped", reason: code, message, retryAfter, ...(await corpus.info()) };
}

async function plan(corpus: Corpus, options: RunOptions) {
  const plan = await corpus.plan(options);
  const searches = await rowsOf(plan.searches);
  return { json: { ...plan, searches }, lines: planLines(plan, searches) };
}

const build: Action = async (corpus, options, next) => ended(corpus, await corpus.build(options), next);

const refresh: Action = async (corpus, options, next) => ended(corpus, await corpus.refresh(options), next);

async function ended(corpus: Corpus, summary: CorpusSummary, next: string) {
  if (summary.verdict === "stopped") process.exitCode = 1;
  const searches = await rowsOf(corpus.searches());
  return { json: { ...summary, searches }, lines: [...searchLines(searches), "", ...summaryLines(summary, next)] };
}

/** Refuses what the library would refuse, in the words of the command line. */
function checkArguments(verb: string, dir: string, searches?: string, bills?: unknown): void {
  if (searches !== undefined && bills !== undefined) {
    throw faulty("bills", "searches were given, too", "Give either a file of searches or --bills; both in two calls.");
  }
  if (searches !== undefined && statOf(searches)?.isFile() !== true) {
    const hint = "Give a CSV file with a column per parameter, for example query and congress.";
    throw faulty("searches", `${show(searches)}. There is no such file`, hint);
  }
  if (searches === undefined && bills === undefined && !existsSync(join(dir, "corpus.json"))) {
    const hint = `To create one, give its searches as a CSV file, for example archive-frames corpus ${verb} ${argument(dir)} searches.csv, or --bills bills.csv.`;
    throw faulty("dir", `${show(dir)}. There is no corpus`, hint);
  }
}
