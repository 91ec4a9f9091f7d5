import { Worker } from "node:worker_threads";
import { escapedLines } from "../../util/quoted.js";
import { PORTS_TAKEN } from "../portsTaken.js";
import type { Connection } from "../protocol/connection.js";
import type { Header } from "../protocol/message.js";

/** What the two threads share: whole numbers that are read without waiting. */
export const Flag = {
  /** Counts the interrupts that the kernel's own thread has noticed. */
  NOTICED: 0,
  /** 1 while code of the notebook runs. */
  RUNNING: 1,
  /** 1 when the guard's sockets are closed. */
  CLOSED: 2,
} as const;

/** What the guard's thread is given. */
export interface ControlData {
  readonly connection: Connection;
  readonly session: string;
  /** The process that started the kernel. */
  readonly parent: number;
  readonly flags: Int32Array;
}

/** What the guard says. */
export type ControlEvent =
  | { readonly kind: "ready" }
  | { readonly kind: "interrupt" }
  | { readonly kind: "end" }
  | { readonly kind: "status"; readonly state: "busy" | "idle"; readonly parent: Header };

/** How long the guard may take to close its sockets when the process ends. */
const CLOSING = 1000;

/**
 * A thread with the control socket, the heartbeat and an eye on the process that started the kernel: they answer also
 * while a cell keeps the kernel's own thread busy, so that a loop can be stopped and no kernel is left behind.
 */
export class ControlThread {
  readonly #flags = new Int32Array(new SharedArrayBuffer(12));
  readonly #thread: Worker;

  constructor(connection: Connection, session: string, on: (event: ControlEvent) => void) {
    const workerData: ControlData = { connection, session, parent: process.ppid, flags: this.#flags };
    this.#thread = new Worker(new URL("./controlWorker.js", import.meta.url), { workerData });
    this.#thread.on("message", on);
    // Without a guard the kernel could neither be stopped nor ended.
    this.#thread.on("error", (error) => {
      process.stderr.write(`The kernel cannot go on: ${escapedLines(error.message)}\n`);
      process.exit((error as NodeJS.ErrnoException).code === "EADDRINUSE" ? PORTS_TAKEN : 1);
    });
    process.on("exit", () => this.#close());
  }

  /** An interrupt has reached the kernel's own thread. */
  notice(): void {
    Atomics.add(this.#flags, Flag.NOTICED, 1);
  }

  set running(running: boolean) {
    Atomics.store(this.#flags, Flag.RUNNING, running ? 1 : 0);
  }

  #close(): void {
    this.#thread.postMessage("close");
    Atomics.wait(this.#flags, Flag.CLOSED, 0, CLOSING);
  }
}
