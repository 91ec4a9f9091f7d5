import type { ChildProcess } from "node:child_process";

/** Kills a process when that of the tests ends, also after a test that timed out and disposed of nothing. */
export function endWithTests(child: ChildProcess): void {
  const kill = () => void child.kill("SIGKILL");
  process.once("exit", kill);
  child.once("exit", () => process.off("exit", kill));
}
