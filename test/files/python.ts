import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { createInterface } from "node:readline";

/** The Python of the system, for which Debian has packages; another one may come first on the path. */
const PYTHON = "/usr/bin/python3";

/** Whether what reads our files back is installed, as it is in CI: python3-openpyxl and python3-pandas. */
export const hasPython: boolean =
  spawnSync(PYTHON, [
    "-c",
    'import importlib.util as u, sys; sys.exit(not (u.find_spec("openpyxl") and u.find_spec("pandas")))',
  ]).status === 0;

/** Runs the scripts that arrive on stdin, one per line, and writes what each prints as one line. */
const SERVE = `
import contextlib, io, json, sys, traceback
for line in sys.stdin:
    script, sys.argv = json.loads(line)
    output = io.StringIO()
    try:
        with contextlib.redirect_stdout(output): exec(script, {"__name__": "__main__"})
        answer = {"output": output.getvalue()}
    except BaseException:
        answer = {"error": traceback.format_exc()}
    print(json.dumps(answer), flush=True)
`;

type Answer = { readonly output: string } | { readonly error: string };

/** A running Python, and what waits for its answers. */
interface Interpreter {
  readonly child: ChildProcess;
  readonly waiting: Array<(answer: Answer) => void>;
}

/** One for the test files of a process: pandas alone takes a second to import. */
let interpreter: Interpreter | undefined;

/**
 * Runs a Python script and returns the JSON that it prints. Modules stay imported for the next script, variables do not.
 *
 * @param args what the script finds in `sys.argv[1:]`
 * @throws Error with the traceback if the script fails
 * @example
 * await python("import json, sys; print(json.dumps(sys.argv[1:]))", "a"); //=> ["a"]
 */
export async function python(script: string, ...args: string[]): Promise<unknown> {
  interpreter ??= start();
  const { child, waiting } = interpreter;
  const answer = await new Promise<Answer>((resolve) => {
    waiting.push(resolve);
    child.stdin?.write(`${JSON.stringify([script, ["-", ...args]])}\n`);
  });
  if ("error" in answer) throw new Error(`python: ${answer.error}`);
  return JSON.parse(answer.output);
}

function start(): Interpreter {
  const child = spawn(PYTHON, ["-c", SERVE], {
    stdio: ["pipe", "pipe", "inherit"],
    env: { ...process.env, PYTHONIOENCODING: "utf-8" },
  });
  const waiting: Interpreter["waiting"] = [];
  createInterface(child.stdout).on("line", (line) => waiting.shift()?.(JSON.parse(line)));
  const end = (error: string) => {
    interpreter = undefined;
    for (const answer of waiting.splice(0)) answer({ error });
  };
  child.once("error", (error) => end(String(error)));
  child.once("close", (code) => end(`it exited with code ${code}`));
  return { child, waiting };
}
