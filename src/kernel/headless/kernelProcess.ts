import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { childEnvironment } from "../../service/http/withoutKey.js";
import type { Connection } from "../protocol/connection.js";
import { KernelError } from "./notebookErrors.js";

/** How to start a kernel. Default: the kernel of this package. */
export interface KernelLaunchOptions {
  /** Command of another kernel, for example tslab; `{connection_file}` is replaced. Default: the kernel of this package. */
  argv?: readonly string[] | undefined;
  /** How to connect. Default: `"ipc"` for the kernel of this package where the system supports it, otherwise `"tcp"`. */
  transport?: Transport | undefined;
  /** Environment variables in addition to those of this process. A kernel that replays a snapshot gets no API key. */
  env?: Readonly<Record<string, string | undefined>> | undefined;
}

/** Milliseconds to wait for the end of standard error after the kernel has exited. */
const STDERR_TIMEOUT = 500;

/** Number of characters of standard error that the message of a {@link KernelError} quotes. */
const MAX_STDERR = 2000;

/** A started kernel and its connection. */
export class KernelProcess {
  readonly connection: Connection;
  readonly process: ChildProcess;
  /** Rejects when the process ends. */
  readonly exited: Promise<never>;
  readonly #directory: string;
  readonly #kill = () => killGroup(this.process);
  #stderr = "";

  private constructor({ connection, directory }: KernelAddress, options: KernelLaunchOptions, cwd: string) {
    this.connection = connection;
    this.#directory = directory;
    const file = join(directory, "kernel.json");
    writeFileSync(file, JSON.stringify(connection), { mode: 0o600 });
    const [command = "", ...rest] = (options.argv ?? ownKernel()).map((part) =>
      part.replace("{connection_file}", file),
    );
    this.process = spawn(command, rest, {
      cwd,
      env: environment(options),
      stdio: ["ignore", "ignore", "pipe"],
      // In its own process group: Ctrl+C in the terminal must reach only this process.
      detached: process.platform !== "win32",
    });
    process.once("exit", this.#kill);
    this.process.stderr?.on("data", (text: Buffer) => {
      this.#stderr = (this.#stderr + text).slice(-MAX_STDERR);
    });
    this.exited = new Promise((_, reject) => {
      const fail = (what: string, stderr: string) => {
        this.#cleanUp();
        reject(new KernelError(what, stderr));
      };
      this.process.once("error", ({ message }) => fail("The kernel failed to start.", message));
      this.process.once("exit", (code, signal) => {
        const end = () =>
          fail(`The kernel exited unexpectedly (${signal ?? `exit code ${code}`}).`, this.#stderr.trim());
        // A child of the kernel may keep standard error open.
        const late = setTimeout(end, STDERR_TIMEOUT);
        this.process.once("close", () => {
          clearTimeout(late);
          end();
        });
      });
    });
    this.exited.catch(() => undefined);
  }

  /** Starts a kernel in a directory. */
  static async start(options: KernelLaunchOptions, cwd: string): Promise<KernelProcess> {
    const address = await kernelAddress(options.transport ?? (options.argv === undefined ? "ipc" : "tcp"));
    return new KernelProcess(address, options, cwd);
  }

  get hasExited(): boolean {
    return this.process.exitCode !== null || this.process.signalCode !== null;
  }

  /** Kills the process and its children. */
  kill(): void {
    this.#kill();
  }

  #cleanUp(): void {
    process.off("exit", this.#kill);
    rmSync(this.#directory, { recursive: true, force: true });
  }
}

/** A replay sends no requests, and its notebook may come from somebody else: it gets no API key. */
function environment({ env = {} }: KernelLaunchOptions): NodeJS.ProcessEnv {
  const { ARCHIVE_SNAPSHOT_MODE } = { ...process.env, ...env };
  return childEnvironment(process.env, env, ARCHIVE_SNAPSHOT_MODE !== "replay");
}

/** Kills a process and its group, even if the process itself has exited. */
function killGroup(child: ChildProcess): void {
  if (process.platform === "win32" || child.pid === undefined) {
    child.kill("SIGKILL");
    return;
  }
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch {
    // The group is empty.
  }
}

function ownKernel(): string[] {
  return [process.execPath, fileURLToPath(new URL("../main.js", import.meta.url)), "{connection_file}"];
}

/** How to connect to a kernel: sockets in a directory of this user, or TCP ports, which every user of the machine can reach. */
type Transport = "ipc" | "tcp";

/** Where a kernel listens, and the directory of its connection file. */
interface KernelAddress {
  readonly connection: Connection;
  /** Accessible to this user only. */
  readonly directory: string;
}

/** The longest path of a socket in bytes: 107 on Linux, 103 on macOS. */
const MAX_SOCKET_PATH = 103;

/** ZeroMQ appends a number: `k-5`. */
const SOCKET_NAME = "k";

/**
 * Creates a private directory for a kernel and chooses where the kernel listens: in that directory, which is below `/tmp` if the path
 * of the user's own would be too long for a socket, or on TCP ports if the system has no such sockets.
 */
export async function kernelAddress(transport: Transport): Promise<KernelAddress> {
  const secret = { key: randomUUID(), signature_scheme: "hmac-sha256" };
  if (transport === "ipc" && process.platform !== "win32") {
    const isShort = Buffer.byteLength(join(tmpdir(), "archive-frames-XXXXXX", `${SOCKET_NAME}-5`)) <= MAX_SOCKET_PATH;
    const directory = privateDirectory(isShort ? tmpdir() : "/tmp");
    const ports = { shell_port: 1, iopub_port: 2, stdin_port: 3, control_port: 4, hb_port: 5 };
    return { directory, connection: { ...secret, transport: "ipc", ip: join(directory, SOCKET_NAME), ...ports } };
  }
  const [shell_port = 0, iopub_port = 0, stdin_port = 0, control_port = 0, hb_port = 0] = await freePorts(5);
  const ports = { shell_port, iopub_port, stdin_port, control_port, hb_port };
  return {
    directory: privateDirectory(tmpdir()),
    connection: { ...secret, transport: "tcp", ip: "127.0.0.1", ...ports },
  };
}

/** `mkdtemp` creates directories with mode 0700. */
function privateDirectory(parent: string): string {
  return mkdtempSync(join(parent, "archive-frames-"));
}

/** Ports that are currently free; all stay open until the last one is known, so that they differ. */
async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer());
  const ports = await Promise.all(
    servers.map(
      (server) =>
        new Promise<number>((resolve, reject) => {
          server.once("error", reject);
          server.listen(0, "127.0.0.1", () => resolve((server.address() as { port: number }).port));
        }),
    ),
  );
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}
