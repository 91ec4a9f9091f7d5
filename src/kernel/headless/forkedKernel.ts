import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { KEY_VARIABLES } from "../../service/http/environmentKey.js";
import { type Content, type Header, type KernelMessage, type Message, newHeader } from "../protocol/message.js";
import { kernelDied } from "./notebookErrors.js";

const ENTRY = fileURLToPath(new URL("../main.js", import.meta.url));

/** Milliseconds in which an interrupted cell, or a kernel that is shut down, must end before the kernel is killed. */
const STOP_TIMEOUT = 2000;

/** Characters of standard error that an error quotes. */
const MAX_STDERR = 2000;

/** Receives what the kernel publishes: for a request, or while it has none. */
type OnPublished = (type: string, content: Content) => void;

/** A kernel of this package in a child process, without sockets. It runs one request at a time. */
export class ForkedKernel {
  /** Receives what is published between requests. */
  onStray: OnPublished = () => undefined;
  readonly #process: ChildProcess;
  #killTimer: NodeJS.Timeout | undefined;
  #request: { id: string; reply: Content; onPublished: OnPublished; resolve(reply: Content): void } | undefined;
  readonly #exited: Promise<never>;

  /** @param env variables in addition to those of this process. A kernel that replays a snapshot gets no API key */
  constructor(cwd: string, env: NodeJS.ProcessEnv) {
    const variables = { ...process.env, ...env };
    const { ARCHIVE_SNAPSHOT_MODE } = variables;
    this.#process = fork(ENTRY, {
      cwd,
      env: ARCHIVE_SNAPSHOT_MODE === "replay" ? withoutKey(variables) : variables,
      execArgv: [],
      stdio: ["ignore", "ignore", "pipe", "ipc"],
      // In its own process group: Ctrl+C in the terminal must reach only this process.
      detached: process.platform !== "win32",
    });
    this.#exited = this.#exit();
    this.#exited.catch(() => undefined);
    this.#process.on("message", (message: KernelMessage) => this.#receive(message));
  }

  /**
   * Sends a request; resolves with its reply when the kernel is idle again.
   *
   * @throws ArchiveError `KERNEL_DIED` if the kernel exits meanwhile
   */
  request(type: string, content: Content, onPublished: OnPublished = () => undefined): Promise<Content> {
    const id = this.#send(type, content);
    const done = new Promise<Content>((resolve) => {
      this.#request = { id, reply: {}, onPublished, resolve };
    });
    return Promise.race([done, this.#exited]);
  }

  /** Interrupts the running cell for the last time: the kernel must be closed within two seconds. */
  interrupt(): void {
    this.#send("interrupt_request", {});
    this.#killTimer ??= setTimeout(() => this.#kill(), STOP_TIMEOUT);
  }

  /** Shuts the kernel down. */
  async close(): Promise<void> {
    this.#killTimer ??= setTimeout(() => this.#kill(), STOP_TIMEOUT);
    if (this.#process.connected) this.#process.disconnect();
    await this.#exited.catch(() => undefined);
  }

  /** Returns the id of the message. */
  #send(type: string, content: Content): string {
    const header = newHeader(type, "run");
    const message: Message = { identities: [], header, parent: {}, metadata: {}, content };
    // The kernel may have exited.
    if (this.#process.connected) this.#process.send(message, () => undefined);
    return header.msg_id;
  }

  #receive({ channel, parts }: KernelMessage): void {
    const [header, parent, , content] = parts.map((part) => JSON.parse(part)) as [
      Header,
      Partial<Header>,
      object,
      Content,
    ];
    const request = this.#request;
    if (request === undefined || parent.msg_id !== request.id) this.onStray(header.msg_type, content);
    else if (channel === "shell") request.reply = content;
    else if (content.execution_state !== "idle") request.onPublished(header.msg_type, content);
    else {
      this.#request = undefined;
      request.resolve(request.reply);
    }
  }

  /** Kills the kernel with the processes that its cells have started. */
  #kill(): void {
    const { pid } = this.#process;
    try {
      if (process.platform === "win32" || pid === undefined) this.#process.kill("SIGKILL");
      else process.kill(-pid, "SIGKILL");
    } catch {
      // The group is empty.
    }
  }

  /** Rejects when the kernel has exited and its last messages have arrived. */
  async #exit(): Promise<never> {
    const kill = () => this.#kill();
    process.once("exit", kill);
    let stderr = "";
    this.#process.stderr?.on("data", (text: Buffer) => {
      stderr = (stderr + text).slice(-MAX_STDERR);
    });
    // What its cells have started would keep its streams open.
    this.#process.once("exit", kill);
    const drained = Promise.all([once(this.#process, "disconnect"), once(this.#process.stderr as Readable, "close")]);
    drained.catch(() => undefined);
    try {
      const [code, signal] = await once(this.#process, "exit").catch((error: Error) => {
        throw kernelDied("The kernel failed to start.", error.message);
      });
      await drained;
      throw kernelDied(`The kernel exited unexpectedly (${signal ?? `exit code ${code}`}).`, stderr.trim());
    } finally {
      clearTimeout(this.#killTimer);
      process.off("exit", kill);
    }
  }
}

/** A replay sends no requests, and its notebook may come from somebody else. Windows ignores the case of names. */
function withoutKey(variables: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const isKey = (name: string) => KEY_VARIABLES.some((variable) => variable === name.toUpperCase());
  return Object.fromEntries(Object.entries(variables).filter(([name]) => !isKey(name)));
}
