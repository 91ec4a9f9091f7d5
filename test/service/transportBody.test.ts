import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { APIError, AuthenticationError } from "../../src/index.js";
import { errorOf, transportFor, transportTo } from "./helpers.js";
import { type ScriptedAnswer, startScriptedServer } from "./scriptedServer.js";

const oneAttempt = { maxRetries: 0 };
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

  test("of an error counts after decoding, too", async () => {
    const bomb = gzipSync(Buffer.alloc(50_000_000, "x"));
    const error = await failing(
      { status: 400, headers: { "content-encoding": "gzip" }, body: bomb },
      { maxBodyBytes: 1e6 },
    );
    expect(error.response?.body).toBe("");
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
    ["too large", { status: 403, body: "x".repeat(1_000_000) }],
  ])("may be %s: the status decides", async (_, answer) => {
    expect(await failing(answer, { maxBodyBytes: 10 })).toBeInstanceOf(AuthenticationError);
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
});
