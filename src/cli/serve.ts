import { Command } from "commander";
import type { EmbeddedArchive } from "../embedded/index.js";
import { wholeNumber } from "./flags.js";
import { printText } from "./print.js";
import { type SignalSource, untilInterrupted } from "./signals.js";

/** `archive-frames serve`: runs the embedded archive until SIGINT or SIGTERM, then exits with 0. */
export function serveCommand(signals?: SignalSource, write: (text: string) => void = printText): Command {
  return new Command("serve")
    .description("run the embedded archive (synthetic data) on this machine")
    .option("--port <n>", "port on 127.0.0.1; 0 for any free port (default: 0)", wholeNumber)
    .action(async (options: { port?: number }) => {
      const { startEmbeddedArchive } = await import("../embedded/index.js");
      const archive = await startEmbeddedArchive(options);
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
