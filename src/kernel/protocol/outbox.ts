import { setTimeout as pause } from "node:timers/promises";
import type { Frames } from "./wire.js";

/** The part of a socket that an {@link Outbox} needs. */
interface SendingSocket {
  send(frames: Frames): Promise<void>;
  /** Publisher only: `send` rejects with EAGAIN while the queue of any subscriber is full. */
  noDrop?: boolean;
}

const RETRY_DELAY = 5;

/** Milliseconds after which a subscriber that reads nothing counts as stalled and is no longer waited for. */
const STALL_TIMEOUT = 5000;

/**
 * Sends messages one at a time: a ZeroMQ socket rejects a second `send` while the first is pending.
 *
 * A publisher waits for slow subscribers, so that they lose nothing in a burst, and gives up on stalled ones: it sends one message
 * without `noDrop`, and ZeroMQ skips subscribers until they read again.
 */
export class Outbox {
  readonly #queue: Frames[] = [];
  #pump: object | undefined;
  /** The next message skips subscribers whose queue is full. */
  #dropping = false;
  /** When the first attempt was rejected, since the last success. */
  #rejectedSince: number | undefined;

  /** @param stallTimeout milliseconds to wait for a subscriber that reads nothing; tests shorten it */
  constructor(
    private readonly socket: SendingSocket,
    private readonly stallTimeout: number = STALL_TIMEOUT,
  ) {}

  send(frames: Frames): void {
    this.#queue.push(frames);
    if (this.#pump === undefined) this.restart();
  }

  /** Starts sending again: terminating a cell discards all pending promise reactions, including ours. */
  restart(): void {
    const pump = {};
    this.#pump = pump;
    void this.#send(pump);
  }

  /** Resolves when everything was handed to ZeroMQ, or after `timeout` milliseconds. */
  async flushed(timeout: number): Promise<void> {
    const end = performance.now() + timeout;
    while (this.#pump !== undefined && performance.now() < end) await new Promise(setImmediate);
  }

  async #send(pump: object): Promise<void> {
    while (this.#pump === pump) {
      // Dequeued before it is sent, so that a restart sends nothing twice.
      const frames = this.#queue.shift();
      if (frames === undefined) {
        this.#pump = undefined;
        return;
      }
      // Any other error means that the socket is closed: there is nobody left to send to.
      const isFull = (error: NodeJS.ErrnoException) => error.code === "EAGAIN";
      const rejected = await this.socket.send(frames).then(() => false, isFull);
      if (!rejected) {
        this.#rejectedSince = undefined;
        if (this.#dropping) this.#drop(false);
        continue;
      }
      this.#queue.unshift(frames);
      this.#rejectedSince ??= performance.now();
      if (performance.now() - this.#rejectedSince > this.stallTimeout) this.#drop(true);
      else await pause(RETRY_DELAY);
    }
  }

  #drop(dropping: boolean): void {
    this.#dropping = dropping;
    // `noDrop` is write-only.
    this.socket.noDrop = !dropping;
  }
}
