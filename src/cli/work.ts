import { Command } from "commander";
import { escaped } from "../util/quoted.js";
import { queueUrl, wholeNumber } from "./flags.js";
import { printErrorLines } from "./print.js";
import { nextSignal } from "./signals.js";

/**
 * `archive-frames work`: fetches windows of the corpora that are built at a queue, until SIGINT or SIGTERM; then it finishes the windows
 * it has begun.
 */
export function workCommand(): Command {
  return new Command("work")
    .description("fetch windows of a corpus that `corpus build --queue` builds, on as many machines as you like")
    .option("--queue <url>", "the Redis server, or a file with its URL (default: ARCHIVE_QUEUE)", queueUrl)
    .option("--concurrency <n>", "windows in parallel (default: 4)", wholeNumber)
    .option("--storage <dir>", "directory that all machines share, or s3://bucket/prefix (default: one of this user)")
    .option(
      "--lost-after <seconds>",
      "when the window of a worker that vanished is given to another one (default: 10)",
      Number,
    )
    .action(async (options: { queue?: string; storage?: string; concurrency?: number; lostAfter?: number }) => {
      const { startWorker } = await import("../fleet/fleetWorker.js");
      const onProblem = (problem: string) => printErrorLines([`archive-frames: ${escaped(problem, 200)}`]);
      const onJoin = () => printErrorLines(["archive-frames: works for a corpus."]);
      const worker = await startWorker({ ...options, onProblem, onJoin });
      const stopped = nextSignal();
      printErrorLines(["archive-frames: working. Stop with Ctrl+C."]);
      await stopped;
      await worker.close();
      printErrorLines([`archive-frames: ${worker.windows} windows fetched.`]);
    });
}
