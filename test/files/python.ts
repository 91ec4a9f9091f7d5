import { spawn, spawnSync } from "node:child_process";
import { text } from "node:stream/consumers";

/** The Python of the system, for which Debian has packages; another one may come first on the path. */
const PYTHON = "/usr/bin/python3";

/** Whether what reads our files back is installed, as it is in CI: python3-openpyxl and python3-pandas. */
export const hasPython = spawnSync(PYTHON, ["-c", "import openpyxl, pandas"]).status === 0;

/**
 * Runs a Python script and gives the JSON that it prints.
 *
 * @param args what the script finds in `sys.argv[1:]`
 * @throws Error with what Python wrote to stderr where it fails
 * @example
 * await python("import json, sys; print(json.dumps(sys.argv[1:]))", "a"); //=> ["a"]
 */
export async function python(script: string, ...args: string[]): Promise<unknown> {
  const child = spawn(PYTHON, ["-", ...args], { env: { ...process.env, PYTHONIOENCODING: "utf-8" } });
  child.stdin.end(script);
  const exit = new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  const [output, errors, code] = await Promise.all([text(child.stdout), text(child.stderr), exit]);
  if (code !== 0) throw new Error(`python: ${errors}`);
  return JSON.parse(output);
}
