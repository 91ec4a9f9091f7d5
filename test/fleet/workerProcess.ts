import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { KEY } from "../service/key.js";
import { endWithTests } from "./endWithTests.js";

/** The command line of the built package. */
export const MAIN = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));

/** A process that runs `archive-frames work`. */
export interface WorkerProcess extends AsyncDisposable {
  readonly child: ChildProcess;
  /** What it has printed. */
  readonly output: string;
  /** Sends a signal, and waits for the end. Gives the exit code. */
  end(signal: NodeJS.Signals): Promise<number | null>;
}

/** Starts a worker, and waits until it is connected. */
export async function startWorkerProcess(
  baseUrl: string,
  queue: string,
  flags: readonly string[] = [],
  key = KEY,
): Promise<WorkerProcess> {
  const all = [MAIN, "work", ...flags];
  const env = { ...process.env, ARCHIVE_API_KEY: key, ARCHIVE_BASE_URL: baseUrl, ARCHIVE_QUEUE: queue };
  const child = spawn(process.execPath, all, { env, stdio: ["ignore", "inherit", "pipe"] });
  endWithTests(child);
  const ended = once(child, "exit") as Promise<[number | null, string | null]>;
  let output = "";
  const ready = new Promise<void>((resolve, reject) => {
    child.stderr.on("data", (text: Buffer) => {
      output += text;
      if (output.includes("working")) resolve();
    });
    child.once("exit", () => reject(new Error(`the worker ended: ${output}`)));
  });
  await ready;
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal);
    return (await ended)[0];
  };
  return {
    child,
    get output() {
      return output;
    },
    end,
    async [Symbol.asyncDispose]() {
      if (child.exitCode === null && child.signalCode === null) await end("SIGKILL");
    },
  };
}
