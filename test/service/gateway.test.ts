import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { APIError, ArchiveClient, AuthenticationError, NotFoundError, RateLimitError } from "../../src/index.js";
import { JumpingClock } from "./clocks.js";
import { errorOf, KEY, transportFor } from "./helpers.js";
import { parseRetryAfter } from "./paging/generatedService.js";
import { type ScriptedAnswer, startScriptedServer } from "./scriptedServer.js";

/** What AWS API Gateway answers, as its vendor documents it. */
const gateway = (status: number, message: string, type?: string, headers: Record<string, string> = {}) => ({
  status,
  headers: { ...(type !== undefined && { "x-amzn-errortype": type }), ...headers },
  body: { message },
});
const LIMIT_EXCEEDED = gateway(429, "Limit Exceeded", "LimitExceededException");
const TOO_MANY = gateway(429, "Too Many Requests", "TooManyRequestsException");
const GOOD: ScriptedAnswer = { body: { bills: [] } };

describe("a used-up quota", () => {
  test.each<[string, ScriptedAnswer]>([
    ["by message and header", LIMIT_EXCEEDED],
    ["by its message", gateway(429, "Limit Exceeded")],
    ["by its header", gateway(429, "no more today", "LimitExceededException:http://internal.example/")],
    ["although it asks to wait", gateway(429, "Limit Exceeded", undefined, { "retry-after": "1" })],
  ])("%s takes one request", async (_, answer) => {
    const { server, transport, clock } = await transportFor([answer, GOOD]);
    const error = await errorOf(transport.request("/bills", []), RateLimitError);
    expect(error).toMatchObject({ code: "RATE_LIMITED", isQuota: true, statusCode: 429 });
    expect(error.message).toContain("the quota of this key is used up");
    expect(error.hint).toBe("Run it again when the quota resets, or use another key.");
    expect([server.requests.length, clock.sleeps]).toEqual([1, []]);
    // A later call probes once.
    expect((await transport.request("/bills", [])).status).toBe(200);
  });

  test("ends all waiting requests of the client, those between two attempts as well", async () => {
    const answers = [{ status: 503, headers: { "retry-after": "60" } }, LIMIT_EXCEEDED];
    const { server, transport } = await transportFor(answers, { concurrency: 2 }, new JumpingClock());
    const asks = Array.from({ length: 30 }, (_, id) => errorOf(transport.request(`/people/${id}`, []), RateLimitError));
    for (const [id, error] of (await Promise.all(asks)).entries()) {
      expect(error).toMatchObject({ isQuota: true, path: `/people/${id}` });
    }
    expect(server.requests.length).toBeLessThanOrEqual(4);
  });

  test.each<[string, ScriptedAnswer]>([
    ["a throttle", TOO_MANY],
    ["a throttle with the header of a quota", gateway(429, "Too Many Requests", "LimitExceededException")],
    ["another 429", { status: 429, body: "slow down" }],
    ["the words in a longer message", gateway(429, "Rate Limit Exceeded for now")],
  ])("is not %s, which is retried", async (_, answer) => {
    const { server, transport } = await transportFor([answer, GOOD]);
    expect((await transport.request("/bills", [])).retries).toBe(1);
    expect(server.requests).toHaveLength(2);
  });
});

test.each([
  [{ "retry-after": "120" }, 60, 429, "Wait 120 seconds and run it again, or let the client wait: maxRetryWait: 120."],
  [{ "retry-after": "120" }, 60, 503, "Wait 120 seconds and run it again, or let the client wait: maxRetryWait: 120."],
  [{ "retry-after": "120" }, 120, 429, "Wait 120 seconds and run it again, or lower concurrency."],
  [{ "retry-after": "0" }, 60, 429, "Wait a minute and run it again, or lower concurrency."],
])("after %j, with maxRetryWait %d, the hint of a %d is %s", async (headers, maxRetryWait, status, hint) => {
  const { transport } = await transportFor([{ status, headers }], { maxRetryWait, maxRetries: 1 });
  expect((await errorOf(transport.request("/bills", []), APIError)).hint).toBe(hint);
});

describe("a 403", () => {
  test.each([true, false])("for a missing authentication token is a wrong address (header: %s)", async (hasHeader) => {
    const type = hasHeader ? "MissingAuthenticationTokenException" : undefined;
    const { transport } = await transportFor([gateway(403, hasHeader ? "?" : "Missing Authentication Token", type)]);
    const error = await errorOf(transport.request("/mentions", []), NotFoundError);
    expect(error).toMatchObject({ code: "NOT_FOUND", statusCode: 403 });
    expect(error.message).toBe(
      "GET /mentions failed with status 403: the service has no such path. The address is wrong, not the key. " +
        "Check that baseUrl (ARCHIVE_BASE_URL) ends with the version of the service, for example /2.0.",
    );
  });

  test("otherwise is a wrong key", async () => {
    const { transport } = await transportFor([gateway(403, "Forbidden", "ForbiddenException")]);
    await errorOf(transport.request("/mentions", []), AuthenticationError);
  });
});

describe("a web page instead of a response", () => {
  const page = "<!DOCTYPE html><title>Access denied</title>";

  test.each<[string, ScriptedAnswer]>([
    ["by its body", { status: 403, body: page }],
    ["by its header", { status: 403, headers: { "content-type": "text/html" }, body: "" }],
  ])("with 403 (%s) is a firewall's, not a wrong key", async (_, answer) => {
    let sent = 0;
    await using server = await startScriptedServer(() => {
      const rows = [{ id: sent, billtitle: "t" }];
      return sent++ < 2 ? { body: { bills: rows, cursor: `c${sent}` } } : answer;
    });
    const archive = new ArchiveClient({ apiKey: KEY, baseUrl: server.baseUrl, progress: false });
    const error = await errorOf(archive.bills("x", { maxItems: 9 }), APIError);
    expect(error).not.toBeInstanceOf(AuthenticationError);
    expect(error).toMatchObject({ code: "HTTP_ERROR", statusCode: 403, partial: { rows: 2, cursor: "c2" } });
    expect(error.message).toContain("a firewall or proxy between you and the service refused it");
    expect(server.requests).toHaveLength(3);
    await archive.close();
  });

  test("of the gateway itself is about the key", async () => {
    const { transport } = await transportFor([{ status: 403, headers: { "x-amzn-requestid": "r" }, body: page }]);
    await errorOf(transport.request("/mentions", []), AuthenticationError);
  });

  test("a 407 is a proxy's, and sent once", async () => {
    const { server, transport } = await transportFor([{ status: 407, body: page }]);
    const error = await errorOf(transport.request("/mentions", []), APIError);
    expect(error.message).toContain("the proxy requires a password");
    expect(server.requests).toHaveLength(1);
  });
});

test.each([
  ["x-amzn-requestid", "b0c1-req", true],
  ["x-amz-apigw-id", "Abc=", true],
  ["X-Request-Id", "0af7651916cd43dd8448eb211c80319c", true],
  ["x-request-id", "a b", false],
  ["x-request-id", `x${"y".repeat(200)}`, false],
  ["x-request-id", Buffer.from(KEY).toString("latin1"), false],
])("the request id of %s: %j is in the error: %s", async (name, id, isShown) => {
  const { transport } = await transportFor([{ status: 404, headers: { [name]: id } }]);
  const error = await errorOf(transport.request("/bills", []), APIError);
  expect(error.requestId).toBe(isShown ? id : undefined);
  expect(error.message.includes(`If you report this to the service, include the request id ${id}.`)).toBe(isShown);
  expect(JSON.parse(JSON.stringify(error)).requestId).toBe(error.requestId);
});

test.each<[string, number | undefined]>([
  ["7", 7],
  ["0.2", 1],
  ["Mon, 01 Jan 2024 00:00:09 GMT", 9],
  ["Sun, 06 Nov 1994 08:49:37 GMT", 0],
  ["Mon, 01 Jan 2024 00:00:09 CET", undefined],
])("a Retry-After of %s", (text, seconds) => {
  expect(parseRetryAfter(text, Date.UTC(2024, 0, 1))).toBe(seconds);
});

test("a Retry-After that is a date is the time from now", () => {
  const seconds = fc.integer({ min: 0, max: 2 ** 31 });
  const property = fc.property(seconds, seconds, (from, wait) => {
    expect(parseRetryAfter(new Date(1000 * (from + wait)).toUTCString(), 1000 * from)).toBe(wait);
  });
  fc.assert(property);
});
