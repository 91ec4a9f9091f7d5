import type { IncomingMessage, ServerResponse } from "node:http";
import type { ErrorCode } from "../../../src/index.js";
import type { NumberedPage, Place } from "../numberedRows.js";

/** The request that a fault strikes, and the means to respond to it. */
export interface Strike {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** The correct body. */
  readonly body: Buffer;
  /** The key of the request, which a careless service would echo. */
  readonly key: string;
  /** Another origin, which no client may contact. */
  readonly elsewhere: string;
  /** Takes the service down: it refuses new connections. */
  goDown(): void;
}

/** Responds instead of the service. */
export type Act = (strike: Strike) => void;

/** Turns a regular page into a faulty one. `place` is the page on which the fault strikes. */
export type PageFault = (page: NumberedPage, place: Place) => NumberedPage;

/** Misbehaviour of a service. */
export interface Fault {
  readonly name: string;
  readonly act?: Act;
  /** Changes the page before the service responds. */
  readonly page?: PageFault;
  /** The error code the call must fail with; absent if it must still return the right rows. */
  readonly code?: ErrorCode;
  /** A retry does not overcome it, although its code is that of a passing failure. */
  readonly isFinal?: boolean;
}

/** Faults after which a call fails with a code, or with none succeeds. */
export function faultsOf(code: ErrorCode | undefined, acts: Readonly<Record<string, Act>>): Fault[] {
  return Object.entries(acts).map(([name, act]) => ({ name, act, ...(code !== undefined && { code }) }));
}

/** The head of a response as bytes. */
export function head(status: string, headers: Readonly<Record<string, string | number>>): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status}\r\n${lines.join("")}\r\n`;
}

/** A regular response with another body, status or headers. */
export function send(
  { response }: Strike,
  body: string | Buffer,
  status = 200,
  headers: Readonly<Record<string, string>> = {},
): void {
  const length = Buffer.byteLength(body);
  response.writeHead(status, { "content-type": "application/json", "content-length": length, ...headers }).end(body);
}

/** Sends bytes as fast as the client reads them, up to a number of bytes, by way of a compressor if there is one. */
export function flood(
  { response }: Strike,
  block: Buffer,
  bytes = Number.POSITIVE_INFINITY,
  through: NodeJS.WritableStream = response,
): void {
  let left = bytes;
  const more = () => {
    while (left > 0 && !response.destroyed) {
      left -= block.length;
      if (!through.write(block)) return;
    }
    if (left <= 0) through.end();
  };
  through.on("drain", more);
  more();
}
