import type { Command } from "commander";
import type { Hydration, RunOptions } from "../corpus/index.js";
import { pluralize } from "../util/counts.js";
import { summaryLines } from "./corpusLines.js";
import { addSnapshotFlags, argument, snapshotOf, wholeNumber } from "./flags.js";
import { printJson, printLines } from "./print.js";
import { interruptible } from "./signals.js";

interface ExportValues {
  readonly title?: string;
  readonly creator?: readonly string[];
  readonly idsOnly?: true;
  readonly csv?: true;
  readonly zenodo?: true;
  readonly json?: true;
}

/** Adds `corpus export` and `corpus hydrate`: handing a corpus on, and fetching again what was left out. */
export function addPublishCommands(command: Command): void {
  command
    .command("export")
    .description("copy a corpus for others, with codebook, citation file and metadata, or as a workbook")
    .argument("<dir>", "directory of the corpus")
    .argument("<dest>", "directory, .zip or .xlsx file that does not exist")
    .option("--title <text>", "title of the dataset")
    .option("--creator <name...>", 'authors: "Doe, Jane" "Roe, Richard"')
    .option("--ids-only", "leave out all text, for archives whose terms forbid sharing it")
    .option("--csv", "add each table as a CSV file, for programs that do not read Parquet")
    .option("--zenodo", "add .zenodo.json, the metadata that Zenodo reads")
    .option("--json", "print JSON")
    .action(exportTo);
  const hydrating = command
    .command("hydrate")
    .description("build the corpus of an export without text again, with your key, and say how faithful it is")
    .argument("<export>", "directory of an export that was made with --ids-only")
    .argument("<dir>", "directory of the new corpus, created if it does not exist")
    .option("--max-requests <n>", "maximum number of requests; repeat the command to continue", wholeNumber)
    .option("--json", "print JSON");
  addSnapshotFlags(hydrating).action(hydrate);
}

async function exportTo(dir: string, dest: string, { json, creator, ...values }: ExportValues): Promise<void> {
  const { openCorpus } = await import("../corpus/index.js");
  const corpus = await openCorpus(dir);
  await corpus.export(dest, { ...values, creators: creator });
  if (json === true) printJson({ dest });
  else printLines([dest]);
}

type HydrateValues = RunOptions &
  Readonly<{ json?: true; snapshot?: string | undefined; snapshotMode?: string | undefined }>;

async function hydrate(source: string, dir: string, values: HydrateValues): Promise<void> {
  const { json, snapshot, snapshotMode, ...options } = values;
  const { hydrateCorpus } = await import("../corpus/index.js");
  const { openArchive } = await import("../openArchive.js");
  const { SaveProgress } = await import("./progress.js");
  await using archive = await openArchive({ snapshot: snapshotOf(values), progress: new SaveProgress().report });
  const done = await interruptible((signal) => hydrateCorpus(source, dir, { ...options, archive, signal }));
  const limit = options.maxRequests === undefined ? "" : ` --max-requests ${options.maxRequests}`;
  const next = `archive-frames corpus hydrate ${argument(source)} ${argument(dir)}${limit}`;
  if (json === true) return printJson({ summary: done.summary, fidelity: await differencesOf(done) });
  printLines([...summaryLines(done.summary, next), ...fidelityLines(done)]);
}

/** How a corpus compares with its export: one line. */
function fidelityLines({ fidelity }: Hydration): string[] {
  if (fidelity === null) return ["It is compared with the export when it is complete."];
  const { same, changed, vanished, added } = fidelity;
  const exported = same + changed + vanished;
  const share = exported === 0 ? "" : ` (${((100 * same) / exported).toFixed(1)}%)`;
  return [
    `${same} of ${pluralize(exported, "mention")} of the export are the same${share}, ${changed} changed, ${vanished} vanished; ${added} added since`,
  ];
}

async function differencesOf({ fidelity }: Hydration) {
  if (fidelity === null) return null;
  const { toRecords } = await import("../index.js");
  return { ...fidelity, differences: toRecords(fidelity.differences) };
}
