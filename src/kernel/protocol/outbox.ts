import { setTimeout as pause } from "node:timers/promises";
import type { Frames } from "./wire.js";

/** The part of a socket that an {@link Outbox} needs. */
export interface SendingSocket {
  send(frames: Frames): Promise<void>;
  /** Of a publisher: a message is refused with EAGAIN while a subscriber has no room for it. */
  noDrop?: boolean;
}

/** How often a message that was refused is tried again, in milliseconds. */
const AGAIN = 5;

/** A subscriber that takes nothing for so long does not read: it is no longer waited for until it does. */
const STALLED = 10_000;

/** The same where so many bytes wait. */
const STALLED_AT_MUCH = 2000;
const MUCH = 64 * 2 ** 20;

/**
 * Sends messages one after the other: a socket of ZeroMQ refuses a second one while the first still waits.
 *
 * Of a publisher it waits for subscribers that read, so that they lose nothing however much comes at once, and lets go of those
 * that do not: one message is sent without waiting, and ZeroMQ leaves a subscriber without room for it out until it has read
 * what it has.
 */
export class Outbox {
  readonly #socket: SendingSocket;
  readonly #stalled: number;
  #waiting: Frames[] = [];
  /** Where the first message is that waits. */
  #head = 0;
  #bytes = 0;
  #pump: object | undefined;
  /** The next message does not wait for those without room. */
  #dropping = false;
  /** Since when nothing could be sent. */
  #refusedSince: number | undefined;

  /** @param stalled for how many milliseconds a subscriber that takes nothing is waited for; tests have less time */
  constructor(socket: SendingSocket, stalled: number = STALLED) {
    this.#socket = socket;
    this.#stalled = stalled;
  }

  send(frames: Frames): void {
    this.#waiting.push(frames);
    this.#bytes += sizeOf(frames);
    if (this.#pump === undefined) this.revive();
  }

  /** Sends what waits. Stopping a loop of the user throws all pending promise reactions away, ours among them. */
  revive(): void {
    const pump = {};
    this.#pump = pump;
    void this.#send(pump);
  }

  /** Resolves when everything is handed over, or after so many milliseconds. */
  async flushed(most: number): Promise<void> {
    const end = performance.now() + most;
    while (this.#pump !== undefined && performance.now() < end) await new Promise(setImmediate);
  }

  async #send(pump: object): Promise<void> {
    while (this.#pump === pump) {
      // Taken before it is sent, so that a revived pump sends nothing twice.
      const frames = this.#take();
      if (frames === undefined) {
        this.#pump = undefined;
        return;
      }
      const refused = await this.#socket.send(frames).then(() => false, isFull);
      if (refused) {
        this.#putBack(frames);
        await this.#wait();
      } else {
        this.#refusedSince = undefined;
        if (this.#dropping) this.#drop(false);
      }
    }
  }

  /** Waits a moment; after a long time the next message is sent to those who have room for it. */
  async #wait(): Promise<void> {
    this.#refusedSince ??= performance.now();
    const most = this.#bytes > MUCH ? Math.min(STALLED_AT_MUCH, this.#stalled) : this.#stalled;
    if (performance.now() - this.#refusedSince > most) this.#drop(true);
    else await pause(AGAIN);
  }

  #drop(dropping: boolean): void {
    this.#dropping = dropping;
    // It cannot be read.
    this.#socket.noDrop = !dropping;
  }

  #take(): Frames | undefined {
    const frames = this.#waiting[this.#head];
    if (frames === undefined) return undefined;
    this.#head += 1;
    this.#bytes -= sizeOf(frames);
    // Now and then, as moving what is left takes as long as it is.
    if (this.#head === this.#waiting.length || this.#head > 1000 + this.#waiting.length / 2) {
      this.#waiting = this.#waiting.slice(this.#head);
      this.#head = 0;
    }
    return frames;
  }

  #putBack(frames: Frames): void {
    if (this.#head === 0) this.#waiting.unshift(frames);
    else this.#waiting[--this.#head] = frames;
    this.#bytes += sizeOf(frames);
  }
}

function sizeOf(frames: Frames): number {
  return frames.reduce((sum, frame) => sum + frame.length, 0);
}

/** Any other failure is of a closed socket, which has no one to tell. */
function isFull(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === "EAGAIN";
}
