import { StringDecoder } from "node:string_decoder";
import { WARNING } from "../../errors/warn.js";
import { escapedLines } from "../../util/quoted.js";

type Callback = (error?: Error | null) => void;

/**
 * Redirects standard output and standard error to the notebook, and makes standard input throw: nobody could type anything, and some
 * readers would wait for ever.
 */
export function captureStandardStreams(
  onText: (stream: "stdout" | "stderr", text: string) => void,
  onNote: (text: string) => void,
): void {
  for (const name of ["stdout", "stderr"] as const) {
    const decoder = new StringDecoder();
    const write = (chunk: string | Uint8Array, encoding?: BufferEncoding | Callback, callback?: Callback): boolean => {
      onText(name, typeof chunk === "string" ? chunk : decoder.write(Buffer.from(chunk)));
      const call = typeof encoding === "function" ? encoding : callback;
      if (call !== undefined) process.nextTick(call);
      return true;
    };
    Object.assign(process[name], { write });
    // A server started in a terminal passes its TTY on, but a notebook shows neither colors nor rewritten lines.
    Object.defineProperty(process[name], "isTTY", { value: false, configurable: true });
  }
  Object.defineProperty(process, "stdin", {
    get() {
      const instead = "Use prompt of archive-frames/notebook: const answer = await prompt(…)";
      throw new Error(`A notebook has no standard input. ${instead}`);
    },
    configurable: true,
  });
  showWarnings(onNote);
}

/** Shows our warnings as notes, and prints others without the process id, so that every run of a notebook has the same output. */
function showWarnings(onNote: (text: string) => void): void {
  process.removeAllListeners("warning");
  process.on("warning", ({ name, message }) => {
    // Caused by how the kernel imports modules, terminates code and sends output: not by the cell.
    if (/require\(\)|process\.binding\('async_wrap'\)|^Socket option will/.test(message)) return;
    if (name === WARNING) onNote(message);
    else process.stderr.write(escapedLines(`${name}: ${message}\n`));
  });
}
