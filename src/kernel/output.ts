import { randomUUID } from "node:crypto";
import type { OpenDisplay } from "../notebook/display/mimeBundle.js";
import type { Content, Header, Publish } from "./protocol/message.js";

/** Milliseconds for which text and updates of displays are buffered: a message each would exceed the rate limit of a server. */
const DELAY = 50;

/** Longer text is sent immediately. */
const MAX_BUFFERED = 65_536;

/** The output of the running cell. */
export class Output {
  /** The request of the running cell, or of the last one. */
  parent: Partial<Header> = {};
  /** Functions that send the latest update of a display. */
  readonly #updates = new Map<string, () => void>();
  #stream = "";
  #text = "";
  #timer: NodeJS.Timeout | undefined;

  constructor(private readonly send: Publish) {}

  /** Sends a message of the cell, after any buffered text. */
  publish(type: string, content: Content): void {
    this.#sendText();
    this.send(type, content, this.parent);
  }

  text(stream: "stdout" | "stderr", text: string): void {
    if (stream !== this.#stream) this.#sendText();
    this.#stream = stream;
    this.#text += text;
    if (this.#text.length >= MAX_BUFFERED) this.#sendText();
    else this.#flushSoon();
  }

  /** Shows a bundle that can be replaced. */
  readonly display: OpenDisplay = (bundle) => {
    const id = randomUUID();
    const content = (data: Content) => ({ data, metadata: {}, transient: { display_id: id } });
    this.publish("display_data", content(bundle));
    const update = (data: Content) => {
      const { parent } = this;
      this.#updates.set(id, () => this.send("update_display_data", content(data), parent));
      this.#flushSoon();
    };
    return { update };
  };

  /** Sends everything that is buffered. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#sendText();
    const updates = [...this.#updates.values()];
    this.#updates.clear();
    for (const send of updates) send();
  }

  #flushSoon(): void {
    this.#timer ??= setTimeout(() => this.flush(), DELAY);
  }

  #sendText(): void {
    const text = this.#text;
    this.#text = "";
    if (text !== "") this.send("stream", { name: this.#stream, text }, this.parent);
  }
}
