import { spawnSync } from "node:child_process";
import { runProcess } from "../runProcess.js";

/** The Python of the system, for which Debian has packages; another one may come first on the path. */
const PYTHON = "/usr/bin/python3";

/** Whether what reads our files back is installed, as it is in CI: python3-openpyxl and python3-pandas. */
export const hasPython: boolean =
  spawnSync(PYTHON, [
    "-c",
    'import importlib.util as u, sys; sys.exit(not (u.find_spec("openpyxl") and u.find_spec("pandas")))',
  ]).status === 0;

/**
 * Runs a Python script and returns the JSON that it prints.
 *
 * @param args what the script finds in `sys.argv[1:]`
 * @throws Error with the traceback if the script fails
 * @example
 * await python("import json, sys; print(json.dumps(sys.argv[1:]))", "a"); //=> ["a"]
 */
export async function python(script: string, ...args: string[]): Promise<unknown> {
  const { stdout, stderr, status } = await runProcess(PYTHON, ["-c", script, ...args]);
  if (status !== 0) throw new Error(`python: ${stderr}`);
  return JSON.parse(stdout);
}
