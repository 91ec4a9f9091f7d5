import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Dealer, Subscriber } from "zeromq";
import { removeTemporaryDirectory, temporaryDirectory } from "../../src/fs/temporaryDirectory.js";
import { NODE_OPTION } from "../../src/kernel/kernelSpec.js";
import { type Connection, endpoint } from "../../src/kernel/protocol/connection.js";
import { type Content, encoded, type Message, newHeader } from "../../src/kernel/protocol/message.js";
import { Wire } from "../../src/kernel/protocol/wire.js";

/** The entry of the built kernel. */
export const ENTRY = fileURLToPath(new URL("../../dist/kernel/main.js", import.meta.url));

interface Pending {
  reply?: Content;
  isIdle?: boolean;
  readonly onPublished: (message: Message) => void;
  readonly resolve: (reply: Content) => void;
}

/** A small Jupyter client of one kernel, over TCP. */
export class KernelClient {
  /** Receives published messages that belong to no pending request. */
  onStray: (message: Message) => void = () => undefined;
  readonly #wire: Wire;
  readonly #pending = new Map<string, Pending>();
  readonly #shell = new Dealer({ linger: 0 });
  readonly #control = new Dealer({ linger: 0 });
  readonly #iopub = new Subscriber({ receiveHighWaterMark: 0, linger: 0 });
  readonly #sent = { shell: Promise.resolve(), control: Promise.resolve() };

  private constructor(
    readonly process: ChildProcess,
    readonly connection: Connection,
  ) {
    this.#wire = new Wire(connection);
    this.#iopub.subscribe();
    const sockets = { shell: this.#shell, control: this.#control, iopub: this.#iopub };
    for (const [channel, socket] of Object.entries(sockets)) {
      socket.connect(endpoint(connection, channel as keyof typeof sockets));
      void this.#listen(socket, channel === "iopub");
    }
  }

  /** Starts the built kernel and waits until it publishes. */
  static async start(cwd: string, env: NodeJS.ProcessEnv = {}): Promise<KernelClient> {
    const directory = temporaryDirectory(cwd);
    const [shell_port = 0, iopub_port = 0, stdin_port = 0, control_port = 0, hb_port = 0] = await freePorts(5);
    const ports = { shell_port, iopub_port, stdin_port, control_port, hb_port };
    const connection: Connection = {
      ...{ transport: "tcp", ip: "127.0.0.1", key: randomUUID(), signature_scheme: "hmac-sha256" },
      ...ports,
    };
    const file = join(directory, "connection.json");
    writeFileSync(file, JSON.stringify(connection), { mode: 0o600 });
    const kernel = spawn(process.execPath, [NODE_OPTION, ENTRY, file], {
      cwd,
      env: { ...process.env, ...env },
      stdio: ["ignore", "ignore", "inherit"],
      detached: true,
    });
    const client = new KernelClient(kernel, connection);
    const kill = () => client.kill();
    process.once("exit", kill);
    kernel.once("exit", () => process.off("exit", kill));
    let isReady = false;
    // What a kernel publishes before the subscription is active is lost.
    while (!isReady) {
      const ready = client.request("kernel_info_request").then(() => true);
      isReady = await Promise.race([ready, pause(100, false)]);
      if (client.hasExited) throw new Error(`The kernel exited with code ${kernel.exitCode}.`);
    }
    removeTemporaryDirectory(directory);
    return client;
  }

  get hasExited(): boolean {
    return this.process.exitCode !== null || this.process.signalCode !== null;
  }

  /** Sends a request; resolves when its reply and its idle have come. */
  request(
    type: string,
    content: Content = {},
    onPublished: (message: Message) => void = () => undefined,
    channel: "shell" | "control" = "shell",
  ): Promise<Content> {
    const header = newHeader(type, "test");
    const { parts } = encoded(channel, { identities: [], header, parent: {}, content });
    const frames = this.#wire.encode([], parts);
    const socket = channel === "shell" ? this.#shell : this.#control;
    return new Promise((resolve) => {
      this.#pending.set(header.msg_id, { onPublished, resolve });
      this.#sent[channel] = this.#sent[channel].then(() => socket.send(frames)).catch(() => undefined);
    });
  }

  execute(code: string, onPublished?: (message: Message) => void, more: Content = {}): Promise<Content> {
    const content = { code, silent: false, store_history: true, allow_stdin: false, stop_on_error: true, ...more };
    return this.request("execute_request", content, onPublished);
  }

  interrupt(): Promise<Content> {
    return this.request("interrupt_request", {}, undefined, "control");
  }

  /** Kills the kernel with the processes that its cells have started. */
  kill(): void {
    try {
      process.kill(-(this.process.pid as number), "SIGKILL");
    } catch {
      // It has exited.
    }
  }

  async close(): Promise<void> {
    if (!this.hasExited) {
      void this.request("shutdown_request", { restart: false }, undefined, "control");
      await once(this.process, "exit");
    }
    this.kill();
    for (const socket of [this.#shell, this.#control, this.#iopub]) socket.close();
  }

  async #listen(socket: Dealer | Subscriber, isPublished: boolean): Promise<void> {
    for await (const frames of socket) {
      const message = this.#wire.decode(frames);
      if (message !== undefined) this.#receive(message, isPublished);
    }
  }

  #receive(message: Message, isPublished: boolean): void {
    const id = message.parent.msg_id ?? "";
    const pending = this.#pending.get(id);
    if (pending === undefined) {
      if (isPublished) this.onStray(message);
      return;
    }
    if (isPublished) pending.onPublished(message);
    else pending.reply = message.content;
    pending.isIdle ||= isPublished && message.content.execution_state === "idle";
    if (pending.reply === undefined || !pending.isIdle) return;
    this.#pending.delete(id);
    pending.resolve(pending.reply);
  }
}

async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, "127.0.0.1"));
  await Promise.all(servers.map((server) => once(server, "listening")));
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => once(server.close(), "close")));
  return ports;
}
