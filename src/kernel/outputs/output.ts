import { randomUUID } from "node:crypto";
import type { OpenDisplay } from "../../notebook/display/mimeBundle.js";
import type { Content, Header } from "../protocol/message.js";
import type { Frames } from "../protocol/wire.js";
import type { Iopub } from "./iopub.js";

/** Text is sent when no more has come for so long; more often is more than a server takes. */
const JOIN = 50;

/** Longer text is sent at once. */
const MUCH = 65_536;

/** An update of a display is sent so long after the one before, and only the last one of them. */
const BETWEEN_UPDATES = 100;

interface Shown {
  sent: number;
  waiting?: { frames: Frames; timer: NodeJS.Timeout };
}

/** What the running cell shows: text, joined; displays, and their updates ten times a second at most. */
export class Output {
  /** The request of the cell that runs, or of the last one. */
  parent: Partial<Header> = {};
  readonly #iopub: Iopub;
  readonly #shown = new Map<string, Shown>();
  #stream = "";
  #text: string[] = [];
  #length = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(iopub: Iopub) {
    this.#iopub = iopub;
  }

  /** Sends a message of the cell, after the text before it. */
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
    if (this.#length >= MUCH) this.#sendText();
    else this.#timer ??= setTimeout(() => this.#sendText(), JOIN);
  }

  /** Shows a bundle, which can be replaced. */
  readonly display: OpenDisplay = (bundle) => {
    const display_id = randomUUID();
    const content = (data: Content) => ({ data, metadata: {}, transient: { display_id } });
    this.publish("display_data", content(bundle));
    this.#shown.set(display_id, { sent: performance.now() });
    return { update: (next) => this.#update(display_id, content(next)) };
  };

  /** Takes away what the cell has shown so far; with `wait` only when the next output comes. */
  readonly clear = (wait = false): void => {
    this.publish("clear_output", { wait });
  };

  /** Sends what still waits. */
  flush(): void {
    this.#sendText();
    for (const [id, shown] of this.#shown) {
      this.#sendUpdate(shown);
      if (performance.now() - shown.sent > BETWEEN_UPDATES) this.#shown.delete(id);
    }
  }

  #update(id: string, content: Content): void {
    const frames = this.#iopub.frames("update_display_data", content, this.parent);
    const shown = this.#shown.get(id) ?? { sent: Number.NEGATIVE_INFINITY };
    this.#shown.set(id, shown);
    if (shown.waiting !== undefined) {
      shown.waiting.frames = frames;
      return;
    }
    const wait = shown.sent + BETWEEN_UPDATES - performance.now();
    shown.waiting = { frames, timer: setTimeout(() => this.#sendUpdate(shown), Math.max(0, wait)) };
    if (wait <= 0) this.#sendUpdate(shown);
  }

  #sendUpdate(shown: Shown): void {
    if (shown.waiting === undefined) return;
    const { frames, timer } = shown.waiting;
    clearTimeout(timer);
    shown.waiting = undefined;
    shown.sent = performance.now();
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
