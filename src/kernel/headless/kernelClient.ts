import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Dealer, Subscriber } from "zeromq";
import { ArchiveError } from "../../errors/index.js";
import { removeTemporaryDirectory, temporaryDirectory } from "../../fs/temporaryDirectory.js";
import { writeFileAtomic } from "../../fs/writeFileAtomic.js";
import { type Connection, endpoint } from "../protocol/connection.js";
import { Outbox } from "../protocol/outbox.js";
import { type Content, type Message, newHeader, Wire } from "../protocol/wire.js";
import { childEnvironment } from "./childEnvironment.js";
import { kernelDied } from "./notebookErrors.js";

/** How to start a kernel. */
export interface KernelLaunchOptions {
  /** Its command; `{connection_file}` is replaced. Default: the built kernel of this package. */
  argv?: readonly string[] | undefined;
  /** How to connect. Default: `"ipc"` where the system supports it, otherwise `"tcp"`. */
  transport?: Connection["transport"] | undefined;
  /** Environment variables in addition to those of this process. A kernel that replays a snapshot gets no API key. */
  env?: Readonly<Record<string, string | undefined>> | undefined;
}

const OWN_KERNEL = [process.execPath, fileURLToPath(new URL("../main.js", import.meta.url)), "{connection_file}"];

/** Milliseconds to wait for the end of standard error: a child of the kernel may keep it open. */
const STDERR_TIMEOUT = 500;

/** Characters of standard error that an error quotes. */
const MAX_STDERR = 2000;

/** A started kernel and its connection. */
class KernelProcess {
  readonly process: ChildProcess;
  /** Rejects when the process ends. */
  readonly exited: Promise<never>;

  private constructor(
    readonly connection: Connection,
    directory: string,
    { argv = OWN_KERNEL, env = {} }: KernelLaunchOptions,
    cwd: string,
  ) {
    const file = join(directory, "kernel.json");
    writeFileAtomic(file, JSON.stringify(connection), 0o600);
    const [command = "", ...args] = argv.map((part) => part.replace("{connection_file}", file));
    const { ARCHIVE_SNAPSHOT_MODE } = { ...process.env, ...env };
    this.process = spawn(command, args, {
      cwd,
      // A replay gets no API key: it sends no requests, and its notebook may come from somebody else.
      env: childEnvironment(process.env, env, ARCHIVE_SNAPSHOT_MODE !== "replay"),
      stdio: ["ignore", "ignore", "pipe"],
      // In its own process group: Ctrl+C in the terminal must reach only this process.
      detached: process.platform !== "win32",
    });
    this.exited = this.#exit(directory);
    this.exited.catch(() => undefined);
  }

  static async start(options: KernelLaunchOptions, cwd: string): Promise<KernelProcess> {
    const { connection, directory } = await kernelAddress(options.transport ?? "ipc");
    return new KernelProcess(connection, directory, options, cwd);
  }

  get hasExited(): boolean {
    return this.process.exitCode !== null || this.process.signalCode !== null;
  }

  /** Kills the process and its group, even if the process itself has exited. */
  kill(): void {
    const { pid } = this.process;
    try {
      if (process.platform === "win32" || pid === undefined) this.process.kill("SIGKILL");
      else process.kill(-pid, "SIGKILL");
    } catch {
      // The group is empty.
    }
  }

  async #exit(directory: string): Promise<never> {
    const kill = () => this.kill();
    process.once("exit", kill);
    let stderr = "";
    this.process.stderr?.on("data", (text: Buffer) => {
      stderr = (stderr + text).slice(-MAX_STDERR);
    });
    const closed = once(this.process, "close").catch(() => undefined);
    try {
      const [code, signal] = await once(this.process, "exit");
      await Promise.race([closed, pause(STDERR_TIMEOUT, undefined, { ref: false })]);
      throw kernelDied(`The kernel exited unexpectedly (${signal ?? `exit code ${code}`}).`, stderr.trim());
    } catch (error) {
      throw error instanceof ArchiveError ? error : kernelDied("The kernel failed to start.", (error as Error).message);
    } finally {
      process.off("exit", kill);
      removeTemporaryDirectory(directory);
    }
  }
}

/** The longest temporary directory for sockets: macOS limits their paths to 103 bytes. */
const MAX_PARENT = 77;

/**
 * Creates a private directory for a kernel and chooses where the kernel listens: on sockets in that directory, or on TCP ports, which
 * every user of the machine can reach, if the system has no such sockets.
 */
export async function kernelAddress(
  transport: Connection["transport"],
): Promise<{ connection: Connection; directory: string }> {
  const isIpc = transport === "ipc" && process.platform !== "win32";
  const parent = isIpc && Buffer.byteLength(tmpdir()) > MAX_PARENT ? "/tmp" : tmpdir();
  const directory = temporaryDirectory(parent);
  const ports = isIpc ? [1, 2, 3, 4, 5] : await freePorts(5);
  const [shell_port = 0, iopub_port = 0, stdin_port = 0, control_port = 0, hb_port = 0] = ports;
  const connection: Connection = {
    // ZeroMQ appends the number of the port to the path: `k-5`.
    ...(isIpc ? { transport: "ipc", ip: join(directory, "k") } : { transport: "tcp", ip: "127.0.0.1" }),
    key: randomUUID(),
    signature_scheme: "hmac-sha256",
    ...{ shell_port, iopub_port, stdin_port, control_port, hb_port },
  };
  return { directory, connection };
}

async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, "127.0.0.1"));
  await Promise.all(servers.map((server) => once(server, "listening")));
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => once(server.close(), "close")));
  return ports;
}

/** A request that awaits its reply and its `idle`. */
interface Pending {
  reply: Content | undefined;
  isIdle: boolean;
  readonly onPublished: (message: Message) => void;
  readonly resolve: (reply: Content) => void;
}

/** Milliseconds in which a kernel must respond. */
const START_TIMEOUT = 60_000;

/** Milliseconds between `kernel_info` requests. */
const HELLO_INTERVAL = 50;

/** A starting kernel does not listen yet; by default ZeroMQ would reconnect only every 100 milliseconds. */
const SOCKET_OPTIONS = { linger: 0, reconnectInterval: 10 };

/** After so many milliseconds without a message, all messages of an exited kernel have arrived. */
const DRAIN_INTERVAL = 50;

/** Milliseconds in which a kernel must shut down before it is killed. */
const SHUTDOWN_TIMEOUT = 5000;

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
  /** Rejects when the kernel has exited and its last messages have arrived. */
  readonly #died: Promise<never>;
  #replies = 0;
  #received = 0;

  private constructor(kernel: KernelProcess) {
    this.kernel = kernel;
    this.#wire = new Wire(kernel.connection);
    this.#iopub.subscribe();
    for (const [channel, socket] of [
      ["shell", this.#shell],
      ["control", this.#control],
      ["iopub", this.#iopub],
    ] as const) {
      socket.connect(endpoint(kernel.connection, channel));
      void this.#listen(socket);
    }
    this.#died = kernel.exited.catch(async (error) => {
      for (let before = -1; before !== this.#received; await pause(DRAIN_INTERVAL)) before = this.#received;
      throw error;
    });
    this.#died.catch(() => undefined);
  }

  /**
   * Starts a kernel and waits until it responds. If another process has taken one of its ports meanwhile, it is started once more.
   *
   * @param cwd the working directory
   * @throws ArchiveError `KERNEL_DIED` if it exits or does not respond within a minute
   */
  static async start(
    options: KernelLaunchOptions = {},
    cwd: string = process.cwd(),
    isRetry = false,
  ): Promise<KernelClient> {
    const client = new KernelClient(await KernelProcess.start(options, cwd));
    try {
      client.info = await client.#hello();
      return client;
    } catch (error) {
      await client.close();
      const isTaken = /address already in use|EADDRINUSE/i.test((error as Error).message);
      if (isTaken && !isRetry) return KernelClient.start(options, cwd, true);
      throw error;
    }
  }

  /**
   * Sends a request and waits for its reply and for everything that the kernel publishes about it.
   *
   * @param onPublished receives the published messages
   * @throws ArchiveError `KERNEL_DIED` if the kernel exits meanwhile
   */
  request(
    type: string,
    content: Content = {},
    onPublished: (message: Message) => void = () => undefined,
    channel: "shell" | "control" = "shell",
  ): Promise<Content> {
    const header = newHeader(type, this.#session);
    const done = new Promise<Content>((resolve) => {
      this.#pending.set(header.msg_id, { reply: undefined, isIdle: false, onPublished, resolve });
    });
    this.#sending[channel].send(this.#wire.encode({ identities: [], header, parent: {}, metadata: {}, content }));
    return Promise.race([done, this.#died]);
  }

  execute(code: string, onPublished?: (message: Message) => void, more: Content = {}): Promise<Content> {
    const content = { code, silent: false, store_history: true, user_expressions: {}, allow_stdin: false };
    return this.request("execute_request", { ...content, stop_on_error: true, ...more }, onPublished);
  }

  interrupt(): void {
    this.request("interrupt_request", {}, undefined, "control").catch(() => undefined);
  }

  /** Shuts the kernel down, kills it if necessary, and closes the sockets. */
  async close(): Promise<void> {
    if (!this.kernel.hasExited) {
      const killTimer = setTimeout(() => this.kernel.kill(), SHUTDOWN_TIMEOUT);
      this.request("shutdown_request", { restart: false }, undefined, "control").catch(() => undefined);
      await this.kernel.exited.catch(() => clearTimeout(killTimer));
    }
    for (const socket of [this.#shell, this.#control, this.#iopub]) socket.close();
  }

  /** What a kernel publishes before the subscription is active is lost, so the request is repeated, one at a time. */
  async #hello(): Promise<Content> {
    const requests: Array<Promise<Content>> = [];
    for (const end = performance.now() + START_TIMEOUT; performance.now() < end; ) {
      if (requests.length === this.#replies) requests.push(this.request("kernel_info_request"));
      const info = await Promise.race([...requests, pause(HELLO_INTERVAL)]);
      if (info !== undefined) return info;
    }
    throw kernelDied(`The kernel did not respond within ${START_TIMEOUT / 1000} seconds.`);
  }

  async #listen(socket: Dealer | Subscriber): Promise<void> {
    for await (const frames of socket) {
      const message = this.#wire.decode(frames);
      if (message !== undefined) this.#receive(message, socket === this.#iopub);
    }
  }

  #receive(message: Message, isPublished: boolean): void {
    this.#received += 1;
    if (!isPublished) this.#replies += 1;
    const id = message.parent.msg_id ?? "";
    const pending = this.#pending.get(id);
    if (pending === undefined) {
      if (isPublished) this.onStray(message);
      return;
    }
    if (!isPublished) pending.reply = message.content;
    else {
      pending.onPublished(message);
      if (message.header.msg_type === "status" && message.content.execution_state === "idle") pending.isIdle = true;
    }
    if (pending.reply === undefined || !pending.isIdle) return;
    this.#pending.delete(id);
    pending.resolve(pending.reply);
  }
}
