import { type ChildProcess, spawn } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { childEnvironment } from "../../service/http/childEnvironment.js";
import type { Connection } from "../protocol/connection.js";
import { type KernelAddress, kernelAddress, type Transport } from "./kernelAddress.js";
import { KernelError } from "./notebookErrors.js";

/** How to start and interrupt a kernel. Default: the kernel of this package. */
export interface KernelLaunchOptions {
  /** Command of another kernel, for example tslab; `{connection_file}` is replaced. Default: the kernel of this package. */
  argv?: readonly string[] | undefined;
  /** How to interrupt it. Default: `"message"` for the kernel of this package, otherwise `"signal"`. */
  interrupt?: "message" | "signal" | undefined;
  /** Kernel of this package only: declare `archive`, `pl`, `display`, `show` and `chart` before the first cell. Default: false. */
  preload?: boolean | undefined;
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
    const [command = "", ...rest] = (options.argv ?? ownKernel(options)).map((part) =>
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

function ownKernel({ preload }: KernelLaunchOptions): string[] {
  const entry = fileURLToPath(new URL("../main.js", import.meta.url));
  return [process.execPath, entry, "{connection_file}", ...(preload === true ? ["--preload"] : [])];
}
