import { Command } from "commander";
import { escaped } from "../util/quoted.js";
import { queueUrl, wholeNumber } from "./flags.js";
import { printErrorLines } from "./print.js";
import { untilInterrupted } from "./signals.js";

/** `archive-frames work`: fetches corpus windows from a queue until SIGINT or SIGTERM, then finishes the windows in progress. */
export function workCommand(): Command {
  return new Command("work")
    .description("fetch windows for `corpus build --queue`, on as many machines as you like")
    .option("--queue <url>", "the Redis server, or a file with its URL (default: ARCHIVE_QUEUE)", queueUrl)
    .option("--concurrency <n>", "windows in parallel (default: 4)", wholeNumber)
    .option("--storage <dir>", "directory that all machines share (default: one of this user)")
    .option(
      "--lost-after <seconds>",
      "time after which the window of a lost worker goes to another one (default: 10)",
      Number,
    )
    .action(async (options: { queue?: string; storage?: string; concurrency?: number; lostAfter?: number }) => {
      const { startWorker } = await import("../fleet/fleetWorker.js");
      const onProblem = (problem: string) => printErrorLines([`archive-frames: ${escaped(problem, 200)}`]);
      const onJoin = () => printErrorLines(["archive-frames: joined a corpus."]);
      const worker = await startWorker({ ...options, onProblem, onJoin });
      await untilInterrupted(() => printErrorLines(["archive-frames: working. Stop with Ctrl+C."]));
      await worker.close();
      printErrorLines([`archive-frames: ${worker.windows} windows fetched.`]);
    });
}
