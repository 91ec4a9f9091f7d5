import { Readable } from "node:stream";
import { StringDecoder } from "node:string_decoder";

import { escapedLines } from "../../util/quoted.js";

type Done = (error?: Error | null) => void;

/**
 * Makes what is written to the standard streams output of a notebook, and refuses to read standard input, for which nobody
 * would be there: the reader would wait for ever.
 *
 * @returns writes to the kernel's own standard error, which its server keeps as a log
 */
export function captureStandardStreams(
  take: (stream: "stdout" | "stderr", text: string) => void,
): (line: string) => void {
  const log = process.stderr.write.bind(process.stderr);
  for (const name of ["stdout", "stderr"] as const) {
    const decoder = new StringDecoder();
    const write = (chunk: string | Uint8Array, encoding?: BufferEncoding | Done, done?: Done): boolean => {
      take(name, typeof chunk === "string" ? chunk : decoder.write(Buffer.from(chunk)));
      const call = typeof encoding === "function" ? encoding : done;
      if (call !== undefined) process.nextTick(call);
      return true;
    };
    Object.assign(process[name], { write });
    // A server in a terminal hands it on, but a notebook is none: no colours, no bars that rewrite their line.
    Object.defineProperty(process[name], "isTTY", { value: false, configurable: true });
  }
  refuseInput();
  showWarnings();
  return (line) => void log(line);
}

function refuseInput(): void {
  let input = noInput();
  Object.defineProperty(process, "stdin", {
    get() {
      // One that was read has ended with its error; the next reader is told as well.
      if (input.destroyed) input = noInput();
      return input;
    },
    configurable: true,
  });
}

function noInput(): Readable {
  const input = new Readable({
    read() {
      this.destroy(new Error("A notebook has no standard input. Put the value into a cell: const answer = …"));
    },
  });
  return Object.assign(input, { fd: 0, isTTY: false });
}

/** Warnings without the number of the process, so that a notebook has the same output in every run. */
function showWarnings(): void {
  process.removeAllListeners("warning");
  process.on("warning", ({ name, message }) => {
    // How an import of a cell is carried out, a loop was stopped, or an output is sent, is not its author's business.
    if (/require\(\)|process\.binding\('async_wrap'\)|^Socket option will/.test(message)) return;
    process.stderr.write(escapedLines(`${name}: ${message}\n`));
  });
}
