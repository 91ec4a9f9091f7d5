import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { Dealer, Subscriber } from "zeromq";
import { EXIT_PORT_TAKEN, endpoint } from "../protocol/connection.js";
import { Outbox } from "../protocol/outbox.js";
import { type Content, type Message, newHeader, Wire } from "../protocol/wire.js";

import { type KernelLaunchOptions, KernelProcess } from "./kernelProcess.js";
import { KernelError } from "./notebookErrors.js";

/** A request that awaits its reply. */
interface Pending {
  reply: Message | undefined;
  idle: boolean;
  readonly onPublished: (message: Message) => void;
  readonly resolve: (reply: Message) => void;
}

/** Milliseconds until a kernel must have responded. */
const START_TIMEOUT = 60_000;

/** Milliseconds until the next `kernel_info` request: messages published before the subscription is active are lost. */
const HELLO_INTERVAL = 50;

/** Number of these intervals after which a request without a reply is sent again. */
const HELLO_PATIENCE = 20;

/** A starting kernel does not listen yet; by default ZeroMQ would reconnect only every 100 milliseconds. */
const SOCKET_OPTIONS = { linger: 0, reconnectInterval: 10 };

/** Milliseconds until a kernel must have shut down; after that it is killed. */
const SHUTDOWN_TIMEOUT = 5000;

/** Number of attempts with new ports, in case one is taken in between. */
const MAX_STARTS = 5;

/** A client of one kernel, like a Jupyter server. */
export class KernelClient {
  /** The content of `kernel_info_reply`. */
  info: Content = {};
  /** Receives published messages that belong to no pending request. */
  onStray: (message: Message) => void = () => undefined;
  readonly kernel: KernelProcess;
  readonly #wire: Wire;
  readonly #session = randomUUID();
  readonly #shell = new Dealer(SOCKET_OPTIONS);
  readonly #control = new Dealer(SOCKET_OPTIONS);
  readonly #iopub = new Subscriber({ receiveHighWaterMark: 0, ...SOCKET_OPTIONS });
  readonly #sending = { shell: new Outbox(this.#shell), control: new Outbox(this.#control) };
  readonly #pending = new Map<string, Pending>();

  private constructor(kernel: KernelProcess) {
    this.kernel = kernel;
    this.#wire = new Wire(kernel.connection);
    this.#shell.connect(endpoint(kernel.connection, "shell"));
    this.#control.connect(endpoint(kernel.connection, "control"));
    this.#iopub.connect(endpoint(kernel.connection, "iopub"));
    this.#iopub.subscribe();
    void this.#listen(this.#shell, (message) => this.#onReply(message));
    void this.#listen(this.#control, (message) => this.#onReply(message));
    void this.#listen(this.#iopub, (message) => this.#onPublished(message));
  }

  /**
   * Starts a kernel and waits until it responds.
   *
   * @param cwd the working directory
   * @throws KernelError if it exits or does not respond within a minute
   */
  static async start(options: KernelLaunchOptions = {}, cwd: string = process.cwd()): Promise<KernelClient> {
    for (let attempt = 1; ; attempt++) {
      const kernel = await KernelProcess.start(options, cwd);
      const client = new KernelClient(kernel);
      try {
        client.info = await client.#hello();
        return client;
      } catch (error) {
        await client.close();
        if (kernel.process.exitCode !== EXIT_PORT_TAKEN || attempt === MAX_STARTS) throw error;
      }
    }
  }

  /**
   * Sends a request and waits for its reply and for everything that the kernel publishes about it.
   *
   * @param onPublished receives the published messages
   * @throws KernelError if the kernel exits meanwhile
   */
  async request(
    type: string,
    content: Content = {},
    onPublished: (message: Message) => void = () => undefined,
    channel: "shell" | "control" = "shell",
  ): Promise<Content> {
    const { done } = this.#send(type, content, onPublished, channel);
    return (await Promise.race([done, this.kernel.exited])).content;
  }

  /** Executes code. */
  execute(code: string, onPublished?: (message: Message) => void, more: Content = {}): Promise<Content> {
    const content = { code, silent: false, store_history: true, user_expressions: {}, allow_stdin: false };
    return this.request("execute_request", { ...content, stop_on_error: true, ...more }, onPublished);
  }

  /** Interrupts the running cell. */
  interrupt(): void {
    this.#send("interrupt_request", {}, () => undefined, "control");
  }

  /** Shuts the kernel down, kills it if necessary, and closes the sockets. */
  async close(): Promise<void> {
    const exited = this.kernel.exited.catch(() => undefined);
    if (!this.kernel.hasExited) {
      this.#send("shutdown_request", { restart: false }, () => undefined, "control");
      const killTimer = setTimeout(() => this.kernel.kill(), SHUTDOWN_TIMEOUT);
      await exited;
      clearTimeout(killTimer);
    }
    for (const socket of [this.#shell, this.#control, this.#iopub]) socket.close();
  }

  async #hello(): Promise<Content> {
    const replies: Array<Promise<Message>> = [];
    let id: string | undefined;
    try {
      for (let tick = 0; tick < START_TIMEOUT / HELLO_INTERVAL; tick++) {
        // A kernel that starts slowly would reply to dozens at once, and stock tslab loses messages then.
        if (tick % HELLO_PATIENCE === 0 || this.#pending.get(id ?? "")?.reply !== undefined) {
          const sent = this.#send("kernel_info_request", {}, () => undefined, "shell");
          replies.push(sent.done);
          id = sent.id;
        }
        const reply = await Promise.race([...replies, this.kernel.exited, pause(HELLO_INTERVAL)]);
        if (reply !== undefined) return reply.content;
      }
    } finally {
      this.#pending.clear();
    }
    throw new KernelError(`The kernel did not respond within ${START_TIMEOUT / 1000} seconds.`);
  }

  #send(type: string, content: Content, onPublished: (message: Message) => void, channel: "shell" | "control") {
    const header = newHeader(type, this.#session);
    const done = new Promise<Message>((resolve) => {
      this.#pending.set(header.msg_id, { reply: undefined, idle: false, onPublished, resolve });
    });
    this.#sending[channel].send(this.#wire.encode({ identities: [], header, parent: {}, metadata: {}, content }));
    return { id: header.msg_id, done };
  }

  #onReply(message: Message): void {
    const pending = this.#pending.get(message.parent.msg_id ?? "");
    if (pending === undefined) return;
    pending.reply = message;
    this.#settle(message.parent.msg_id ?? "", pending);
  }

  #onPublished(message: Message): void {
    const id = message.parent.msg_id ?? "";
    const pending = this.#pending.get(id);
    if (pending === undefined) {
      this.onStray(message);
      return;
    }
    pending.onPublished(message);
    if (message.header.msg_type === "status" && message.content.execution_state === "idle") pending.idle = true;
    this.#settle(id, pending);
  }

  #settle(id: string, { reply, idle, resolve }: Pending): void {
    if (reply === undefined || !idle) return;
    this.#pending.delete(id);
    resolve(reply);
  }

  async #listen(socket: Dealer | Subscriber, onMessage: (message: Message) => void): Promise<void> {
    for await (const frames of socket) {
      const message = this.#wire.decode(frames);
      if (message !== undefined) onMessage(message);
    }
  }
}
