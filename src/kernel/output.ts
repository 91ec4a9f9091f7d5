import { randomUUID } from "node:crypto";
import type { OpenDisplay } from "../notebook/display/mimeBundle.js";
import type { Outbox } from "./protocol/outbox.js";
import { type Content, type Frames, type Header, newHeader, type Wire } from "./protocol/wire.js";

/** Milliseconds for which text is buffered: a message per write would exceed the rate limit of a server. */
const TEXT_DELAY = 50;

/** Longer text is sent immediately. */
const MAX_BUFFERED = 65_536;

/** Milliseconds between two updates of a display; updates in between are skipped. */
const UPDATE_INTERVAL = 100;

/** The output of the running cell: buffered text, and displays with at most ten updates per second. */
export class Output {
  /** The request of the running cell, or of the last one. */
  parent: Partial<Header> = {};
  /** Functions that send the pending updates. */
  readonly #waiting = new Set<() => void>();
  #stream = "";
  #text = "";
  #timer: NodeJS.Timeout | undefined;

  constructor(private readonly iopub: Iopub) {}

  /** Sends a message of the cell, after any buffered text. */
  publish(type: string, content: Content): void {
    this.#send(this.iopub.frames(type, content, this.parent));
  }

  text(stream: "stdout" | "stderr", text: string): void {
    if (stream !== this.#stream) this.#sendText();
    this.#stream = stream;
    this.#text += text;
    if (this.#text.length >= MAX_BUFFERED) this.#sendText();
    else this.#timer ??= setTimeout(() => this.#sendText(), TEXT_DELAY);
  }

  /** Shows a bundle that can be replaced. */
  readonly display: OpenDisplay = (bundle) => {
    const transient = { display_id: randomUUID() };
    this.publish("display_data", { data: bundle, metadata: {}, transient });
    let lastSent = performance.now();
    let next: Frames;
    let timer: NodeJS.Timeout | undefined;
    const send = () => {
      clearTimeout(timer);
      timer = undefined;
      this.#waiting.delete(send);
      lastSent = performance.now();
      this.#send(next);
    };
    const update = (data: Content) => {
      next = this.iopub.frames("update_display_data", { data, metadata: {}, transient }, this.parent);
      if (timer !== undefined) return;
      const wait = lastSent + UPDATE_INTERVAL - performance.now();
      if (wait <= 0) return send();
      this.#waiting.add(send);
      timer = setTimeout(send, wait);
    };
    return { update };
  };

  /** Sends everything that is buffered. */
  flush(): void {
    this.#sendText();
    for (const send of this.#waiting) send();
  }

  #send(frames: Frames): void {
    this.#sendText();
    this.iopub.send(frames);
  }

  #sendText(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const text = this.#text;
    this.#text = "";
    if (text !== "") this.iopub.publish("stream", { name: this.#stream, text }, this.parent);
  }
}

/** Publishes messages to every subscriber. */
export class Iopub {
  constructor(
    private readonly outbox: Outbox,
    private readonly wire: Wire,
    private readonly session: string,
  ) {}

  publish(type: string, content: Content, parent: Partial<Header>): void {
    this.send(this.frames(type, content, parent));
  }

  /** Encodes a message to be sent later. */
  frames(type: string, content: Content, parent: Partial<Header>): Frames {
    const header = newHeader(type, this.session);
    return this.wire.encode({ identities: [Buffer.from(type)], header, parent, metadata: {}, content });
  }

  send(frames: Frames): void {
    this.outbox.send(frames);
  }

  status(state: "starting" | "busy" | "idle", parent: Partial<Header>): void {
    this.publish("status", { execution_state: state }, parent);
  }
}
