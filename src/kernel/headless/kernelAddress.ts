import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Connection } from "../protocol/connection.js";

/** How to connect to a kernel: sockets in a directory of this user, or TCP ports, which every user of the machine can reach. */
export type Transport = "ipc" | "tcp";

/** Where a kernel listens, and the directory of its connection file. */
export interface KernelAddress {
  readonly connection: Connection;
  /** Accessible to this user only. */
  readonly directory: string;
}

/** The longest path of a socket in bytes: 107 on Linux, 103 on macOS. */
const MAX_SOCKET_PATH = 103;

/** ZeroMQ appends a number: `k-5`. */
const SOCKET_NAME = "k";

/**
 * Creates a private directory for a kernel and chooses where the kernel listens: in that directory, or on TCP ports if the system
 * has no such sockets or the path would be too long.
 */
export async function kernelAddress(transport: Transport): Promise<KernelAddress> {
  const secret = { key: randomUUID(), signature_scheme: "hmac-sha256" };
  for (const parent of transport === "ipc" && process.platform !== "win32" ? [tmpdir(), "/tmp"] : []) {
    const directory = tryPrivateDirectory(parent);
    if (directory === undefined) continue;
    const ip = join(directory, SOCKET_NAME);
    if (Buffer.byteLength(`${ip}-5`) > MAX_SOCKET_PATH) {
      rmSync(directory, { recursive: true });
      continue;
    }
    const ports = { shell_port: 1, iopub_port: 2, stdin_port: 3, control_port: 4, hb_port: 5 };
    return { directory, connection: { ...secret, transport: "ipc", ip, ...ports } };
  }
  const [shell_port = 0, iopub_port = 0, stdin_port = 0, control_port = 0, hb_port = 0] = await freePorts(5);
  const ports = { shell_port, iopub_port, stdin_port, control_port, hb_port };
  return {
    directory: privateDirectory(tmpdir()),
    connection: { ...secret, transport: "tcp", ip: "127.0.0.1", ...ports },
  };
}

function tryPrivateDirectory(parent: string): string | undefined {
  try {
    return privateDirectory(parent);
  } catch {
    return undefined;
  }
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
