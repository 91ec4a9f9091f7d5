import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Runs a script of this directory in a fresh process and returns the JSON that it prints. */
export async function child(script, ...args) {
  const path = fileURLToPath(new URL(script, import.meta.url));
  const { stdout } = await run(process.execPath, [path, ...args.map(String)]);
  return JSON.parse(stdout);
}
