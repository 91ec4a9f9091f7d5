import { type SpawnOptions, spawn } from "node:child_process";
import { once } from "node:events";

/** How a process ended, and what it printed. */
export interface Ended {
  readonly code: unknown;
  readonly out: string;
  readonly err: string;
}

/** Runs a program to its end. */
export async function runProcess(
  program: string,
  parameters: readonly string[],
  options: Omit<SpawnOptions, "stdio">,
): Promise<Ended> {
  const child = spawn(program, parameters, { ...options, stdio: ["ignore", "pipe", "pipe"] });
  let [out, err] = ["", ""];
  child.stdout.on("data", (text: Buffer) => {
    out += text;
  });
  child.stderr.on("data", (text: Buffer) => {
    err += text;
  });
  const [code] = await once(child, "close");
  return { code, out, err };
}
