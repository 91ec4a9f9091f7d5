import { closeSync, openSync } from "node:fs";
import { devNull } from "node:os";
import { Readable } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import { escapedLines } from "../../util/quoted.js";

type Callback = (error?: Error | null) => void;

/**
 * Makes reading descriptor 0 fail immediately by replacing it with one for writing. Call it while this is the only thread: if
 * another thread opened a file in between, it would get descriptor 0, and libuv aborts a process that closes that.
 */
export function blockStdinDescriptor(): void {
  closeSync(0);
  openSync(devNull, "w");
}

/**
 * Redirects standard output and standard error to the notebook, and makes reading standard input fail: nobody could type
 * anything, so the reader would wait for ever.
 */
export function captureStandardStreams(onText: (stream: "stdout" | "stderr", text: string) => void): void {
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
  refuseInput();
  showWarnings();
}

function refuseInput(): void {
  let input = noInput();
  Object.defineProperty(process, "stdin", {
    get() {
      // A stream that was read is destroyed by its error; the next reader needs a new one.
      if (input.destroyed) input = noInput();
      return input;
    },
    configurable: true,
  });
}

function noInput(): Readable {
  const input = new Readable({
    read() {
      this.destroy(
        new Error(
          "A notebook has no standard input. Use prompt of archive-frames/notebook: const answer = await prompt(…)",
        ),
      );
    },
  });
  return Object.assign(input, { fd: 0, isTTY: false });
}

/** Prints warnings without the process id, so that every run of a notebook has the same output. */
function showWarnings(): void {
  process.removeAllListeners("warning");
  process.on("warning", ({ name, message }) => {
    // Caused by how the kernel imports modules, terminates code and sends output: not by the cell.
    if (/require\(\)|process\.binding\('async_wrap'\)|^Socket option will/.test(message)) return;
    process.stderr.write(escapedLines(`${name}: ${message}\n`));
  });
}
