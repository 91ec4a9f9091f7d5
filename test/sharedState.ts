import { hash } from "node:crypto";
import { withScanner } from "../src/pages/scanner.js";

/** Listeners that stay until the process ends, one of each: of frozen tables, and of the kernel and the browser that tests share. */
const UNTIL_EXIT = ["removeAll", "kill", "exitHandler"];

/** What the tests of a file can change in a process that tests other files after it. */
export function sharedState(): object {
  const kept = UNTIL_EXIT.map((name) => process.listeners("exit").find((listener) => listener.name === name));
  return {
    // The exports of WebAssembly are frozen; what a test puts in their place is not.
    isScannerOurs: withScanner(({ exports }) => Object.isFrozen(exports)),
    directory: process.cwd(),
    // Digests, because a failure prints them.
    environment: Object.entries({ ...process.env, VITEST_WORKER_ID: "one for each file" })
      .map(([name, text = ""]) => `${name} ${hash("sha256", text)}`)
      .sort(),
    signals: [...process.listeners("SIGINT"), ...process.listeners("SIGTERM")],
    exit: process.listeners("exit").filter((listener) => !kept.includes(listener)),
    // Fake timers replace all but the first.
    globals: { fetch, Date, setTimeout, setInterval, setImmediate },
  };
}
