import type { Frames } from "./wire.js";

/** The part of a socket that an {@link Outbox} needs. */
export interface SendingSocket {
  send(frames: Frames): Promise<void>;
}

/** Sends messages one after the other: a socket of ZeroMQ refuses a second one while the first still waits. */
export class Outbox {
  readonly #socket: SendingSocket;
  readonly #waiting: Frames[] = [];
  #pump: object | undefined;

  constructor(socket: SendingSocket) {
    this.#socket = socket;
  }

  send(frames: Frames): void {
    this.#waiting.push(frames);
    if (this.#pump === undefined) this.revive();
  }

  /** Sends what waits. Stopping a loop of the user throws all pending promise reactions away, ours among them. */
  revive(): void {
    const pump = {};
    this.#pump = pump;
    void this.#send(pump);
  }

  /** Resolves when everything is handed over. */
  async flushed(): Promise<void> {
    while (this.#pump !== undefined) await new Promise(setImmediate);
  }

  async #send(pump: object): Promise<void> {
    while (this.#pump === pump) {
      // Taken before it is sent, so that a revived pump sends nothing twice.
      const frames = this.#waiting.shift();
      if (frames === undefined) {
        this.#pump = undefined;
        return;
      }
      // A closed socket has no one to tell.
      await this.#socket.send(frames).catch(() => undefined);
    }
  }
}
