import { existsSync } from "node:fs";
import { join } from "node:path";
import { Command, Option } from "commander";
import type { Corpus, CorpusCheck, CorpusPlan, CorpusSummary, RunOptions } from "../corpus/index.js";
import { MAX_SEARCH, tablesText } from "../corpus/run/runOptions.js";
import { faulty, show } from "../errors/validators.js";
import { statOf } from "../fs/paths.js";
import { PERIODS } from "../util/period.js";
import { clip, formatCount, pluralize } from "../util/text.js";
import { addSnapshotFlags, argument, queueUrl, snapshotOf, wholeNumber } from "./flags.js";
import { CommandProgress, errorTerminal, linesOf, type Output, printing } from "./print.js";
import { interruptible } from "./signals.js";

type Values = Readonly<Record<string, unknown>>;

/**
 * `archive-frames corpus plan | build | refresh | info | verify | export`: many searches become one dataset in a directory.
 */
export function corpusCommand(): Command {
  const command = new Command("corpus").description("make one dataset of many searches for mentions");
  addFetchCommand(command, "plan", "estimate what a build will fetch, with few requests")
    .option("--quota <rate>", "the requests that your key allows, for the minutes: 25/s, 1000/h")
    .action(fetchAction("plan", plan));
  addFetchCommand(command, "build", "fetch what is missing; resumes a stopped build").action(
    fetchAction("build", async (corpus, options, next) => summarize(corpus, await corpus.build(options), next)),
  );
  addFetchCommand(command, "refresh", "ask again for what may have changed, and for new days; report what is new")
    .option("--lag <days>", "how long the service may change mentions after their day: 30d, 6w (default: 30d)")
    .action(
      fetchAction("refresh", async (corpus, options, next) => summarize(corpus, await corpus.refresh(options), next)),
    );
  addReadCommand(command, "info", "show what a corpus has, and its progress").action(printing(info));
  addReadCommand(
    command,
    "verify",
    "compare files and tables with their checksums; exit with 1 if something is wrong",
  ).action(printing(verify));
  addReadCommand(command, "export", "copy a corpus for others, with codebook and citation file")
    .argument("<dest>", ".zip file that does not exist")
    .option("--title <text>", "title of the dataset")
    .option("--creator <name...>", 'authors: "Doe, Jane" "Roe, Richard"')
    .action(printing(exportTo));
  return command;
}

/** A subcommand that sends no requests. */
function addReadCommand(command: Command, name: string, description: string): Command {
  return command
    .command(name)
    .description(description)
    .argument("<dir>", "directory of the corpus")
    .option("--json", "print JSON");
}

/** A subcommand that sends requests. */
function addFetchCommand(command: Command, name: string, description: string): Command {
  const subcommand = command
    .command(name)
    .description(description)
    .argument("<dir>", "directory of the corpus, created if it does not exist")
    .argument(
      "[searches]",
      "CSV file with a column per parameter (query, videotype, mindate, congress, …); others are labels",
    )
    .addOption(
      new Option("--window <period>", "split every search by congress, year, quarter, month, week or day").choices([
        ...PERIODS,
      ]),
    )
    .option(
      "--lookups <table...>",
      "tables to fill by lookups, a request for each row: people, programs (default: none)",
    )
    .option("--max-requests <n>", "maximum number of requests; repeat the command to continue", wholeNumber)
    .option("--queue [url]", "let workers send the requests (archive-frames work); default: ARCHIVE_QUEUE", queueUrl)
    .option("--concurrency <n>", "requests in flight (default: 8; with --queue, 64)", wholeNumber)
    .option("--json", "print JSON");
  return addSnapshotFlags(subcommand);
}

/** The action of a subcommand that sends requests. `next` is the command that continues a run. */
function fetchAction(
  verb: string,
  run: (corpus: Corpus, options: RunOptions & Values, next: string) => Promise<Output>,
): (dir: string, searches: string | undefined, values: Values) => Promise<void> {
  return printing(async (dir, searches, values) => {
    checkArguments(verb, dir, searches);
    const { json, snapshot, snapshotMode, window, lookups, queue, ...more } = values;
    const { concurrency, ...options } = more;
    const { openCorpus } = await import("../corpus/index.js");
    const progress = new CommandProgress(json === true ? undefined : errorTerminal()).report;
    const client = { snapshot: snapshotOf(values), progress, concurrency: concurrency as number | undefined };
    const fleet = { queue: queue === true ? undefined : (queue as string) };
    await using archive = await (queue === undefined
      ? (await import("../openArchive.js")).openArchive(client)
      : (await import("../fleet/openFleet.js")).openFleet({ ...client, ...fleet }));
    const limit = options.maxRequests === undefined ? "" : ` --max-requests ${options.maxRequests}`;
    const next = `archive-frames corpus ${verb} ${argument(dir)}${limit}`;
    const corpus = await openCorpus(dir, {
      archive,
      searches,
      window: window as never,
      lookups: lookups as never,
    });
    return await interruptible((signal) => run(corpus, { ...options, signal }, next));
  });
}

async function plan(corpus: Corpus, options: RunOptions): Promise<Output> {
  const plan = await corpus.plan(options);
  if (plan.failed.length > 0) process.exitCode = 1;
  return { json: plan, lines: planLines(plan) };
}

async function summarize(corpus: Corpus, summary: CorpusSummary, next: string): Promise<Output> {
  if (summary.verdict === "stopped") process.exitCode ??= 1;
  const { toRecords } = await import("../index.js");
  const searches = toRecords(corpus.searches());
  return { json: { ...summary, searches }, lines: summaryLines(summary, next) };
}

/** Refuses what the library would refuse, in the words of the command line. */
function checkArguments(verb: string, dir: string, searches?: string): void {
  if (searches !== undefined && statOf(searches)?.isFile() !== true) {
    const hint = "Give a CSV file with a column per parameter, for example query and congress.";
    throw faulty("searches", `${show(searches)}. There is no such file`, hint);
  }
  if (searches === undefined && !existsSync(join(dir, "corpus.json"))) {
    const hint = `To create one, give its searches as a CSV file, for example archive-frames corpus ${verb} ${argument(dir)} searches.csv.`;
    throw faulty("dir", `${show(dir)}. There is no corpus`, hint);
  }
}

/** Opens a corpus without a client. */
async function reader(dir: string): Promise<Corpus> {
  checkArguments("build", dir);
  const { openCorpus } = await import("../corpus/index.js");
  return openCorpus(dir);
}

async function info(dir: string, { json }: Values): Promise<Output> {
  const corpus = await reader(dir);
  return json === true ? { json: await corpus.info(), lines: [] } : { json: null, lines: linesOf(String(corpus)) };
}

async function verify(dir: string): Promise<Output> {
  const check = await (await reader(dir)).verify();
  if (!check.ok) process.exitCode = 1;
  return { json: check, lines: checkLines(check) };
}

async function exportTo(dir: string, dest: string, { json, creator, ...values }: Values): Promise<Output> {
  const path = await (await reader(dir)).export(dest, {
    ...values,
    creators: creator as readonly string[] | undefined,
  });
  return { json: { dest: path }, lines: [path] };
}

/** What a build will fetch, in one line, and the searches that failed. */
function planLines({ text, failed }: CorpusPlan): string[] {
  return [text, ...failedLines(failed)];
}

function summaryLines(summary: CorpusSummary, next: string): string[] {
  const { verdict, reason, requests, windows } = summary;
  const { added, changed, vanished, returned } = summary;
  const changes = Object.entries({ added, changed, vanished, returned }).filter(([, count]) => count > 0);
  // The same command would fail again.
  const isOutOfRequests = summary.failed.some(({ code }) => code === "OUT_OF_REQUESTS");
  const state = `${verdict}${reason === null ? "" : ` by ${reason}`}, ${windows.done} of ${pluralize(windows.total, "window")}`;
  const changesText = changes.map(([name, count]) => `${formatCount(count)} ${name}`).join(", ") || "nothing new";
  return [
    `${state}, ${pluralize(requests, "request")}: ${changesText}`,
    tablesText(summary),
    ...failedLines(summary.failed),
    ...(verdict === "complete" || isOutOfRequests ? [] : [`To continue, type: ${next}`]),
  ];
}

function failedLines(failed: CorpusSummary["failed"]): string[] {
  return failed.map(({ query, code, message }) => `FAILED  ${clip(query, MAX_SEARCH)} (${code}): ${message}`);
}

function checkLines({ ok, files, mentions, hits, problems }: CorpusCheck): string[] {
  const checked = `${pluralize(files, "file")}, ${pluralize(mentions, "mention")}, ${pluralize(hits, "hit")}`;
  if (ok) return [`ok  ${checked}`];
  return [
    ...problems.map((problem) => `PROBLEM  ${problem}`),
    `${pluralize(problems.length, "problem")} in ${checked}`,
  ];
}
