import { type Content, type Header, newHeader } from "../protocol/message.js";
import type { Outbox } from "../protocol/outbox.js";
import type { Frames, Wire } from "../protocol/wire.js";

/** Publishes messages to every subscriber. */
export class Iopub {
  readonly #outbox: Outbox;
  readonly #wire: Wire;
  readonly #session: string;

  constructor(outbox: Outbox, wire: Wire, session: string) {
    this.#outbox = outbox;
    this.#wire = wire;
    this.#session = session;
  }

  publish(type: string, content: Content, parent: Partial<Header>): void {
    this.send(this.frames(type, content, parent));
  }

  /** Encodes a message to be sent later. */
  frames(type: string, content: Content, parent: Partial<Header>): Frames {
    const header = newHeader(type, this.#session);
    return this.#wire.encode({ identities: [Buffer.from(type)], header, parent, metadata: {}, content });
  }

  send(frames: Frames): void {
    this.#outbox.send(frames);
  }

  status(state: "starting" | "busy" | "idle", parent: Partial<Header>): void {
    this.publish("status", { execution_state: state }, parent);
  }
}
