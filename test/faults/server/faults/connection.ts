import { type Fault, head, type Strike, whole } from "./fault.js";

const JSON_HEAD = { "content-type": "application/json" };

const half = (body: Buffer) => body.subarray(0, Math.floor(body.length / 2));
const full = ({ body }: Strike) => head("200 OK", { ...JSON_HEAD, "content-length": body.length });
const chunk = (bytes: Buffer) => Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, CRLF]);
const CRLF = Buffer.from("\r\n");
const chunkedHead = head("200 OK", { ...JSON_HEAD, "transfer-encoding": "chunked" });

/** Writes some bytes and resets the connection. */
const resetAfter = ({ socket }: Strike, ...bytes: Array<string | Buffer>) => {
  for (const some of bytes) socket.write(some);
  // A reset discards unread bytes, so give the client time to read them.
  setTimeout(() => socket.resetAndDestroy(), bytes.length === 0 ? 0 : 5);
};
/** Writes some bytes and closes the connection normally. */
const endAfter = ({ socket }: Strike, ...bytes: Array<string | Buffer>) => {
  for (const some of bytes) socket.write(some);
  socket.end();
};
const write = ({ socket }: Strike, ...bytes: Array<string | Buffer>) => {
  for (const some of bytes) socket.write(some);
};

const lost = { family: "connection lost", passes: true } as const;
const slow = { family: "time-out", code: "TIMEOUT", passes: true, slow: true } as const;
const cut = { family: "truncated or wrong length", code: "BODY_TRUNCATED", passes: true } as const;
const garbage = { family: "garbage for HTTP", code: "CONNECTION_FAILED", passes: true } as const;

/** Faults of a connection in each phase of a response. */
export const connectionFaults: readonly Fault[] = [
  {
    ...lost,
    name: "refused",
    code: "CONNECTION_FAILED",
    passes: false,
    act: ({ goDown, socket }) => {
      goDown();
      socket.resetAndDestroy();
    },
  },
  { ...lost, name: "reset before the headers", code: "CONNECTION_FAILED", act: (strike) => resetAfter(strike) },
  {
    ...lost,
    name: "reset during the headers",
    code: "CONNECTION_FAILED",
    act: (strike) => resetAfter(strike, full(strike).slice(0, 30)),
  },
  {
    ...lost,
    name: "reset after the headers",
    code: "BODY_TRUNCATED",
    act: (strike) => resetAfter(strike, full(strike)),
  },
  {
    ...lost,
    name: "reset during the body",
    code: "BODY_TRUNCATED",
    act: (strike) => resetAfter(strike, full(strike), half(strike.body)),
  },
  { ...lost, name: "closed before the headers", code: "CONNECTION_FAILED", act: (strike) => endAfter(strike) },
  {
    ...lost,
    name: "closed during the headers",
    code: "CONNECTION_FAILED",
    act: (strike) => endAfter(strike, full(strike).slice(0, 30)),
  },

  { ...slow, name: "hangs before the headers", act: () => undefined },
  { ...slow, name: "hangs during the headers", act: (strike) => write(strike, full(strike).slice(0, 30)) },
  { ...slow, name: "hangs after the headers", act: (strike) => write(strike, full(strike)) },
  { ...slow, name: "hangs during the body", act: (strike) => write(strike, full(strike), half(strike.body)) },
  { ...slow, name: "hangs before the last chunk", act: ({ socket, body }) => socket.write(chunkedHead + chunk(body)) },
  {
    ...slow,
    name: "a byte at a time until the timeout",
    act: (strike) => {
      write(strike, full(strike));
      let at = 0;
      const timer = setInterval(() => strike.socket.write(strike.body.subarray(at++, at)), 50);
      strike.socket.once("close", () => clearInterval(timer));
    },
  },
  {
    ...slow,
    name: "hangs in the body of a redirect, and after it",
    act: ({ request, socket }) => {
      if (request.url?.includes("hop=")) return;
      socket.write(head("302 Found", { location: `${request.url}&hop=1`, "content-length": 100 }));
    },
  },
  {
    family: "time-out",
    name: "a slow body within the timeout",
    act: ({ socket, body }) => {
      const bytes = whole(body);
      let at = 0;
      const timer = setInterval(() => {
        socket.write(bytes.subarray(at, at + 200));
        at += 200;
        if (at >= bytes.length) clearInterval(timer);
      }, 2);
      socket.once("close", () => clearInterval(timer));
    },
  },

  { ...cut, name: "truncated, with a length", act: (strike) => endAfter(strike, full(strike), half(strike.body)) },
  { ...cut, name: "truncated in chunks", act: (strike) => endAfter(strike, chunkedHead, chunk(half(strike.body))) },
  {
    ...cut,
    name: "truncated inside a chunk",
    act: (strike) => endAfter(strike, chunkedHead, chunk(strike.body).subarray(0, 50)),
  },
  {
    ...cut,
    name: "truncated, without length or chunks",
    code: "BODY_NOT_JSON",
    passes: false,
    act: (strike) => endAfter(strike, head("200 OK", { ...JSON_HEAD, connection: "close" }), half(strike.body)),
  },
  {
    ...cut,
    name: "a length that is too large",
    act: (strike) => endAfter(strike, head("200 OK", { ...JSON_HEAD, "content-length": 99_999 }), strike.body),
  },
  {
    ...cut,
    name: "a length that is too small",
    code: "BODY_NOT_JSON",
    passes: false,
    act: (strike) => write(strike, head("200 OK", { ...JSON_HEAD, "content-length": 50 }), strike.body),
  },
  {
    ...cut,
    name: "a negative length",
    code: "CONNECTION_FAILED",
    act: (strike) => write(strike, head("200 OK", { ...JSON_HEAD, "content-length": -5 }), strike.body),
  },
  {
    ...cut,
    name: "two lengths that differ",
    code: "CONNECTION_FAILED",
    act: ({ socket, body }) =>
      socket.end(
        `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 50\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
      ),
  },
  {
    ...cut,
    name: "a chunk size that is not a number",
    act: (strike) => endAfter(strike, chunkedHead, "zz\r\n", strike.body, "\r\n0\r\n\r\n"),
  },
  {
    family: "truncated or wrong length",
    name: "no length, ended by closing",
    act: (strike) => endAfter(strike, head("200 OK", { ...JSON_HEAD, connection: "close" }), strike.body),
  },
  {
    family: "truncated or wrong length",
    name: "complete, in chunks of one byte",
    act: (strike) =>
      write(strike, chunkedHead, ...[...strike.body].map((byte) => chunk(Buffer.from([byte]))), "0\r\n\r\n"),
  },

  {
    ...garbage,
    name: "bytes that are not HTTP",
    act: (strike) => endAfter(strike, Buffer.from([0, 255, 13, 10, 7, 1])),
  },
  { ...garbage, name: "another protocol", act: (strike) => endAfter(strike, "SSH-2.0-OpenSSH_9.2p1\r\n") },
  { ...garbage, name: "a body without headers", act: (strike) => endAfter(strike, strike.body) },
  {
    ...garbage,
    name: "endless headers",
    act: ({ socket }) => {
      const line = `x-pad: ${"x".repeat(8000)}\r\n`;
      socket.write(`HTTP/1.1 200 OK\r\n${line.repeat(40)}`);
    },
  },
  {
    ...garbage,
    name: "the key in a malformed header",
    act: (strike) => endAfter(strike, `HTTP/1.1 200 OK\r\n${strike.key}\r\n\r\n`),
  },
  {
    ...garbage,
    name: "switching protocols",
    act: (strike) => write(strike, head("101 Switching Protocols", { upgrade: "x", connection: "upgrade" })),
  },
  {
    family: "garbage for HTTP",
    name: "an unsolicited response after the right one",
    act: (strike) => {
      const stale = Buffer.from('{"mentions":[{"id":"666"}],"bills":[{"id":666}],"cursor":"c0"}');
      write(strike, Buffer.concat([whole(strike.body), whole(stale)]));
    },
  },
  {
    family: "garbage for HTTP",
    name: "early hints before the response",
    act: (strike) => write(strike, head("103 Early Hints", { link: "</x>" }), whole(strike.body)),
  },
  {
    ...garbage,
    name: "an unsolicited 100 Continue",
    act: (strike) => write(strike, head("100 Continue", {}), whole(strike.body)),
  },
];
