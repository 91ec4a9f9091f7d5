import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { ErrorCode } from "../../../../src/index.js";
import type { PageFault } from "../paging.js";

/** The request that a fault strikes, and the means to respond to it. */
export interface Strike {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly socket: Socket;
  /** The correct body. */
  readonly body: Buffer;
  /** The key of the request, which a careless service would echo. */
  readonly key: string;
  /** Another origin, which no client may contact. */
  readonly elsewhere: string;
  /** Takes the service down: it refuses new connections. */
  goDown(): void;
}

/** Misbehaviour of a service. */
export interface Fault {
  readonly name: string;
  readonly family: string;
  /** Responds instead of the service. */
  readonly act?: (strike: Strike) => void;
  /** Changes the page before the service responds. */
  readonly page?: PageFault;
  /** The error code the call must fail with; absent if it must still return the right rows. */
  readonly code?: ErrorCode;
  /** Whether a retry overcomes the fault if it strikes only once. */
  readonly passes?: boolean;
  /** Whether only the timeout of an attempt ends it. */
  readonly slow?: boolean;
}

/** Faults with something in common: the name of each, what it does, and what is different. */
export function family(
  common: Omit<Fault, "name">,
  faults: ReadonlyArray<readonly [name: string, act: (strike: Strike) => void, other?: Partial<Fault>]>,
): Fault[] {
  return faults.map(([name, act, other]) => ({ ...common, ...other, name, act }));
}

/** The head of a response as bytes. */
export function head(status: string, headers: Readonly<Record<string, string | number>>): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status}\r\n${lines.join("")}\r\n`;
}

/** The correct response as bytes. */
export function whole(body: Buffer): Buffer {
  const bytes = head("200 OK", { "content-type": "application/json", "content-length": body.length });
  return Buffer.concat([Buffer.from(bytes), body]);
}

/** A regular response with another body, status or headers. */
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
