import type { InputRequest } from "../call/notebookHost.js";
import { createRedactor } from "../service/http/secret.js";
import type { Content, Message } from "./protocol/wire.js";

/** What {@link Prompts} work with. */
export interface PromptContext {
  readonly secrets: Secrets;
  /** Sends an `input_request` to the sender of a request, and returns its id. */
  send(request: Message, content: Content): string;
}

/** The prompt that is on screen. */
interface OpenPrompt {
  readonly id: string;
  readonly request: Message;
  readonly isSecret: boolean;
  readonly resolve: (answer: string) => void;
  readonly reject: (error: Error) => void;
}

/** The prompts of cells: the front end that sent the cell shows them one at a time. Answers are passed on and never stored. */
export class Prompts {
  readonly #context: PromptContext;
  #request: Message | undefined;
  #open: OpenPrompt | undefined;
  /** Settles when the latest prompt is closed. */
  #closed: Promise<unknown> = Promise.resolve();

  constructor(context: PromptContext) {
    this.#context = context;
  }

  /** Whether the front end of the running cell shows prompts. */
  get isAvailable(): boolean {
    return this.#request?.content.allow_stdin === true;
  }

  /** A cell starts. */
  begin(request: Message): void {
    this.#request = request;
    this.#closed = Promise.resolve();
  }

  /** The cell has ended: nobody waits for an answer any longer. */
  end(): void {
    this.#request = undefined;
    this.#open = undefined;
  }

  /** Asks the user. An interrupt rejects the promise. */
  ask(input: InputRequest, signal?: AbortSignal): Promise<string> {
    const request = this.#request;
    if (request === undefined) return Promise.reject(new Error("The cell has ended, so it cannot prompt any longer."));
    const answer = this.#closed.then(() => this.#ask(request, input, signal));
    this.#closed = answer.catch(() => undefined);
    return answer;
  }

  /** An `input_reply` has arrived. Replies to an earlier prompt are ignored. */
  answer({ identities, parent, content }: Message): void {
    const open = this.#open;
    if (open === undefined || typeof content.value !== "string") return;
    // Older clients name no parent.
    if (parent.msg_id !== undefined && parent.msg_id !== open.id) return;
    const [sender, asked] = [identities.at(-1), open.request.identities.at(-1)];
    if (sender === undefined || asked === undefined || Buffer.compare(sender, asked) !== 0) return;
    if (open.isSecret) this.#context.secrets.add(content.value);
    open.resolve(content.value);
  }

  /** The front end has no stdin channel. */
  fail(): void {
    this.#open?.reject(new Error("The front end allows prompts, but has not connected its stdin channel."));
  }

  async #ask(request: Message, { prompt, password }: InputRequest, signal?: AbortSignal): Promise<string> {
    signal?.throwIfAborted();
    let onAbort: () => void = () => undefined;
    try {
      return await new Promise<string>((resolve, reject) => {
        onAbort = () => reject(signal?.reason as Error);
        signal?.addEventListener("abort", onAbort, { once: true });
        const id = this.#context.send(request, { prompt, password });
        this.#open = { id, request, isSecret: password, resolve, reject };
      });
    } finally {
      signal?.removeEventListener("abort", onAbort);
      this.#open = undefined;
    }
  }
}

/** Shorter secrets occur in ordinary text. */
const MIN_LENGTH = 4;

/** What the user has typed into hidden prompts. None of it may leave the kernel. */
export class Secrets {
  readonly #redactors = new Map<string, (text: string) => string>();

  add(secret: string): void {
    const text = secret.trim();
    if (text.length < MIN_LENGTH || this.#redactors.has(text)) return;
    this.#redactors.set(text, createRedactor(text));
  }

  /** Replaces every secret, in any encoding, by a mark. */
  readonly redact = (text: string): string => {
    let redacted = text;
    for (const redact of this.#redactors.values()) redacted = redact(redacted);
    return redacted;
  };
}
