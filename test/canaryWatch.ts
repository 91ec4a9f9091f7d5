import { format } from "node:util";
import { Secret } from "../src/service/http/secret.js";
import { KEY } from "./service/key.js";

export { Secret };

const redactors = [KEY, "canary-7f3a9c0e"].map((secret) => new Secret(secret).redact);

/** One list for each process, because unit tests share theirs. */
const LEAKS: unique symbol = Symbol.for("archive-frames.tests.leaks");
const globals = globalThis as { [LEAKS]?: string[] };

/** The texts that the current test file printed with a key of the tests in them, redacted; forgets them. */
export function takeLeaks(): string[] {
  return globals[LEAKS]?.splice(0) ?? [];
}

/** Searches everything that tests print for the keys they use, in every spelling. */
export function watchForCanaries(): void {
  if (globals[LEAKS] !== undefined) return;
  const leaks: string[] = [];
  globals[LEAKS] = leaks;
  const look = (text: string) => {
    for (const redact of redactors) if (redact(text) !== text) leaks.push(redact(text).slice(0, 500));
  };
  for (const stream of [process.stdout, process.stderr]) {
    const write = stream.write.bind(stream) as (chunk: unknown, ...rest: unknown[]) => boolean;
    stream.write = (chunk: unknown, ...rest: unknown[]) => {
      look(typeof chunk === "string" ? chunk : Buffer.from(chunk as Uint8Array).toString());
      return write(chunk, ...rest);
    };
  }
  // The console of the test runner does not write to the streams of the process.
  for (const name of ["log", "info", "warn", "error", "debug"] as const) {
    const print = console[name].bind(console);
    console[name] = (...values: unknown[]) => {
      look(format(...values));
      print(...values);
    };
  }
  process.on("warning", (warning) => look(format(warning)));
}
