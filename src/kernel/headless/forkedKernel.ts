import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { ArchiveError } from "../../errors/index.js";
import { KEY_VARIABLES } from "../../service/http/secret.js";
import { type Content, type Header, type KernelMessage, type Message, newHeader } from "../protocol/message.js";

const ENTRY = fileURLToPath(new URL("../main.js", import.meta.url));

/** Milliseconds in which an interrupted cell, or a kernel that is shut down, must end before the kernel is killed. */
const STOP_TIMEOUT = 2000;

/** A kernel of this package in a child process, without sockets. It runs one request at a time. */
export class ForkedKernel {
  /** Receives what the kernel publishes. */
  onPublished: (type: string, content: Content) => void = () => undefined;
  readonly #process: ChildProcess;
  #killTimer: NodeJS.Timeout | undefined;
  #request: { id: string; reply: Content; resolve(reply: Content): void } | undefined;
  readonly #exited: Promise<never>;

  /** @param env variables in addition to those of this process. A kernel that replays a snapshot gets no API key */
  constructor(cwd: string, env: NodeJS.ProcessEnv) {
    const variables = { ...process.env, ...env };
    // A replay sends no requests, and its notebook may come from somebody else.
    if (variables.ARCHIVE_SNAPSHOT_MODE === "replay") for (const name of KEY_VARIABLES) delete variables[name];
    this.#process = fork(ENTRY, {
      cwd,
      env: variables,
      execArgv: [],
      // Node says there why it ends, for example if memory is full.
      stdio: ["ignore", "ignore", "inherit", "ipc"],
      // In its own process group: Ctrl+C in the terminal must reach only this process.
      detached: process.platform !== "win32",
    });
    this.#exited = this.#exit();
    this.#exited.catch(() => undefined);
    this.#process.on("message", (message: KernelMessage) => this.#receive(message));
  }

  /** Sends a request; resolves with its reply when the kernel is idle again, or rejects with `KERNEL_DIED`. */
  request(type: string, content: Content): Promise<Content> {
    const id = this.#send(type, content);
    const done = new Promise<Content>((resolve) => {
      this.#request = { id, reply: {}, resolve };
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
    const message: Message = { identities: [], header, parent: {}, content };
    // The kernel may have exited.
    if (this.#process.connected) this.#process.send(message, () => undefined);
    return header.msg_id;
  }

  #receive({ channel, parts }: KernelMessage): void {
    const [header, parent, , content] = parts.map((part) => JSON.parse(part)) as [Header, Header, Content, Content];
    const isOfRequest = parent.msg_id === this.#request?.id;
    if (channel === "iopub") this.onPublished(header.msg_type, content);
    else if (isOfRequest && this.#request !== undefined) this.#request.reply = content;
    if (isOfRequest && content.execution_state === "idle") this.#request?.resolve(this.#request.reply);
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
    this.#process.once("exit", kill);
    const ends = [once(this.#process, "exit"), once(this.#process, "disconnect")];
    const [[code, signal] = []] = await Promise.all(ends).catch((error: Error) => [[undefined, error.message]]);
    clearTimeout(this.#killTimer);
    process.off("exit", kill);
    throw new ArchiveError(`The kernel exited unexpectedly (${signal ?? `exit code ${code}`}).`, {
      code: "KERNEL_DIED",
      hint: "Run the notebook in Jupyter for details.",
    });
  }
}
