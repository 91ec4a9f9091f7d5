import { Command, InvalidArgumentError } from "commander";
import type { EmbeddedArchive } from "../embedded/index.js";
import { printText } from "./print.js";
import { type SignalSource, untilInterrupted } from "./signals.js";

/** `archive-frames serve`: runs the embedded archive until SIGINT or SIGTERM, then exits with 0. */
export function serveCommand(signals?: SignalSource, write: (text: string) => void = printText): Command {
  return new Command("serve")
    .description("run the embedded archive (synthetic data) on this machine")
    .option("--port <n>", "port on 127.0.0.1; 0 for any free port (default: 0)", number("a port"))
    .option("--seed <n>", "seed of the synthetic data (default: 1)", number("a whole number"))
    .option("--size <n>", "number of mentions (default: 30000)", number("a whole number"))
    .option(
      "--latency <ms>",
      "delay of every response in milliseconds (default: 0)",
      number("a number of milliseconds"),
    )
    .option(
      "--quota <n>",
      "requests per 60 seconds before a 429 response (default: unlimited)",
      number("a whole number"),
    )
    .option(
      "--limit-exceeded",
      "beyond the quota, respond as the live service does when a daily, weekly or monthly quota is used up",
    )
    .action(async ({ limitExceeded, quota, ...options }: Record<"quota", number> & { limitExceeded?: true }) => {
      const { startEmbeddedArchive } = await import("../embedded/index.js");
      const refused = { requests: quota, seconds: 60, answer: "limit-exceeded" } as const;
      const archive = await startEmbeddedArchive({ ...options, quota: limitExceeded ? refused : quota });
      await untilInterrupted(() => write(announcement(archive)), signals);
      await archive.close();
    });
}

function announcement({ baseUrl, apiKey }: EmbeddedArchive): string {
  return [
    "The embedded archive is running (synthetic data). Stop it with Ctrl+C.",
    "",
    `  base URL  ${baseUrl}`,
    `  key       ${apiKey}`,
    "",
    "Try it:",
    `  curl -H 'x-api-key: ${apiKey}' '${baseUrl}/bills?query=infrastructure'`,
    "",
    "Point a client at it:",
    `  export ARCHIVE_API_KEY='${apiKey}'`,
    `  export ARCHIVE_BASE_URL='${baseUrl}'`,
    "",
  ].join("\n");
}

function number(what: string): (text: string) => number {
  return (text) => {
    const value = text.trim() === "" ? Number.NaN : Number(text);
    if (!Number.isFinite(value)) throw new InvalidArgumentError(`Give ${what}.`);
    return value;
  };
}
