import type { Writable } from "node:stream";
import type { ErrorCode } from "../../../src/index.js";
import { type Act, type Fault, faultsOf, head, type Strike, send } from "./fault.js";

const JSON_HEAD = { "content-type": "application/json" };
const chunkedHead = head("200 OK", { ...JSON_HEAD, "transfer-encoding": "chunked" });
const closingHead = head("200 OK", { ...JSON_HEAD, connection: "close" });

const headOf = (length: number) => head("200 OK", { ...JSON_HEAD, "content-length": length });
const full = ({ body }: Strike) => headOf(body.length);
const whole = (body: Buffer) => headOf(body.length) + body;
const half = (body: Buffer) => body.subarray(0, Math.floor(body.length / 2));
const chunk = (bytes: Buffer) => Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, CRLF]);
const CRLF = Buffer.from("\r\n");

type Bytes = (strike: Strike) => ReadonlyArray<string | Buffer>;
const write =
  (bytes: Bytes): Act =>
  (strike) => {
    for (const some of bytes(strike)) strike.request.socket.write(some);
  };
const closeAfter =
  (bytes: Bytes): Act =>
  (strike) => {
    write(bytes)(strike);
    strike.request.socket.end();
  };
const resetAfter =
  (bytes: Bytes): Act =>
  (strike) => {
    write(bytes)(strike);
    // A reset discards unread bytes: the client reads them in the next turns of the event loop.
    setImmediate(() => setImmediate(() => setImmediate(() => strike.request.socket.resetAndDestroy())));
  };

/** Writes a part of the body every so many milliseconds, and then ends. */
const trickle = ({ request, body }: Strike, to: Writable, size: number, milliseconds: number, end = () => {}) => {
  let at = 0;
  const timer = setInterval(() => {
    to.write(body.subarray(at, at + size));
    at += size;
    if (at < body.length) return;
    clearInterval(timer);
    end();
  }, milliseconds);
  request.socket.once("close", () => clearInterval(timer));
};

/** How far a response comes, and the error if the connection is lost there. */
const PHASES: Readonly<Record<string, readonly [lost: ErrorCode, Bytes]>> = {
  "before the headers": ["CONNECTION_FAILED", () => []],
  "during the headers": ["CONNECTION_FAILED", (strike) => [full(strike).slice(0, 30)]],
  "after the headers": ["BODY_TRUNCATED", (strike) => [full(strike)]],
  "during the body": ["BODY_TRUNCATED", (strike) => [full(strike), half(strike.body)]],
  "inside a chunk": ["BODY_TRUNCATED", ({ body }) => [chunkedHead, chunk(body).subarray(0, 50)]],
  "before the last chunk": ["BODY_TRUNCATED", ({ body }) => [chunkedHead, chunk(body)]],
};

/**
 * Faults of a connection in each phase of a response. A right response is sent by the HTTP server: it would never answer the next
 * request of a connection whose response was written past it.
 */
export const connectionFaults: readonly Fault[] = [
  ...Object.entries(PHASES).flatMap(([phase, [lost, bytes]]) => [
    ...faultsOf(lost, { [`reset ${phase}`]: resetAfter(bytes), [`closed ${phase}`]: closeAfter(bytes) }),
    ...faultsOf("TIMEOUT", { [`hangs ${phase}`]: write(bytes) }),
  ]),
  ...faultsOf("TIMEOUT", {
    "a byte at a time until the timeout": (strike) => {
      write((of) => [full(of)])(strike);
      trickle(strike, strike.request.socket, 1, 50);
    },
  }),
  {
    name: "refused",
    code: "CONNECTION_FAILED",
    isFinal: true,
    act: ({ goDown, request }) => {
      goDown();
      request.socket.resetAndDestroy();
    },
  },
  ...faultsOf("BODY_TRUNCATED", {
    "a length that is too large": closeAfter(({ body }) => [headOf(99_999), body]),
    "a chunk size that is not a number": closeAfter(({ body }) => [chunkedHead, "zz\r\n", body, "\r\n0\r\n\r\n"]),
  }),
  ...faultsOf("BODY_NOT_JSON", {
    "truncated, without length or chunks": closeAfter(({ body }) => [closingHead, half(body)]),
    "a length that is too small": write(({ body }) => [headOf(50), body]),
  }),
  ...faultsOf("CONNECTION_FAILED", {
    "a negative length": write(({ body }) => [headOf(-5), body]),
    "two lengths that differ": closeAfter((strike) => [
      full(strike).replace("\r\n\r\n", "\r\ncontent-length: 50\r\n\r\n"),
      strike.body,
    ]),
    "bytes that are not HTTP": closeAfter(() => [Buffer.from([0, 255, 13, 10, 7, 1])]),
    "another protocol": closeAfter(() => ["SSH-2.0-OpenSSH_9.2p1\r\n"]),
    "a body without headers": closeAfter(({ body }) => [body]),
    "endless headers": write(() => [`HTTP/1.1 200 OK\r\n${`x-pad: ${"x".repeat(8000)}\r\n`.repeat(40)}`]),
    "the key in a malformed header": closeAfter(({ key }) => [`HTTP/1.1 200 OK\r\n${key}\r\n\r\n`]),
    "switching protocols": write(() => [head("101 Switching Protocols", { upgrade: "x", connection: "upgrade" })]),
    "an unsolicited 100 Continue": write(({ body }) => [head("100 Continue", {}), whole(body)]),
  }),
  ...faultsOf(undefined, {
    "a slow body within the timeout": (strike) => {
      const { response, body } = strike;
      response.writeHead(200, { ...JSON_HEAD, "content-length": body.length });
      trickle(strike, response, 200, 2, () => response.end());
    },
    "no length, ended by closing": closeAfter(({ body }) => [closingHead, body]),
    "complete, in chunks of one byte": ({ response, body }) => {
      response.writeHead(200, JSON_HEAD);
      for (const byte of body) response.write(Buffer.from([byte]));
      response.end();
    },
    "an unsolicited response after the right one": write(({ body }) => [
      whole(body) + whole(Buffer.from('{"mentions":[{"id":"666"}],"bills":[{"id":666}],"cursor":"c0"}')),
    ]),
    "early hints before the response": (strike) => {
      strike.response.writeEarlyHints({ link: "</x>" });
      send(strike, strike.body);
    },
  }),
];
