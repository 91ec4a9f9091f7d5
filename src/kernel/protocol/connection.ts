import { readFileSync } from "node:fs";

const CHANNELS = ["shell", "iopub", "stdin", "control", "hb"] as const;

/** The five sockets of a kernel. */
export type Channel = (typeof CHANNELS)[number];

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
  let parsed: Partial<Connection>;
  try {
    parsed = JSON.parse(readFileSync(path, "utf8"));
  } catch (cause) {
    const why = (cause as NodeJS.ErrnoException).code ?? "not valid JSON";
    throw new Error(`invalid connection file: ${path} (${why}). Pass the file that Jupyter wrote.`);
  }
  const connection = { transport: "tcp", ip: "127.0.0.1", key: "", signature_scheme: "hmac-sha256", ...parsed };
  for (const channel of CHANNELS) {
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

/** Requests queue while a cell keeps the kernel busy; further senders wait. The client loses replies that it does not read. */
const requests = { receiveHighWaterMark: 16, sendHighWaterMark: 10_000, linger: 1000 };

/**
 * Limits of the kernel's sockets, per connection. Any user of the machine can connect over TCP, and ZeroMQ reads a whole message before
 * its signature can be checked: without limits it would buffer everything it receives. A peer that sends a larger message is
 * disconnected.
 */
export const LIMITS = {
  /** Its requests carry cells. */
  shell: { ...requests, maxMessageSize: 32 * 2 ** 20 },
  control: { ...requests, maxMessageSize: 2 ** 20 },
  /** What users type into prompts. With `mandatory`, sending to a front end that has not connected it fails. */
  stdin: { receiveHighWaterMark: 16, maxMessageSize: 2 ** 20, mandatory: true, sendTimeout: 1000, linger: 0 },
  /** The heartbeat, which echoes. */
  hb: { receiveHighWaterMark: 16, sendHighWaterMark: 16, maxMessageSize: 1024, linger: 0 },
  /** A reader may be this many messages behind; one that reads nothing loses what comes later. Subscribers send only topic names. */
  iopub: { sendHighWaterMark: 10_000, maxMessageSize: 1024, linger: 1000 },
};
