import { StringDecoder } from "node:string_decoder";
import { WARNING } from "../../errors/warn.js";
import { escapedLines } from "../../util/text.js";

type Callback = (error?: Error | null) => void;

/** Redirects standard output, standard error and warnings to the notebook. */
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
    // The kernel may inherit a terminal, but a notebook shows neither colors nor rewritten lines.
    Object.defineProperty(process[name], "isTTY", { value: false, configurable: true });
  }
  // Our warnings become notes; others are printed without the process id, so that every run of a notebook has the same output.
  process.removeAllListeners("warning");
  process.on("warning", ({ name, message }) => {
    // Caused by the kernel itself: how it imports modules, and sends output.
    if (/require\(\)|^Socket option will/.test(message)) return;
    if (name === WARNING) onNote(message);
    else process.stderr.write(escapedLines(`${name}: ${message}\n`));
  });
}
