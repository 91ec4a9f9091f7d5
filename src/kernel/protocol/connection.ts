import { readFileSync } from "node:fs";

/** The five sockets of a kernel. */
export type Channel = "shell" | "iopub" | "stdin" | "control" | "hb";

/** A connection file: the addresses of the sockets and the key that signs messages. */
export interface Connection {
  readonly transport: "tcp" | "ipc";
  readonly ip: string;
  /** If empty, messages are not signed. */
  readonly key: string;
  /** `hmac-` and the name of a hash, for example `hmac-sha256`. */
  readonly signature_scheme: string;
  readonly shell_port: number;
  readonly iopub_port: number;
  readonly stdin_port: number;
  readonly control_port: number;
  readonly hb_port: number;
}

/**
 * Reads the connection file that a Jupyter server wrote for a kernel.
 *
 * @throws Error if it is not a connection file; the message does not contain the key. It is a plain Error because only `main.ts`
 * reads it, and the error classes of this package would delay binding the sockets
 */
export function readConnection(path: string): Connection {
  let found: Partial<Connection>;
  try {
    found = JSON.parse(readFileSync(path, "utf8"));
  } catch (cause) {
    const why = (cause as NodeJS.ErrnoException).code ?? "not valid JSON";
    throw new Error(`invalid connection file: ${path} (${why}). Pass the file that Jupyter wrote.`);
  }
  const connection = { transport: "tcp", ip: "127.0.0.1", key: "", signature_scheme: "hmac-sha256", ...found };
  for (const channel of ["shell", "iopub", "stdin", "control", "hb"] as const) {
    const port: unknown = connection[`${channel}_port`];
    if (!Number.isInteger(port))
      throw new Error(`invalid connection file: ${path} has no ${channel}_port. Pass the file that Jupyter wrote.`);
  }
  return connection as Connection;
}

/** The ZeroMQ address of one socket. */
export function endpoint(connection: Connection, channel: Channel): string {
  const { transport, ip } = connection;
  const port = connection[`${channel}_port`];
  return transport === "ipc" ? `ipc://${ip}-${port}` : `tcp://${ip}:${port}`;
}

/**
 * Limits of the kernel's sockets. Any user of the machine can connect over TCP, and ZeroMQ reads a whole message before its
 * signature can be checked: without limits it would buffer everything it receives. A peer that sends a larger message is
 * disconnected. Limits apply per connection.
 */

/** Requests queue while a cell keeps the kernel busy. Further senders wait; nothing is lost. */
const requests = { receiveHighWaterMark: 16, maxMessageSize: 32 * 2 ** 20 };

/** Replies that the client has not read; further ones are dropped. */
const replies = { sendHighWaterMark: 10_000, linger: 1000 };

/** The shell socket: requests that carry cells. */
export const SHELL_LIMITS = { ...requests, ...replies };

/** The control socket: interrupt and shutdown requests. */
export const CONTROL_LIMITS = { receiveHighWaterMark: 16, maxMessageSize: 2 ** 20, ...replies };

/** The stdin socket: what users type into prompts. With `mandatory`, sending to a front end that has not connected it fails. */
export const STDIN_LIMITS = {
  receiveHighWaterMark: 16,
  maxMessageSize: 2 ** 20,
  mandatory: true,
  sendTimeout: 1000,
  linger: 0,
};

/** The heartbeat socket, which echoes. */
export const HEARTBEAT_LIMITS = { receiveHighWaterMark: 16, sendHighWaterMark: 16, maxMessageSize: 1024, linger: 0 };

/**
 * The iopub socket. `noDrop` rejects a message instead of dropping it when the queue of a subscriber is full, so that an `Outbox`
 * can wait for slow readers. Subscribers send only topic names.
 */
export const PUBLISHER_LIMITS = {
  sendHighWaterMark: 200,
  sendTimeout: 0,
  noDrop: true,
  maxMessageSize: 1024,
  linger: 1000,
};
