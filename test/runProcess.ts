import { type ChildProcessByStdio, type SpawnOptions, spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable } from "node:stream";

/** The exit status and output of a process. */
export interface Ended {
  /** Null if a signal ended it. */
  readonly status: number | null;
  readonly signal?: string | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface ProcessOptions extends Omit<SpawnOptions, "stdio"> {
  /** `latin1` keeps bytes. Default: `utf8`. */
  readonly encoding?: BufferEncoding;
  /** Receives the running process. */
  readonly onStart?: ((child: ChildProcessByStdio<null, Readable, Readable>) => void) | undefined;
}

/** Runs a program to its end. */
export async function runProcess(
  program: string,
  parameters: readonly string[],
  { encoding = "utf8", onStart, ...options }: ProcessOptions = {},
): Promise<Ended> {
  const child = spawn(program, parameters, { ...options, stdio: ["ignore", "pipe", "pipe"] });
  const output = { stdout: "", stderr: "" };
  for (const stream of ["stdout", "stderr"] as const)
    child[stream].setEncoding(encoding).on("data", (text: string) => {
      output[stream] += text;
    });
  onStart?.(child);
  const [status, signal] = await once(child, "close");
  return { status, ...(signal !== null && { signal }), ...output };
}
