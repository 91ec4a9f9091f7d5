import type { Frames } from "./wire.js";

/** Sends messages one at a time: a ZeroMQ socket rejects a second `send` while the first is pending. */
export class Outbox {
  /** Settles when everything so far was handed to ZeroMQ. */
  flushed: Promise<unknown> = Promise.resolve();

  constructor(private readonly socket: { send(frames: Frames): Promise<void> }) {}

  /** Rejects if the socket is closed, or a router does not know the recipient. */
  send(frames: Frames): Promise<void> {
    const sent = this.flushed.then(() => this.socket.send(frames));
    this.flushed = sent.catch(() => undefined);
    return sent;
  }
}
