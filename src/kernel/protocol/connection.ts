import { readFileSync } from "node:fs";

/** The five sockets of a kernel. */
export type Channel = "shell" | "iopub" | "stdin" | "control" | "hb";

/** A connection file: the addresses of the sockets and the key that signs messages. */
export interface Connection extends Readonly<Record<`${Channel}_port`, number>> {
  readonly transport: "tcp" | "ipc";
  readonly ip: string;
  /** If empty, messages are not signed. */
  readonly key: string;
  /** `hmac-` and the name of a hash, for example `hmac-sha256`. */
  readonly signature_scheme: string;
}

/** Reads the connection file that a Jupyter server wrote for a kernel. */
export function readConnection(path: string): Connection {
  return JSON.parse(readFileSync(path, "utf8")) as Connection;
}

/** The ZeroMQ address of one socket. */
export function endpoint(connection: Connection, channel: Channel): string {
  const { transport, ip } = connection;
  const port = connection[`${channel}_port`];
  return transport === "ipc" ? `ipc://${ip}-${port}` : `tcp://${ip}:${port}`;
}

/**
 * Limits of the kernel's sockets, per connection. Any user of the machine can connect over TCP, and ZeroMQ reads a whole message before
 * its signature can be checked: without limits it would buffer everything it receives. A peer that sends a larger message is
 * disconnected; requests queue while a cell keeps the kernel busy, and further senders wait. A reader may be 10,000 messages behind:
 * one that reads nothing loses what comes later.
 */
const publisher = { sendHighWaterMark: 10_000, maxMessageSize: 32 * 2 ** 20, linger: 1000 };
export const LIMITS = { publisher, router: { ...publisher, receiveHighWaterMark: 16 } };
