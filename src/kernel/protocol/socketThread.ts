import { Worker } from "node:worker_threads";
import { escapedLines } from "../../util/text.js";
import type { Connection } from "./connection.js";
import type { KernelMessage, Message } from "./message.js";

/** Indexes of the integers that both threads share. */
export const Flag = {
  /** The number of interrupts that the main thread has handled. */
  HANDLED_INTERRUPTS: 0,
  /** 1 while code of a cell runs. */
  RUNNING: 1,
  /** 1 once everything is sent and the sockets are closed. */
  CLOSED: 2,
} as const;

/** The `workerData` of the thread. */
export interface SocketData {
  /** Undefined for a forked kernel, which has no sockets. */
  readonly connection: Connection | undefined;
  readonly sessionId: string;
  /** Id of the process that started the kernel. */
  readonly parent: number;
  readonly flags: Int32Array;
}

/** Messages from the thread. */
export type SocketEvent =
  | { readonly kind: "request" | "answer"; readonly message: Message }
  | { readonly kind: "interrupt" | "end" };

/** Milliseconds to send the last messages when the process exits: a subscriber that reads nothing would block it forever. */
const CLOSE_TIMEOUT = 1000;

/**
 * A thread that serves all sockets and watches the process that started the kernel. It responds even while a cell blocks the main
 * thread, so that a loop can be interrupted and no kernel is orphaned.
 */
export class SocketThread {
  readonly #flags = new Int32Array(new SharedArrayBuffer(12));
  readonly #thread: Worker;

  constructor(connection: Connection | undefined, sessionId: string, onEvent: (event: SocketEvent) => void) {
    const workerData: SocketData = { connection, sessionId, parent: process.ppid, flags: this.#flags };
    this.#thread = new Worker(new URL("./socketWorker.js", import.meta.url), { workerData });
    this.#thread.on("message", onEvent);
    // Without this thread the kernel could be neither interrupted nor shut down.
    this.#thread.on("error", (error) => {
      process.stderr.write(`The kernel failed: ${escapedLines(error.message)}\n`);
      process.exit(1);
    });
    process.on("exit", () => this.#close());
  }

  send(message: KernelMessage): void {
    this.#thread.postMessage(message);
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
