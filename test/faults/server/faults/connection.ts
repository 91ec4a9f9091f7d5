import type { Writable } from "node:stream";
import { type Fault, family, head, type Strike, send, whole } from "./fault.js";

const JSON_HEAD = { "content-type": "application/json" };

const half = (body: Buffer) => body.subarray(0, Math.floor(body.length / 2));
const full = ({ body }: Strike) => head("200 OK", { ...JSON_HEAD, "content-length": body.length });
const CRLF = Buffer.from("\r\n");
const chunk = (bytes: Buffer) => Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, CRLF]);
const chunkedHead = head("200 OK", { ...JSON_HEAD, "transfer-encoding": "chunked" });
const closingHead = head("200 OK", { ...JSON_HEAD, connection: "close" });

const write = ({ socket }: Strike, ...bytes: Array<string | Buffer>) => {
  for (const some of bytes) socket.write(some);
};
/** Writes some bytes and resets the connection. */
const resetAfter = (strike: Strike, ...bytes: Array<string | Buffer>) => {
  write(strike, ...bytes);
  // A reset discards unread bytes, so give the client time to read them.
  setTimeout(() => strike.socket.resetAndDestroy(), bytes.length === 0 ? 0 : 5);
};
/** Writes some bytes and closes the connection normally. */
const endAfter = (strike: Strike, ...bytes: Array<string | Buffer>) => {
  write(strike, ...bytes);
  strike.socket.end();
};
/** Writes a part of the body every so many milliseconds, and then ends. */
const trickle = ({ socket, body }: Strike, to: Writable, size: number, milliseconds: number, end = () => {}) => {
  let at = 0;
  const timer = setInterval(() => {
    to.write(body.subarray(at, at + size));
    at += size;
    if (at < body.length) return;
    clearInterval(timer);
    end();
  }, milliseconds);
  socket.once("close", () => clearInterval(timer));
};

const truncated = { code: "BODY_TRUNCATED" } as const;
const failed = { code: "CONNECTION_FAILED" } as const;
const notJson = { code: "BODY_NOT_JSON", passes: false } as const;

const lost = family({ family: "connection lost", passes: true, ...failed }, [
  [
    "refused",
    ({ goDown, socket }) => {
      goDown();
      socket.resetAndDestroy();
    },
    { passes: false },
  ],
  ["reset before the headers", (strike) => resetAfter(strike)],
  ["reset during the headers", (strike) => resetAfter(strike, full(strike).slice(0, 30))],
  ["reset after the headers", (strike) => resetAfter(strike, full(strike)), truncated],
  ["reset during the body", (strike) => resetAfter(strike, full(strike), half(strike.body)), truncated],
  ["closed before the headers", (strike) => endAfter(strike)],
  ["closed during the headers", (strike) => endAfter(strike, full(strike).slice(0, 30))],
]);

const slow = family({ family: "time-out", code: "TIMEOUT", passes: true, slow: true }, [
  ["hangs before the headers", () => undefined],
  ["hangs during the headers", (strike) => write(strike, full(strike).slice(0, 30))],
  ["hangs after the headers", (strike) => write(strike, full(strike))],
  ["hangs during the body", (strike) => write(strike, full(strike), half(strike.body))],
  ["hangs before the last chunk", ({ socket, body }) => socket.write(chunkedHead + chunk(body))],
  [
    "a byte at a time until the timeout",
    (strike) => {
      write(strike, full(strike));
      trickle(strike, strike.socket, 1, 50);
    },
  ],
]);

const cut = family({ family: "truncated or wrong length", passes: true, ...truncated }, [
  ["truncated, with a length", (strike) => endAfter(strike, full(strike), half(strike.body))],
  ["truncated in chunks", (strike) => endAfter(strike, chunkedHead, chunk(half(strike.body)))],
  ["truncated inside a chunk", (strike) => endAfter(strike, chunkedHead, chunk(strike.body).subarray(0, 50))],
  ["truncated, without length or chunks", (strike) => endAfter(strike, closingHead, half(strike.body)), notJson],
  [
    "a length that is too large",
    (strike) => endAfter(strike, head("200 OK", { ...JSON_HEAD, "content-length": 99_999 }), strike.body),
  ],
  [
    "a length that is too small",
    (strike) => write(strike, head("200 OK", { ...JSON_HEAD, "content-length": 50 }), strike.body),
    notJson,
  ],
  [
    "a negative length",
    (strike) => write(strike, head("200 OK", { ...JSON_HEAD, "content-length": -5 }), strike.body),
    failed,
  ],
  [
    "two lengths that differ",
    (strike) => endAfter(strike, full(strike).replace("\r\n\r\n", "\r\ncontent-length: 50\r\n\r\n"), strike.body),
    failed,
  ],
  [
    "a chunk size that is not a number",
    (strike) => endAfter(strike, chunkedHead, "zz\r\n", strike.body, "\r\n0\r\n\r\n"),
  ],
]);

const garbage = family({ family: "garbage for HTTP", passes: true, ...failed }, [
  ["bytes that are not HTTP", (strike) => endAfter(strike, Buffer.from([0, 255, 13, 10, 7, 1]))],
  ["another protocol", (strike) => endAfter(strike, "SSH-2.0-OpenSSH_9.2p1\r\n")],
  ["a body without headers", (strike) => endAfter(strike, strike.body)],
  ["endless headers", (strike) => write(strike, `HTTP/1.1 200 OK\r\n${`x-pad: ${"x".repeat(8000)}\r\n`.repeat(40)}`)],
  ["the key in a malformed header", (strike) => endAfter(strike, `HTTP/1.1 200 OK\r\n${strike.key}\r\n\r\n`)],
  [
    "switching protocols",
    (strike) => write(strike, head("101 Switching Protocols", { upgrade: "x", connection: "upgrade" })),
  ],
  ["an unsolicited 100 Continue", (strike) => write(strike, head("100 Continue", {}), whole(strike.body))],
]);

/**
 * Faults of a connection in each phase of a response. A right response is sent by the HTTP server: it would never answer the next
 * request of a connection whose response was written past it.
 */
export const connectionFaults: readonly Fault[] = [
  ...lost,
  ...slow,
  ...family({ family: "time-out" }, [
    [
      "a slow body within the timeout",
      (strike) => {
        const { response, body } = strike;
        response.writeHead(200, { ...JSON_HEAD, "content-length": body.length });
        trickle(strike, response, 200, 2, () => response.end());
      },
    ],
  ]),
  ...cut,
  ...family({ family: "truncated or wrong length" }, [
    ["no length, ended by closing", (strike) => endAfter(strike, closingHead, strike.body)],
    [
      "complete, in chunks of one byte",
      ({ response, body }) => {
        response.writeHead(200, JSON_HEAD);
        for (const byte of body) response.write(Buffer.from([byte]));
        response.end();
      },
    ],
  ]),
  ...garbage,
  ...family({ family: "garbage for HTTP" }, [
    [
      "an unsolicited response after the right one",
      (strike) => {
        const stale = Buffer.from('{"mentions":[{"id":"666"}],"bills":[{"id":666}],"cursor":"c0"}');
        write(strike, Buffer.concat([whole(strike.body), whole(stale)]));
      },
    ],
    [
      "early hints before the response",
      (strike) => {
        strike.response.writeEarlyHints({ link: "</x>" });
        send(strike, strike.body);
      },
    ],
  ]),
];
