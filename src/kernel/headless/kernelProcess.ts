import { type ChildProcess, spawn } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { childEnvironment } from "../../service/http/childEnvironment.js";
import type { Connection } from "../protocol/connection.js";
import { type KernelAddress, kernelAddress, type Transport } from "./kernelAddress.js";
import { KernelError } from "./notebookErrors.js";

/** How a kernel is started and stopped. Default: the kernel of this package. */
export interface KernelChoice {
  /** The command; `{connection_file}` in it is replaced. */
  argv?: readonly string[] | undefined;
  /** How it wants to be interrupted. Default `"message"` for our own kernel, else `"signal"`. */
  interrupt?: "message" | "signal" | undefined;
  /** For our own kernel: declare names before the first cell. Default false. */
  preload?: boolean | undefined;
  /** Default `"ipc"` for our own kernel, where the system has that; others may know TCP only. */
  transport?: Transport | undefined;
  /** More of an environment than this process has. A kernel for a replay gets no key. */
  env?: Readonly<Record<string, string | undefined>> | undefined;
}

/** How long the last words of a kernel are waited for. */
const LAST_WORDS = 500;

/** So much of what a kernel wrote is kept, for the message of its death. */
const KEPT = 2000;

/** A kernel that was started, and its connection. */
export class KernelProcess {
  readonly connection: Connection;
  readonly process: ChildProcess;
  /** Rejects when the process ends. */
  readonly died: Promise<never>;
  readonly #folder: string;
  readonly #kill = () => killGroup(this.process);
  #said = "";

  private constructor({ connection, folder }: KernelAddress, choice: KernelChoice, cwd: string) {
    this.connection = connection;
    this.#folder = folder;
    const file = join(folder, "kernel.json");
    writeFileSync(file, JSON.stringify(connection), { mode: 0o600 });
    const [command = "", ...rest] = (choice.argv ?? ownKernel(choice)).map((part) =>
      part.replace("{connection_file}", file),
    );
    this.process = spawn(command, rest, {
      cwd,
      env: environment(choice),
      stdio: ["ignore", "ignore", "pipe"],
      // In a group of its own: a Ctrl+C in the terminal is for us.
      detached: process.platform !== "win32",
    });
    process.once("exit", this.#kill);
    this.process.stderr?.on("data", (text: Buffer) => {
      this.#said = (this.#said + text).slice(-KEPT);
    });
    this.died = new Promise((_, reject) => {
      const died = (what: string, said: string) => {
        this.#forget();
        reject(new KernelError(what, said));
      };
      this.process.once("error", ({ message }) => died("The kernel cannot be started.", message));
      this.process.once("exit", (code, signal) => {
        const end = () => died(`The kernel has ended (${signal ?? `exit code ${code}`}).`, this.#said.trim());
        // A process that the kernel has started may hold its standard error open.
        const late = setTimeout(end, LAST_WORDS);
        this.process.once("close", () => {
          clearTimeout(late);
          end();
        });
      });
    });
    this.died.catch(() => undefined);
  }

  /** Starts a kernel in a folder. */
  static async start(choice: KernelChoice, cwd: string): Promise<KernelProcess> {
    const address = await kernelAddress(choice.transport ?? (choice.argv === undefined ? "ipc" : "tcp"));
    return new KernelProcess(address, choice, cwd);
  }

  get ended(): boolean {
    return this.process.exitCode !== null || this.process.signalCode !== null;
  }

  /** Ends the process, in whatever state it is, and what it has started. */
  kill(): void {
    this.#kill();
  }

  #forget(): void {
    process.off("exit", this.#kill);
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** A replay asks nothing, and its notebook may be somebody else's: it gets no key. */
function environment({ env = {} }: KernelChoice): NodeJS.ProcessEnv {
  const { ARCHIVE_SNAPSHOT_MODE } = { ...process.env, ...env };
  return childEnvironment(process.env, env, ARCHIVE_SNAPSHOT_MODE !== "replay");
}

/** A process in a group of its own, and all others there: also where it has ended, and they have not. */
function killGroup(child: ChildProcess): void {
  if (process.platform === "win32" || child.pid === undefined) {
    child.kill("SIGKILL");
    return;
  }
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch {
    // None is left.
  }
}

function ownKernel({ preload }: KernelChoice): string[] {
  const entry = fileURLToPath(new URL("../main.js", import.meta.url));
  return [process.execPath, entry, "{connection_file}", ...(preload === true ? ["--preload"] : [])];
}
