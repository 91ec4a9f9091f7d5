import { Secret } from "../service/http/secret.js";
import type { Content, Message } from "./protocol/wire.js";

/** Sends an `input_request` to the sender of a request, and returns its id. */
export type SendInputRequest = (request: Message, content: Content, onFailure: () => void) => string;

/** Shorter secrets occur in ordinary text. */
const MIN_SECRET = 4;

/** The prompts of cells: the front end that sent the cell shows them one at a time. Answers are passed on and never stored. */
export class Prompts {
  #request: Message | undefined;
  #open: { readonly id: string; readonly resolve: (answer: string) => void } | undefined;
  /** Settles when the latest prompt is closed. */
  #closed: Promise<unknown> = Promise.resolve();
  /** By secret: what removes it from a text. Nothing that was typed may leave the kernel. */
  readonly #redactors = new Map<string, (text: string) => string>();

  constructor(private readonly send: SendInputRequest) {}

  /** Whether the front end of the running cell shows prompts. */
  get isAvailable(): boolean {
    return this.#request?.content.allow_stdin === true;
  }

  begin(request: Message): void {
    this.#request = request;
    this.#closed = Promise.resolve();
  }

  end(): void {
    this.#request = undefined;
    this.#open = undefined;
  }

  /** Asks the user. An interrupt rejects the promise. */
  async ask(prompt: string, signal?: AbortSignal): Promise<string> {
    const request = this.#request;
    if (request === undefined) throw new Error("The cell has ended, so it can no longer prompt.");
    const answer = this.#closed.then(() => this.#ask(request, prompt, signal));
    this.#closed = answer.catch(() => undefined);
    return answer;
  }

  /** An `input_reply` has arrived. Replies to an earlier prompt are ignored; older clients name no prompt. */
  answer({ header, parent, content: { value } }: Message): void {
    const open = this.#open;
    if (open === undefined || header.msg_type !== "input_reply" || typeof value !== "string") return;
    if (parent.msg_id !== undefined && parent.msg_id !== open.id) return;
    const secret = value.trim();
    if (secret.length >= MIN_SECRET) this.#redactors.set(secret, new Secret(secret).redact);
    open.resolve(value);
  }

  /** Replaces every secret, in any encoding, by a mark. */
  redact(text: string): string {
    let redacted = text;
    for (const redact of this.#redactors.values()) redacted = redact(redacted);
    return redacted;
  }

  async #ask(request: Message, prompt: string, signal?: AbortSignal): Promise<string> {
    signal?.throwIfAborted();
    try {
      return await new Promise<string>((resolve, reject) => {
        signal?.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
        const id = this.send(request, { prompt, password: true }, () =>
          reject(new Error("The front end allows prompts, but has not connected its stdin channel.")),
        );
        this.#open = { id, resolve };
      });
    } finally {
      this.#open = undefined;
    }
  }
}
