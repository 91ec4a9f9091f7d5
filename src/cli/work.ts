import { Command } from "commander";
import { escaped } from "../util/quoted.js";
import { wholeNumber } from "./flags.js";
import { printErrorLines } from "./print.js";
import { nextSignal } from "./signals.js";

/**
 * `archive-frames work`: requests pages for the corpora that are built at a queue, until SIGINT or SIGTERM; then it finishes the pages
 * it has begun.
 */
export function workCommand(): Command {
  return new Command("work")
    .description("request pages for a corpus that `corpus build --queue` builds, on as many machines as you like")
    .requiredOption("--queue <url>", "the Redis server: redis://localhost:6379, rediss://user:password@host:6380")
    .option("--concurrency <n>", "requests in parallel (default: 4)", wholeNumber)
    .option("--storage <dir>", "directory that all machines share, or s3://bucket/prefix (default: one of this user)")
    .option(
      "--lost-after <seconds>",
      "when the page of a worker that vanished is given to another one (default: 10)",
      Number,
    )
    .action(async (options: { queue: string; storage?: string; concurrency?: number; lostAfter?: number }) => {
      const { startWorker } = await import("../fleet/fleetWorker.js");
      const onProblem = (problem: string) => printErrorLines([`archive-frames: ${escaped(problem, 200)}`]);
      const onJoin = (key: string) =>
        printErrorLines([`archive-frames: works for a corpus. Its key is called ${key}.`]);
      const worker = await startWorker({ ...options, onProblem, onJoin });
      const stopped = nextSignal();
      printErrorLines(["archive-frames: working. Stop with Ctrl+C."]);
      await stopped;
      await worker.close();
      printErrorLines([`archive-frames: ${worker.pages} pages fetched.`]);
    });
}
