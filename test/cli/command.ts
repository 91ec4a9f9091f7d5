import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { withoutSettings } from "../archiveSettings.js";

const MAIN = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));

/** The output and exit status of a command. */
export interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the built `archive-frames` in a directory, without archive settings from the environment. */
export function command(
  cwd: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  onStart?: (kill: (signal: NodeJS.Signals) => void) => void,
): Promise<Ended> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [MAIN, ...args], { cwd, env: { ...withoutSettings(), ...env } });
    const output = { stdout: "", stderr: "" };
    for (const stream of ["stdout", "stderr"] as const)
      child[stream].setEncoding("utf8").on("data", (text: string) => {
        output[stream] += text;
      });
    child.on("close", (status) => resolve({ status, ...output }));
    onStart?.((signal) => child.kill(signal));
  });
}
