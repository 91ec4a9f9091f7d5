import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Connection } from "../protocol/connection.js";

/** How a kernel is spoken with: files of this user, or ports of the machine, to which everybody on it can connect. */
export type Transport = "ipc" | "tcp";

/** Where a kernel listens, and the folder for its connection file. */
export interface KernelAddress {
  readonly connection: Connection;
  /** Nobody else can look into it. */
  readonly folder: string;
}

/** What the path of a socket may have in bytes: 107 on Linux, 103 on macOS. */
const MAX_SOCKET_PATH = 103;

/** What follows the folder: `/k-5`. */
const SOCKET_NAME = "k";

/**
 * Makes a folder for a kernel that only this user can open, and chooses where the kernel listens: in that folder, or where the
 * system has no such sockets or no path is short enough, at ports of this machine.
 */
export async function kernelAddress(transport: Transport): Promise<KernelAddress> {
  const secret = { key: randomUUID(), signature_scheme: "hmac-sha256" };
  for (const parent of transport === "ipc" && process.platform !== "win32" ? [tmpdir(), "/tmp"] : []) {
    const folder = privateFolder(parent);
    if (folder === undefined) continue;
    const ip = join(folder, SOCKET_NAME);
    if (Buffer.byteLength(`${ip}-5`) > MAX_SOCKET_PATH) {
      rmSync(folder, { recursive: true });
      continue;
    }
    const ports = { shell_port: 1, iopub_port: 2, stdin_port: 3, control_port: 4, hb_port: 5 };
    return { folder, connection: { ...secret, transport: "ipc", ip, ...ports } };
  }
  const [shell_port = 0, iopub_port = 0, stdin_port = 0, control_port = 0, hb_port = 0] = await freePorts(5);
  const ports = { shell_port, iopub_port, stdin_port, control_port, hb_port };
  return { folder: makeFolder(tmpdir()), connection: { ...secret, transport: "tcp", ip: "127.0.0.1", ...ports } };
}

function privateFolder(parent: string): string | undefined {
  try {
    return makeFolder(parent);
  } catch {
    return undefined;
  }
}

/** With mode 0700, as `mkdtemp` makes them. */
function makeFolder(parent: string): string {
  return mkdtempSync(join(parent, "archive-frames-"));
}

/** Ports that are free now; all are held until the last one is known, so that none comes twice. */
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
