import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { EventEmitter, once } from "node:events";
import { mkdtempSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { stripVTControlCharacters } from "node:util";
import { expect } from "vitest";
import { Dealer, Request, Subscriber } from "zeromq";
import { removeTemporaryDirectory, temporaryDirectory } from "../../src/fs/directories.js";
import { installSpec, NODE_OPTION } from "../../src/kernel/kernelSpec.js";
import { type Channel, type Connection, endpoint } from "../../src/kernel/protocol/connection.js";
import {
  type Content,
  encodeMessage,
  type Frames,
  type Message,
  newHeader,
  Wire,
} from "../../src/kernel/protocol/message.js";

export { type Channel, type Content, encodeMessage, endpoint, type Frames, installSpec, type Message, newHeader, Wire };

/** The entry of the built kernel. */
export const ENTRY = fileURLToPath(new URL("../../dist/kernel/main.js", import.meta.url));

type CellError = { ename: string; evalue: string; traceback: string[] };

/** A request to a kernel, often to run a cell, and what has come back for it. */
class KernelRequest {
  /** Everything published for it, in order. */
  readonly messages: Message[] = [];
  reply: Content = {};
  readonly #arrivals = new EventEmitter();
  /** Resolves when its reply and its idle have come. */
  readonly done: Promise<KernelRequest> = this.#until(
    () => this.status !== undefined && this.messages.some(({ content }) => content.execution_state === "idle"),
  ).then(() => this);

  get status(): unknown {
    return this.reply.status;
  }

  /** The MIME bundle of its value. */
  get value(): Record<string, string> | undefined {
    return this.of("execute_result")[0]?.data as Record<string, string> | undefined;
  }

  get error(): CellError | undefined {
    return this.of("error")[0] as CellError | undefined;
  }

  /** The contents of the messages of one type. */
  readonly of = (type: string): Content[] =>
    this.messages.filter(({ header }) => header.msg_type === type).map(({ content }) => content);

  /** Its output on a standard stream. */
  readonly text = (stream: "stdout" | "stderr"): string => {
    const parts = this.of("stream").filter(({ name }) => name === stream);
    return parts.map(({ text }) => text).join("");
  };

  receive(message: Message, isPublished: boolean): void {
    if (isPublished) this.messages.push(message);
    else this.reply = message.content;
    this.#arrivals.emit("message");
  }

  /** Resolves when a display or an output contains a text. */
  shown(text: string): Promise<void> {
    return this.#until(() =>
      this.messages.some(({ content }) => content.code === undefined && JSON.stringify(content).includes(text)),
    );
  }

  async #until(isReached: () => boolean): Promise<void> {
    while (!isReached()) await once(this.#arrivals, "message");
  }
}

/** The built kernel in a process of its own, and a small Jupyter client of it, over TCP. */
export class KernelClient {
  process!: ChildProcess;
  connection!: Connection;
  readonly #pending = new Map<string, KernelRequest>();
  readonly #sockets = {
    shell: new Dealer({ linger: 0 }),
    control: new Dealer({ linger: 0 }),
    iopub: new Subscriber({ receiveHighWaterMark: 0, linger: 0 }),
  };
  readonly #sent = { shell: Promise.resolve(), control: Promise.resolve() };
  #wire!: Wire;
  #started: Promise<void> | undefined;
  /** Receives published messages that belong to no pending request. */
  #onStray: (message: Message) => void = () => undefined;

  constructor(
    private readonly cwd: string,
    private readonly env: NodeJS.ProcessEnv,
  ) {}

  /** Starts the kernel if it has not been started, and waits until it publishes. */
  start(): Promise<void> {
    this.#started ??= this.#start();
    return this.#started;
  }

  async #start(): Promise<void> {
    const directory = temporaryDirectory(this.cwd);
    const [shell_port = 0, iopub_port = 0, stdin_port = 0, control_port = 0, hb_port = 0] = await freePorts(5);
    this.connection = {
      transport: "tcp",
      ip: "127.0.0.1",
      key: randomUUID(),
      signature_scheme: "hmac-sha256",
      shell_port,
      iopub_port,
      stdin_port,
      control_port,
      hb_port,
    };
    const file = join(directory, "connection.json");
    writeFileSync(file, JSON.stringify(this.connection), { mode: 0o600 });
    this.process = spawn(process.execPath, [NODE_OPTION, ENTRY, file], {
      cwd: this.cwd,
      env: { ...process.env, ...this.env },
      stdio: ["ignore", "ignore", "inherit"],
      detached: true,
    });
    const kill = () => this.kill();
    process.once("exit", kill);
    this.process.once("exit", () => process.off("exit", kill));
    this.#wire = new Wire(this.connection);
    this.#sockets.iopub.subscribe();
    for (const channel of ["shell", "control", "iopub"] as const) {
      this.#sockets[channel].connect(endpoint(this.connection, channel));
      void this.#listen(channel);
    }
    let isReady = false;
    // What a kernel publishes before the subscription is active is lost.
    while (!isReady) {
      const ready = this.request("kernel_info_request").then(() => true);
      isReady = await Promise.race([ready, pause(100, false)]);
      if (this.#hasExited) throw new Error(`The kernel exited with code ${this.process.exitCode}.`);
    }
    removeTemporaryDirectory(directory);
  }

  get #hasExited(): boolean {
    return this.process.exitCode !== null || this.process.signalCode !== null;
  }

  /** Sends a request. */
  send(type: string, content: Content = {}, channel: "shell" | "control" = "shell"): KernelRequest {
    const header = newHeader(type, "test");
    const { parts } = encodeMessage(channel, { identities: [], header, parent: {}, content });
    const frames = this.#wire.encode([], parts);
    const request = new KernelRequest();
    this.#pending.set(header.msg_id, request);
    void request.done.then(() => this.#pending.delete(header.msg_id));
    const socket = this.#sockets[channel];
    this.#sent[channel] = this.#sent[channel].then(() => socket.send(frames)).catch(() => undefined);
    return request;
  }

  /** Sends a request and returns the reply to it. */
  async request(type: string, content?: Content, channel?: "shell" | "control"): Promise<Content> {
    return (await this.send(type, content, channel).done).reply;
  }

  /** Sends a text to the heartbeat, which returns it. */
  async heartbeat(text: string): Promise<string> {
    const heart = new Request({ linger: 0 });
    heart.connect(endpoint(this.connection, "hb"));
    await heart.send(text);
    const received = await heart.receive();
    heart.close();
    return received.join();
  }

  interrupt(): Promise<Content> {
    return this.request("interrupt_request", {}, "control");
  }

  /** Starts a cell. */
  begin(code: string, more: Content = {}): KernelRequest {
    const content = { code, silent: false, store_history: true, allow_stdin: false, stop_on_error: true, ...more };
    return this.send("execute_request", content);
  }

  /** Starts a cell and waits for its `BEGUN`. */
  async begun(code: string): Promise<KernelRequest> {
    const cell = this.begin(code);
    await cell.shown("begun");
    return cell;
  }

  /** Runs a cell and waits for it to finish. */
  run(code: string, more?: Content): Promise<KernelRequest> {
    return this.begin(code, more).done;
  }

  /** Runs a cell that must succeed; returns its value as plain text. */
  async value(code: string): Promise<string | undefined> {
    const { value, error } = await this.run(code);
    expect(error).toBeUndefined();
    return value?.["text/plain"];
  }

  /** Runs a cell that must fail; returns its traceback as plain text. */
  async trace(code: string): Promise<string> {
    const { error, status } = await this.run(code);
    expect(status).toBe("error");
    return stripVTControlCharacters(error?.traceback.join("\n") ?? "");
  }

  /** Runs a cell; returns the traceback of its error, or the notes below it, as plain text. */
  async told(code: string): Promise<string> {
    const { error, of } = await this.run(code);
    const notes = of("display_data").map(({ data }) => (data as Record<string, string>)["text/plain"]);
    return stripVTControlCharacters((error?.traceback ?? notes).join("\n"));
  }

  /** Runs a cell, and `code` in the kernel after the cell has ended; returns the cell and what `code` has published first. */
  async late(cell: string, code: string): Promise<{ readonly ended: KernelRequest; readonly message: Message }> {
    const begun = join(mkdtempSync(join(tmpdir(), "late-")), "begun");
    const ended = await this.run(`${cell}
const waiting = setInterval(() => {
  if (!require("node:fs").existsSync(${JSON.stringify(begun)})) return;
  clearInterval(waiting);
  ${code};
}, 10);`);
    writeFileSync(begun, "");
    const message = await new Promise<Message>((resolve) => {
      this.#onStray = resolve;
    });
    return { ended, message };
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
    if (!this.#hasExited) {
      this.send("shutdown_request", { restart: false }, "control");
      await once(this.process, "exit");
    }
    this.kill();
    for (const socket of Object.values(this.#sockets)) socket.close();
  }

  async #listen(channel: "shell" | "control" | "iopub"): Promise<void> {
    for await (const frames of this.#sockets[channel]) {
      const message = this.#wire.decode(frames);
      if (message === undefined) continue;
      const isPublished = channel === "iopub";
      const request = this.#pending.get(message.parent.msg_id ?? "");
      request?.receive(message, isPublished);
      if (request === undefined && isPublished) this.#onStray(message);
    }
  }
}

async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, "127.0.0.1"));
  await Promise.all(servers.map((server) => once(server, "listening")));
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => once(server.close(), "close")));
  return ports;
}
