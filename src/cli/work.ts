import { Command } from "commander";
import { queueUrl, wholeNumber } from "./flags.js";
import { printErrorLines } from "./print.js";
import { untilInterrupted } from "./signals.js";

/** `archive-frames work`: sends the requests of a queue until SIGINT or SIGTERM, or until the service refuses the key. */
export function workCommand(): Command {
  return new Command("work")
    .description("send the requests of clients with --queue, on as many machines as you like, each with its key")
    .option("--queue <url>", "the Redis server, or a file with its URL (default: ARCHIVE_QUEUE)", queueUrl)
    .option("--concurrency <n>", "requests in parallel (default: 4)", wholeNumber)
    .option("--quota <rate>", "for workers that share a key: what the key allows, such as 25/s (default: find it)")
    .action(async (options: { queue?: string; concurrency?: number; quota?: string }) => {
      const { startWorker } = await import("../fleet/startWorker.js");
      const worker = await startWorker(options);
      const interrupted = untilInterrupted(() => printErrorLines(["archive-frames: working. Stop with Ctrl+C."]));
      const refusal = await Promise.race([interrupted, worker.refused]);
      await worker.close();
      printErrorLines([`archive-frames: ${worker.requests} requests sent.`]);
      if (refusal !== undefined) throw refusal;
    });
}
