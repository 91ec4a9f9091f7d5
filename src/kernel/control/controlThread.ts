import { Worker } from "node:worker_threads";
import { escapedLines } from "../../util/quoted.js";
import type { Connection } from "../protocol/connection.js";
import type { Header } from "../protocol/wire.js";

/** Indexes of the integers that both threads share. */
export const Flag = {
  /** The number of interrupts that the main thread has handled. */
  HANDLED_INTERRUPTS: 0,
  /** 1 while code of a cell runs. */
  RUNNING: 1,
  /** 1 once the sockets of the control thread are closed. */
  CLOSED: 2,
} as const;

/** The `workerData` of the control thread. */
export interface ControlData {
  readonly connection: Connection;
  readonly sessionId: string;
  /** Id of the process that started the kernel. */
  readonly parent: number;
  readonly flags: Int32Array;
}

/** Messages from the control thread. */
export type ControlEvent =
  | { readonly kind: "interrupt" }
  | { readonly kind: "end" }
  | { readonly kind: "status"; readonly state: "busy" | "idle"; readonly parent: Header };

/** Milliseconds to close the sockets when the process exits. */
const CLOSE_TIMEOUT = 1000;

/**
 * A thread that serves the control and heartbeat sockets and watches the process that started the kernel. It responds even while
 * a cell blocks the main thread, so that a loop can be interrupted and no kernel is orphaned.
 */
export class ControlThread {
  readonly #flags = new Int32Array(new SharedArrayBuffer(12));
  readonly #thread: Worker;

  constructor(connection: Connection, sessionId: string, onEvent: (event: ControlEvent) => void) {
    const workerData: ControlData = { connection, sessionId, parent: process.ppid, flags: this.#flags };
    this.#thread = new Worker(new URL("./controlWorker.js", import.meta.url), { workerData });
    this.#thread.on("message", onEvent);
    // Without this thread the kernel could be neither interrupted nor shut down.
    this.#thread.on("error", (error) => {
      process.stderr.write(`The kernel must exit: ${escapedLines(error.message)}\n`);
      process.exit(1);
    });
    process.on("exit", () => this.#close());
  }

  acknowledgeInterrupt(): void {
    Atomics.add(this.#flags, Flag.HANDLED_INTERRUPTS, 1);
  }

  set running(running: boolean) {
    Atomics.store(this.#flags, Flag.RUNNING, running ? 1 : 0);
  }

  #close(): void {
    this.#thread.postMessage("close");
    Atomics.wait(this.#flags, Flag.CLOSED, 0, CLOSE_TIMEOUT);
  }
}
