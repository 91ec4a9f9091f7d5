import { fileURLToPath } from "node:url";
import { withoutSettings } from "../archiveSettings.js";
import { type Ended, runProcess } from "../runProcess.js";

/** The built `archive-frames`. */
export const MAIN = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));

/** Runs the built `archive-frames` in a directory, without archive settings from the environment. */
export function command(
  cwd: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  more: Pick<Parameters<typeof runProcess>[2] & object, "encoding" | "onStart"> = {},
): Promise<Ended> {
  return runProcess(process.execPath, [MAIN, ...args], { cwd, env: { ...withoutSettings(), ...env }, ...more });
}
