import { expect, vi } from "vitest";
import { commands, runCommandLine } from "../../src/cli/runCommandLine.js";
import { stubSettings } from "../archiveSettings.js";
import type { Ended } from "../runProcess.js";

export { commands };

/** How a command ends that fails with a message and prints nothing else. */
export const failedWith = (message: RegExp): Ended => ({
  status: 1,
  stdout: "",
  stderr: expect.stringMatching(message),
});

/**
 * Runs `archive-frames` in this process, a tenth of the time of a process of its own, in a directory and without archive settings from
 * the environment but `env`.
 */
export async function callCommand(
  cwd: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  const output = { stdout: "", stderr: "" };
  const before = process.cwd();
  const { exitCode } = process;
  stubSettings();
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  const spies = (["stdout", "stderr"] as const).map((stream) =>
    vi.spyOn(process[stream], "write").mockImplementation((text) => {
      output[stream] += text;
      return true;
    }),
  );
  try {
    process.chdir(cwd);
    process.exitCode = undefined;
    await runCommandLine(args);
    return { status: Number(process.exitCode ?? 0), ...output };
  } finally {
    process.exitCode = exitCode;
    process.chdir(before);
    for (const spy of spies) spy.mockRestore();
    vi.unstubAllEnvs();
  }
}
