import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { ErrorCode } from "../../../../src/errors/index.js";
import type { PageFault } from "../paging.js";

/** What a fault has to work with when it strikes. */
export interface Strike {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly socket: Socket;
  /** The right answer. */
  readonly body: Buffer;
  /** The key that came with the request: what a careless service would repeat. */
  readonly key: string;
  /** Another origin, which nobody is ever to ask. */
  readonly elsewhere: string;
  /** Takes the service down: further connections are refused. */
  goDown(): void;
}

/** A way for a service to misbehave. */
export interface Fault {
  readonly name: string;
  readonly family: string;
  /** Answers in place of the right answer. */
  readonly act?: (strike: Strike) => void;
  /** Changes the page before it is answered. */
  readonly page?: PageFault;
  /** The code of the error it has to end in; absent where the right rows have to come all the same. */
  readonly code?: ErrorCode;
  /** Another attempt mends it, where the fault strikes but once. */
  readonly passes?: boolean;
  /** It lasts until the time-out of an attempt. */
  readonly slow?: boolean;
}

/** The head of an answer as bytes. */
export function head(status: string, headers: Readonly<Record<string, string | number>>): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status}\r\n${lines.join("")}\r\n`;
}

/** The right answer as bytes. */
export function whole(body: Buffer): Buffer {
  const bytes = head("200 OK", { "content-type": "application/json", "content-length": body.length });
  return Buffer.concat([Buffer.from(bytes), body]);
}

/** An ordinary answer with another body, status or headers. */
export function send(
  { response }: Strike,
  body: string | Buffer,
  status = 200,
  headers: Readonly<Record<string, string | string[]>> = {},
): void {
  response.writeHead(status, {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(body),
    ...headers,
  });
  response.end(body);
}
