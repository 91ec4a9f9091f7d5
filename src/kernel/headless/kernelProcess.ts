import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { removeTemporaryDirectory, temporaryDirectory } from "../../fs/temporaryDirectory.js";
import { writeFileAtomic } from "../../fs/writeFileAtomic.js";
import { childEnvironment } from "../../service/http/environmentKey.js";
import type { Connection } from "../protocol/connection.js";
import { KernelError } from "./notebookErrors.js";

/** How to start a kernel. Default: the kernel of this package. */
export interface KernelLaunchOptions {
  /** Command of another kernel, for example tslab; `{connection_file}` is replaced. Default: the kernel of this package. */
  argv?: readonly string[] | undefined;
  /** How to connect. Default: `"ipc"` for the kernel of this package where the system supports it, otherwise `"tcp"`. */
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
export class KernelProcess {
  readonly process: ChildProcess;
  /** Rejects when the process ends. */
  readonly exited: Promise<never>;
  readonly connection: Connection;

  private constructor({ connection, directory }: KernelAddress, options: KernelLaunchOptions, cwd: string) {
    this.connection = connection;
    const file = join(directory, "kernel.json");
    writeFileAtomic(file, JSON.stringify(connection), 0o600);
    const [command = "", ...args] = (options.argv ?? OWN_KERNEL).map((part) => part.replace("{connection_file}", file));
    this.process = spawn(command, args, {
      cwd,
      env: environment(options),
      stdio: ["ignore", "ignore", "pipe"],
      // In its own process group: Ctrl+C in the terminal must reach only this process.
      detached: process.platform !== "win32",
    });
    this.exited = this.#exit(directory);
    this.exited.catch(() => undefined);
  }

  static async start(options: KernelLaunchOptions, cwd: string): Promise<KernelProcess> {
    const address = await kernelAddress(options.transport ?? (options.argv === undefined ? "ipc" : "tcp"));
    return new KernelProcess(address, options, cwd);
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
      throw new KernelError(`The kernel exited unexpectedly (${signal ?? `exit code ${code}`}).`, stderr.trim());
    } catch (error) {
      throw error instanceof KernelError
        ? error
        : new KernelError("The kernel failed to start.", (error as Error).message);
    } finally {
      process.off("exit", kill);
      removeTemporaryDirectory(directory);
    }
  }
}

/** A replay gets no API key: it sends no requests, and its notebook may come from somebody else. */
function environment({ env = {} }: KernelLaunchOptions): NodeJS.ProcessEnv {
  const { ARCHIVE_SNAPSHOT_MODE } = { ...process.env, ...env };
  return childEnvironment(process.env, env, ARCHIVE_SNAPSHOT_MODE !== "replay");
}

/** Where a kernel listens, and the directory of its connection file. */
interface KernelAddress {
  readonly connection: Connection;
  /** Accessible to this user only. */
  readonly directory: string;
}

/** The longest temporary directory for sockets: macOS limits their paths to 103 bytes. */
const MAX_PARENT = 77;

/**
 * Creates a private directory for a kernel and chooses where the kernel listens: on sockets in that directory, or on TCP ports, which
 * every user of the machine can reach, if the system has no such sockets.
 */
export async function kernelAddress(transport: Connection["transport"]): Promise<KernelAddress> {
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
