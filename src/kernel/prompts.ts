import { KEY_VARIABLES, Secret } from "../service/http/secret.js";
import type { Content, Message } from "./protocol/message.js";

/** Sends an `input_request` to the sender of a request, and returns its id. */
export type SendPrompt = (request: Message, content: Content) => string;

/** Shorter secrets occur in ordinary text. */
const MIN_SECRET = 4;

/** The prompts of cells: the front end that sent the cell shows them. Answers are passed on and never stored. */
export class Prompts {
  #request: Message | undefined;
  #open: { readonly id: string; resolve(answer: string): void } | undefined;
  /** By secret: what removes it from a text. Neither the key nor what was typed may leave the kernel. */
  readonly #redactors = new Map<string, (text: string) => string>();

  constructor(private readonly send: SendPrompt) {
    for (const name of KEY_VARIABLES) this.#addSecret(process.env[name]);
  }

  /** Whether the front end of the running cell shows prompts. */
  get isAvailable(): boolean {
    return this.#request?.content.allow_stdin === true;
  }

  /** The request of the running cell; undefined when it has ended. */
  set request(request: Message | undefined) {
    this.#request = request;
    this.#open = undefined;
  }

  /** Asks the user. An interrupt rejects the promise. */
  async ask(prompt: string, signal?: AbortSignal): Promise<string> {
    signal?.throwIfAborted();
    const request = this.#request;
    if (request === undefined) throw new Error("The cell has ended, so it can no longer prompt.");
    if (this.#open !== undefined) throw new Error("Another prompt is open. Await its answer first.");
    return new Promise<string>((resolve, reject) => {
      signal?.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
      this.#open = { id: this.send(request, { prompt, password: true }), resolve };
    });
  }

  /** An `input_reply` has arrived. Replies to an earlier prompt are ignored; older clients name no prompt. */
  answer({ header, parent, content: { value } }: Message): void {
    const open = this.#open;
    if (open === undefined || header.msg_type !== "input_reply" || typeof value !== "string") return;
    if (parent.msg_id !== undefined && parent.msg_id !== open.id) return;
    this.#open = undefined;
    this.#addSecret(value);
    open.resolve(value);
  }

  #addSecret(value = ""): void {
    const secret = value.trim();
    if (secret.length >= MIN_SECRET) this.#redactors.set(secret, new Secret(secret).redact);
  }

  /** Replaces every secret, in any encoding, by a mark. */
  redact(text: string): string {
    return [...this.#redactors.values()].reduce((rest, redact) => redact(rest), text);
  }
}
