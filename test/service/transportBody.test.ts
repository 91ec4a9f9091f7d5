import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { APIError, AuthenticationError } from "../../src/index.js";
import { errorOf, transportFor, transportTo } from "./helpers.js";
import { type ScriptedAnswer, startScriptedServer } from "./scriptedServer.js";

const oneAttempt = { maxRetries: 0 };
const head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n";
const text = JSON.stringify({ bills: Array.from({ length: 1000 }, (_, id) => ({ id })) });

/** The error of a single attempt against one answer; afterwards nothing may be left open. */
async function failing(answer: ScriptedAnswer, options = {}): Promise<APIError> {
  const { server, transport } = await transportFor([answer], { ...oneAttempt, ...options });
  const error = await errorOf(transport.request("/bills", [["query", "x"]]), APIError);
  await server.quiet();
  await transport.close();
  await server.quiet(0);
  expect(error).toMatchObject({ method: "GET", path: "/bills" });
  expect(error.message.startsWith("GET /bills ")).toBe(true);
  expect(error.hint).not.toBe("");
  return error;
}

describe("a compressed body is decoded", () => {
  test.each<[string, Buffer]>([
    ["gzip", gzipSync(text)],
    ["x-gzip", gzipSync(text)],
    ["GZIP", gzipSync(text)],
    ["identity", Buffer.from(text)],
    ["", Buffer.from(text)],
  ])("%s", async (encoding, body) => {
    const { transport } = await transportFor([{ headers: { "content-encoding": encoding }, body }]);
    expect((await transport.request("/bills", [])).body.toString()).toBe(text);
  });

  test.each<[string, string, Buffer, string]>([
    ["gzip that is none", "gzip", Buffer.from(text), "UNEXPECTED_BODY"],
    ["brotli, which was not requested", "br", brotliCompressSync(text), "UNEXPECTED_BODY"],
    ["an encoding nobody knows", "rot13", Buffer.from(text), "UNEXPECTED_BODY"],
    ["a name of Object.prototype", "constructor", Buffer.from(text), "UNEXPECTED_BODY"],
    ["two encodings", "br, gzip", gzipSync(brotliCompressSync(text)), "UNEXPECTED_BODY"],
    ["one encoding twice", "gzip,gzip", gzipSync(gzipSync(text)), "UNEXPECTED_BODY"],
    ["gzip that ends early", "gzip", gzipSync(text).subarray(0, 200), "BODY_TRUNCATED"],
  ])("%s is a typed error", async (_, encoding, body, code) => {
    const error = await failing({ headers: { "content-encoding": encoding }, body });
    expect(error).toMatchObject({ code, statusCode: 200 });
  });
});

describe("the size of a body", () => {
  test("may equal the limit, but not exceed it by a byte", async () => {
    const { transport } = await transportFor([{ body: "x".repeat(1000) }], {
      ...oneAttempt,
      maxBodyBytes: 1000,
    });
    expect((await transport.request("/bills", [])).body).toHaveLength(1000);
    const error = await failing({ body: "x".repeat(1001) }, { maxBodyBytes: 1000 });
    expect(error).toMatchObject({ code: "BODY_TOO_LARGE", statusCode: 200 });
    expect(error.message).toContain("the response is larger than 1000 bytes");
  });

  test("counts after decoding: a decompression bomb is not unpacked", async () => {
    const bomb = gzipSync(Buffer.alloc(50_000_000));
    expect(bomb.length).toBeLessThan(100_000);
    const error = await failing({ headers: { "content-encoding": "gzip" }, body: bomb }, { maxBodyBytes: 100_000 });
    expect(error.code).toBe("BODY_TOO_LARGE");
  });

  test("of an error counts after decoding, too", async () => {
    const bomb = gzipSync(Buffer.alloc(50_000_000, "x"));
    const error = await failing({ status: 400, headers: { "content-encoding": "gzip" }, body: bomb });
    expect(error.response?.body).toBe("");
  });

  test("is checked while reading: an endless body is cut off", async () => {
    const error = await failing({ drip: "x".repeat(100), everyMs: 1 }, { maxBodyBytes: 20, timeout: 20 });
    expect(error.code).toBe("BODY_TOO_LARGE");
  });
});

describe("a truncated body", () => {
  test.each<[string, ScriptedAnswer]>([
    ["shorter than its content-length", { raw: `${head}content-length: 100\r\n\r\n{"bills":` }],
    ["in the middle of a chunk", { raw: `${head}transfer-encoding: chunked\r\n\r\nff\r\n{"bills":` }],
    ["without its last chunk", { raw: `${head}transfer-encoding: chunked\r\n\r\n2\r\n{}\r\n` }],
    ["with a chunk size that is none", { raw: `${head}transfer-encoding: chunked\r\n\r\n2\r\n{}\r\nzz\r\n` }],
  ])("%s", async (_, answer) => {
    const error = await failing(answer);
    expect(error).toMatchObject({ code: "BODY_TRUNCATED", statusCode: 200 });
    expect(error.cause).toBeInstanceOf(Error);
  });
});

const real = { setTimeout, clearTimeout };

/** Lets 7 seconds pass once the request is sent, or once the head of its response has arrived. */
function timeOutAfter(event: "sent" | "head"): void {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  // What else the server has written comes in the meantime.
  let waiting: NodeJS.Timeout | undefined;
  const pass = () => {
    waiting = real.setTimeout(() => vi.advanceTimersByTime(7_000), 20);
  };
  const channel = event === "sent" ? "undici:client:sendHeaders" : "undici:request:headers";
  subscribe(channel, pass);
  onTestFinished(() => {
    unsubscribe(channel, pass);
    real.clearTimeout(waiting);
    vi.useRealTimers();
  });
}

describe("timeouts", () => {
  test.each<[string, ScriptedAnswer, "sent" | "head", string]>([
    ["no answer", { hang: true }, "sent", "failed: no response within 7 s"],
    ["half a head", { raw: "HTTP/1.1 200 OK\r\ncontent-", keepOpen: true }, "sent", "failed: no response within 7 s"],
    [
      "no body",
      { raw: `${head}content-length: 10\r\n\r\n`, keepOpen: true },
      "head",
      "failed: no complete response within 7 s",
    ],
    ["a slow body", { drip: " ", everyMs: 5 }, "head", "failed: no complete response within 7 s"],
  ])("%s", async (_, answer, event, words) => {
    timeOutAfter(event);
    const error = await failing(answer, { timeout: 7 });
    expect(error.code).toBe("TIMEOUT");
    expect(error.message).toContain(words);
    expect(error.message).toContain("Raise the timeout option");
  });

  test("the body of a redirect that hangs: the status suffices", async () => {
    timeOutAfter("head");
    const raw = "HTTP/1.1 302 Found\r\nlocation: /hop\r\ncontent-length: 9\r\n\r\n";
    const error = await failing({ raw, keepOpen: true }, { timeout: 7 });
    expect(error).toMatchObject({ code: "REDIRECT_REFUSED", statusCode: 302 });
  });

  test("a TLS handshake without a response, and its socket is closed", async () => {
    const sockets = new Set<Socket>();
    const mute = createServer((socket) => sockets.add(socket.on("error", () => {}))).listen(0, "127.0.0.1");
    await once(mute, "listening");
    const { port } = mute.address() as AddressInfo;
    const transport = transportTo({ baseUrl: `https://127.0.0.1:${port}` }, { ...oneAttempt, timeout: 7 });
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const failed = errorOf(transport.request("/bills", []), APIError);
    await once(mute, "connection");
    vi.advanceTimersByTime(7_000);
    const error = await failed;
    expect(error.code).toBe("TIMEOUT");
    // No close() yet: the settled call itself has let go of the socket.
    for (const socket of sockets) if (!socket.closed) await once(socket.resume(), "close");
    await transport.close();
    expect(sockets.size).toBe(1);
    mute.close();
  });
});

const refused = "HTTP/1.1 403 Forbidden\r\n";

describe("the body of an error", () => {
  test("is kept up to 2,000 characters", async () => {
    const error = await failing({ status: 400, body: "é".repeat(100_000) });
    expect(error.response?.body).toBe(`${"é".repeat(2000)}…`);
    expect(error.response?.headers["content-type"]).toBe("application/json");
  });

  test.each<[string, ScriptedAnswer]>([
    ["cut off", { raw: `${refused}content-length: 100\r\n\r\nno` }],
    ["broken", { raw: `${refused}content-encoding: gzip\r\ncontent-length: 2\r\n\r\nno` }],
    ["of an unknown encoding", { raw: `${refused}content-encoding: rot13\r\ncontent-length: 2\r\n\r\nno` }],
    ["without end", { raw: `${refused}content-length: 100\r\n\r\nno`, keepOpen: true }],
    ["too large", { status: 403, body: "x".repeat(1_000_000) }],
    ["slow", { drip: "no", everyMs: 5, status: 403 }],
  ])("may be %s: the status decides", async (_, answer) => {
    timeOutAfter("head");
    expect(await failing(answer, { timeout: 7, maxBodyBytes: 10 })).toBeInstanceOf(AuthenticationError);
  });
});

describe("connections that fail", () => {
  test("a closed port", async () => {
    const server = await startScriptedServer(() => ({}));
    await server.close();
    await using transport = transportTo(server, oneAttempt);
    const error = await errorOf(transport.request("/bills", []), APIError);
    expect(error).toMatchObject({ code: "CONNECTION_FAILED", cause: { code: "ECONNREFUSED" } });
    expect(error.message).toBe(
      "GET /bills failed: connection refused (ECONNREFUSED). Check baseUrl (ARCHIVE_BASE_URL), and that the service is running.",
    );
    expect(error).not.toHaveProperty("statusCode");
  });

  test("a host that does not exist", async () => {
    await using transport = transportTo({ baseUrl: "https://archive.invalid/2.0" }, oneAttempt);
    const error = await errorOf(transport.request("/bills", []), APIError);
    expect(error.code).toBe("CONNECTION_FAILED");
    expect(error.message).toContain("the host name cannot be resolved");
  });

  test("a reset, garbage, and a head without end", async () => {
    expect((await failing({ reset: true })).code).toBe("CONNECTION_FAILED");
    const garbage = await failing({ raw: "SSH-2.0-OpenSSH\r\n" });
    expect(garbage.message).toContain("the response is not valid HTTP");
    const long = await failing({ raw: `${head}x: ${"y".repeat(100_000)}\r\n\r\n` });
    expect(long.code).toBe("CONNECTION_FAILED");
  });

  test("TLS to a plain-text server is not retried", async () => {
    await using server = await startScriptedServer(() => ({}));
    await using transport = transportTo({ baseUrl: server.baseUrl.replace("http:", "https:") }, oneAttempt);
    const error = await errorOf(transport.request("/bills", []), APIError);
    expect(error.code).toBe("CONNECTION_FAILED");
  });
});
