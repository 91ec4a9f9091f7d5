import { readFileSync } from "node:fs";

/** The five sockets of a kernel. */
export type Channel = "shell" | "iopub" | "stdin" | "control" | "hb";

/** What a connection file says: where the sockets are, and the key that signs messages. */
export interface Connection {
  readonly transport: "tcp" | "ipc";
  readonly ip: string;
  /** Empty: messages are not signed. */
  readonly key: string;
  /** `hmac-` and the name of a hash. */
  readonly signature_scheme: string;
  readonly shell_port: number;
  readonly iopub_port: number;
  readonly stdin_port: number;
  readonly control_port: number;
  readonly hb_port: number;
}

/**
 * Reads the connection file that a Jupyter server has written for a kernel.
 *
 * @throws Error when it is not one; the message does not hold its key. A plain one, since only `main.ts` reads it: the errors of
 * this package would be loaded before the sockets are bound
 */
export function readConnection(path: string): Connection {
  let found: Partial<Connection>;
  try {
    found = JSON.parse(readFileSync(path, "utf8"));
  } catch (cause) {
    const why = (cause as NodeJS.ErrnoException).code ?? "no JSON";
    throw new Error(`${path} cannot be read (${why}). Jupyter writes this connection file and names it.`);
  }
  const connection = { transport: "tcp", ip: "127.0.0.1", key: "", signature_scheme: "hmac-sha256", ...found };
  for (const channel of ["shell", "iopub", "stdin", "control", "hb"] as const) {
    const port: unknown = connection[`${channel}_port`];
    if (!Number.isInteger(port)) throw new Error(`${path} is no connection file: it has no ${channel}_port.`);
  }
  return connection as Connection;
}

/** The address of one socket, as ZeroMQ spells it. */
export function endpoint(connection: Connection, channel: Channel): string {
  const { transport, ip } = connection;
  const port = connection[`${channel}_port`];
  return transport === "ipc" ? `ipc://${ip}-${port}` : `tcp://${ip}:${port}`;
}
