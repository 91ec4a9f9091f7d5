import { randomUUID } from "node:crypto";
import type { OpenDisplay } from "../../notebook/display/mimeBundle.js";
import type { Outbox } from "../protocol/outbox.js";
import { type Content, type Frames, type Header, newHeader, type Wire } from "../protocol/wire.js";

/** Milliseconds over which text is buffered: a message per write exceeds the rate limit of a server. */
const TEXT_DELAY = 50;

/** Longer text is sent immediately. */
const MAX_BUFFERED = 65_536;

/** Milliseconds between two updates of a display; updates in between are skipped. */
const UPDATE_INTERVAL = 100;

interface DisplayState {
  lastSent: number;
  pending?: { frames: Frames; timer: NodeJS.Timeout };
}

/** The output of the running cell: buffered text, and displays with at most ten updates per second. */
export class Output {
  /** The request of the running cell, or of the last one. */
  parent: Partial<Header> = {};
  readonly #iopub: Iopub;
  readonly #displays = new Map<string, DisplayState>();
  #stream = "";
  #text: string[] = [];
  #length = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(iopub: Iopub) {
    this.#iopub = iopub;
  }

  /** Sends a message of the cell, after any buffered text. */
  publish(type: string, content: Content): void {
    const frames = this.#iopub.frames(type, content, this.parent);
    this.#sendText();
    this.#iopub.send(frames);
  }

  text(stream: "stdout" | "stderr", text: string): void {
    if (text === "") return;
    if (stream !== this.#stream) this.#sendText();
    this.#stream = stream;
    this.#text.push(text);
    this.#length += text.length;
    if (this.#length >= MAX_BUFFERED) this.#sendText();
    else this.#timer ??= setTimeout(() => this.#sendText(), TEXT_DELAY);
  }

  /** Shows a bundle that can be replaced. */
  readonly display: OpenDisplay = (bundle) => {
    const display_id = randomUUID();
    const content = (data: Content) => ({ data, metadata: {}, transient: { display_id } });
    this.publish("display_data", content(bundle));
    this.#displays.set(display_id, { lastSent: performance.now() });
    return { update: (next) => this.#update(display_id, content(next)) };
  };

  /** Clears the output of the cell; with `wait`, only when the next output arrives. */
  readonly clear = (wait = false): void => {
    this.publish("clear_output", { wait });
  };

  /** Sends everything that is buffered. */
  flush(): void {
    this.#sendText();
    for (const [id, state] of this.#displays) {
      this.#sendUpdate(state);
      if (performance.now() - state.lastSent > UPDATE_INTERVAL) this.#displays.delete(id);
    }
  }

  #update(id: string, content: Content): void {
    const frames = this.#iopub.frames("update_display_data", content, this.parent);
    const state = this.#displays.get(id) ?? { lastSent: Number.NEGATIVE_INFINITY };
    this.#displays.set(id, state);
    if (state.pending !== undefined) {
      state.pending.frames = frames;
      return;
    }
    const wait = state.lastSent + UPDATE_INTERVAL - performance.now();
    state.pending = { frames, timer: setTimeout(() => this.#sendUpdate(state), Math.max(0, wait)) };
    if (wait <= 0) this.#sendUpdate(state);
  }

  #sendUpdate(state: DisplayState): void {
    if (state.pending === undefined) return;
    const { frames, timer } = state.pending;
    clearTimeout(timer);
    state.pending = undefined;
    state.lastSent = performance.now();
    this.#sendText();
    this.#iopub.send(frames);
  }

  #sendText(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const text = this.#text.join("");
    this.#text = [];
    this.#length = 0;
    if (text !== "") this.#iopub.publish("stream", { name: this.#stream, text }, this.parent);
  }
}

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
