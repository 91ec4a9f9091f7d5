import { randomUUID } from "node:crypto";
import { Dealer, Subscriber } from "zeromq";
import { PORTS_TAKEN } from "../portsTaken.js";
import { endpoint } from "../protocol/connection.js";
import { type Content, type Message, newHeader } from "../protocol/message.js";
import { Outbox } from "../protocol/outbox.js";
import { Wire } from "../protocol/wire.js";
import { type KernelChoice, KernelProcess } from "./kernelProcess.js";
import { KernelError } from "./notebookErrors.js";

/** A request that was sent. */
interface Pending {
  reply: Message | undefined;
  idle: boolean;
  readonly published: (message: Message) => void;
  readonly done: (reply: Message) => void;
}

/** A kernel that has not answered by then never will. */
const STARTING = 60_000;

/** A message that was published before we listened is lost, so the first question is asked again. */
const ASK_AGAIN = 50;

/** While a kernel starts, nobody listens at its ports yet; ZeroMQ would look again in 100 milliseconds. */
const ATTENTIVE = { linger: 0, reconnectInterval: 10 };

/** How long a kernel may take to end in good order. */
const ENDING = 5000;

/** How often other ports are tried where one was taken meanwhile. */
const MAX_STARTS = 5;

/** Speaks with one kernel, as a Jupyter server would. */
export class KernelClient {
  /** What the kernel says of itself. */
  info: Content = {};
  /** Takes what belongs to none of the requests that are open. */
  stray: (message: Message) => void = () => undefined;
  readonly kernel: KernelProcess;
  readonly #interrupt: "message" | "signal";
  readonly #wire: Wire;
  readonly #session = randomUUID();
  readonly #shell = new Dealer(ATTENTIVE);
  readonly #control = new Dealer(ATTENTIVE);
  readonly #iopub = new Subscriber({ receiveHighWaterMark: 0, ...ATTENTIVE });
  readonly #sending = { shell: new Outbox(this.#shell), control: new Outbox(this.#control) };
  readonly #pending = new Map<string, Pending>();

  private constructor(kernel: KernelProcess, interrupt: "message" | "signal") {
    this.kernel = kernel;
    this.#interrupt = interrupt;
    this.#wire = new Wire(kernel.connection);
    this.#shell.connect(endpoint(kernel.connection, "shell"));
    this.#control.connect(endpoint(kernel.connection, "control"));
    this.#iopub.connect(endpoint(kernel.connection, "iopub"));
    this.#iopub.subscribe();
    void this.#listen(this.#shell, (message) => this.#replied(message));
    void this.#listen(this.#control, (message) => this.#replied(message));
    void this.#listen(this.#iopub, (message) => this.#published(message));
  }

  /**
   * Starts a kernel and waits until it answers.
   *
   * @param cwd the folder in which its notebook lies
   * @throws KernelError when it ends, or does not answer within a minute
   */
  static async start(choice: KernelChoice = {}, cwd: string = process.cwd()): Promise<KernelClient> {
    for (let attempt = 1; ; attempt++) {
      const kernel = await KernelProcess.start(choice, cwd);
      const client = new KernelClient(kernel, choice.interrupt ?? (choice.argv === undefined ? "message" : "signal"));
      try {
        client.info = await client.#hello();
        return client;
      } catch (error) {
        await client.close();
        if (kernel.process.exitCode !== PORTS_TAKEN || attempt === MAX_STARTS) throw error;
      }
    }
  }

  /**
   * Sends a request and waits for its reply, and until the kernel has published all that belongs to it.
   *
   * @param published takes that
   * @throws KernelError when the kernel ends meanwhile
   */
  async request(
    type: string,
    content: Content = {},
    published: (message: Message) => void = () => undefined,
    channel: "shell" | "control" = "shell",
  ): Promise<Content> {
    const { done } = this.#send(type, content, published, channel);
    return (await Promise.race([done, this.kernel.died])).content;
  }

  /** Runs code. */
  execute(code: string, published?: (message: Message) => void, more: Content = {}): Promise<Content> {
    const content = { code, silent: false, store_history: true, user_expressions: {}, allow_stdin: false };
    return this.request("execute_request", { ...content, stop_on_error: true, ...more }, published);
  }

  /** Presses the stop button. */
  interrupt(): void {
    if (this.#interrupt === "signal") this.kernel.process.kill("SIGINT");
    else this.#send("interrupt_request", {}, () => undefined, "control");
  }

  /** Ends the kernel, by force if it does not end in good order, and lets go of everything. */
  async close(): Promise<void> {
    const ended = this.kernel.died.catch(() => undefined);
    if (!this.kernel.ended) {
      this.#send("shutdown_request", { restart: false }, () => undefined, "control");
      const force = setTimeout(() => this.kernel.kill(), ENDING);
      await ended;
      clearTimeout(force);
    }
    for (const socket of [this.#shell, this.#control, this.#iopub]) socket.close();
  }

  async #hello(): Promise<Content> {
    let answered: (content: Content) => void = () => undefined;
    const answer = new Promise<Content>((resolve) => {
      answered = resolve;
    });
    const ask = () =>
      void this.#send("kernel_info_request", {}, () => undefined, "shell").done.then(({ content }) =>
        answered(content),
      );
    ask();
    const again = setInterval(ask, ASK_AGAIN);
    let late: NodeJS.Timeout | undefined;
    const timedOut = new Promise<never>((_, reject) => {
      late = setTimeout(() => reject(new KernelError("The kernel does not answer.", "")), STARTING);
    });
    try {
      return await Promise.race([answer, this.kernel.died, timedOut]);
    } finally {
      clearInterval(again);
      clearTimeout(late);
      this.#pending.clear();
    }
  }

  #send(type: string, content: Content, published: (message: Message) => void, channel: "shell" | "control") {
    const header = newHeader(type, this.#session);
    const done = new Promise<Message>((resolve) => {
      this.#pending.set(header.msg_id, { reply: undefined, idle: false, published, done: resolve });
    });
    this.#sending[channel].send(this.#wire.encode({ identities: [], header, parent: {}, metadata: {}, content }));
    return { id: header.msg_id, done };
  }

  #replied(message: Message): void {
    const pending = this.#pending.get(message.parent.msg_id ?? "");
    if (pending === undefined) return;
    pending.reply = message;
    this.#settle(message.parent.msg_id ?? "", pending);
  }

  #published(message: Message): void {
    const id = message.parent.msg_id ?? "";
    const pending = this.#pending.get(id);
    if (pending === undefined) {
      this.stray(message);
      return;
    }
    pending.published(message);
    if (message.header.msg_type === "status" && message.content.execution_state === "idle") pending.idle = true;
    this.#settle(id, pending);
  }

  #settle(id: string, { reply, idle, done }: Pending): void {
    if (reply === undefined || !idle) return;
    this.#pending.delete(id);
    done(reply);
  }

  async #listen(socket: Dealer | Subscriber, take: (message: Message) => void): Promise<void> {
    for await (const frames of socket) {
      const message = this.#wire.decode(frames);
      if (message !== undefined) take(message);
    }
  }
}
