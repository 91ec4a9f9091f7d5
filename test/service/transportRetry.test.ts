import { describe, expect, test, vi } from "vitest";
import { APIError, AuthenticationError, type ErrorCode, NotFoundError, RateLimitError } from "../../src/index.js";
import { backoff } from "../../src/service/http/failures.js";
import { resolveOptions } from "../../src/service/http/options.js";
import type { Gate } from "../../src/service/http/rateLimitGate.js";
import type { RetryEvent } from "../../src/service/http/requester.js";
import { Transport } from "../../src/service/http/transport.js";
import { JumpingClock } from "./clocks.js";
import { errorOf, KEY, transportTo } from "./helpers.js";
import { type ScriptedAnswer, startScriptedServer } from "./scriptedServer.js";

const GOOD: ScriptedAnswer = { body: { bills: [] } };

/** Answers in turn, the last one for ever. */
const inTurn =
  (...answers: ScriptedAnswer[]) =>
  (_: unknown, index: number) =>
    answers[Math.min(index, answers.length - 1)] as ScriptedAnswer;

const throttled = (retryAfter?: string): ScriptedAnswer => ({
  status: 429,
  headers: retryAfter === undefined ? {} : { "retry-after": retryAfter },
  body: "slow down",
});

describe("what is retried", () => {
  test.each<[string, ScriptedAnswer, ErrorCode]>([
    ["429", throttled(), "RATE_LIMITED"],
    ["500", { status: 500 }, "SERVER_ERROR"],
    ["503", { status: 503 }, "SERVER_ERROR"],
    ["a reset connection", { reset: true }, "CONNECTION_FAILED"],
    ["an answer that is no HTTP", { raw: "hello there\r\n\r\n" }, "CONNECTION_FAILED"],
    ["a connection closed without an answer", { raw: "" }, "CONNECTION_FAILED"],
    ["a cut body", { raw: "HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{" }, "BODY_TRUNCATED"],
    ["a time-out", { hang: true }, "TIMEOUT"],
  ])("%s", async (_, bad, reason) => {
    await using server = await startScriptedServer(inTurn(bad, GOOD));
    const clock = new JumpingClock();
    await using transport = transportTo(server, { timeout: 60 }, clock);
    const events: RetryEvent[] = [];
    if (reason === "TIMEOUT") vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const call = transport.request("/bills", [], { onRetry: (event) => events.push(event) });
    await server.arrived(1);
    if (reason === "TIMEOUT") vi.advanceTimersByTime(60_000).useRealTimers();
    const response = await call;
    expect(response).toMatchObject({ status: 200, requests: 2, retries: 1 });
    expect(events).toEqual([{ attempt: 1, delay: 0.5, reason }]);
    expect(Object.isFrozen(events[0])).toBe(true);
    expect(clock.sleeps).toEqual([0.5]);
  });

  test("never what a gate refuses, not even as a temporary failure", async () => {
    await using server = await startScriptedServer(inTurn(GOOD));
    const clock = new JumpingClock();
    const refusal = new RateLimitError("the quota of all workers is used up.", { retryAfter: 5 });
    let asked = 0;
    const gate: Gate = {
      ...{ accepted: 0, refusals: 0, isShared: true },
      pass: async () => {
        asked++;
        throw refusal;
      },
    };
    const options = resolveOptions({ apiKey: KEY, baseUrl: server.baseUrl }, {});
    const transport = new Transport(options, clock, () => 0, gate);
    expect(await errorOf(transport.request("/bills", []), RateLimitError)).toBe(refusal);
    expect([asked, clock.sleeps, server.requests]).toEqual([1, [], []]);
    await transport.close();
  });

  test.each([400, 401, 403, 404, 410, 418, 304])("never %i", async (status) => {
    await using server = await startScriptedServer(inTurn({ status, headers: { "retry-after": "1" } }, GOOD));
    await using transport = transportTo(server);
    const error = await errorOf(transport.request("/bills", []), APIError);
    expect(error.statusCode).toBe(status);
    if (status === 403) expect(error).toBeInstanceOf(AuthenticationError);
    if (status === 404) expect(error).toBeInstanceOf(NotFoundError);
    expect(server.requests).toHaveLength(1);
  });

  test("maxRetries times, with exponential back-off, and the error says how often", async () => {
    await using server = await startScriptedServer(inTurn({ status: 502, body: "bad gateway" }));
    const clock = new JumpingClock();
    await using transport = transportTo(server, { maxRetries: 4 }, clock);
    const error = await errorOf(transport.request("/bills", []), APIError);
    expect(clock.sleeps).toEqual([0.5, 1, 2, 4]);
    expect(server.requests).toHaveLength(5);
    expect(error).toMatchObject({
      code: "SERVER_ERROR",
      statusCode: 502,
      response: { status: 502, body: "bad gateway" },
    });
    expect(error.message).toContain("GET /bills failed with status 502 after 5 attempts: server error");
  });

  test("maxRetries 0 and backoffFactor 0 are honoured", async () => {
    await using server = await startScriptedServer(inTurn({ status: 500 }));
    const never = transportTo(server, { maxRetries: 0 });
    expect((await errorOf(never.request("/bills", []), APIError)).message).toContain("failed with status 500: ");
    expect(server.requests).toHaveLength(1);
    const clock = new JumpingClock();
    const atOnce = transportTo(server, { backoffFactor: 0, maxRetries: 2 }, clock);
    await errorOf(atOnce.request("/bills", []), APIError);
    expect(clock.sleeps).toEqual([0, 0]);
    await Promise.all([never.close(), atOnce.close()]);
  });

  test("throws the error of the last attempt, not of the first", async () => {
    await using server = await startScriptedServer(inTurn({ status: 500 }, { reset: true }, { status: 404 }));
    await using transport = transportTo(server);
    const error = await errorOf(transport.request("/bills", []), NotFoundError);
    expect(error.message).toContain("failed with status 404 after 3 attempts");
  });
});

describe("the wait", () => {
  test.each<[string, string, number, number | undefined]>([
    ["seconds", "7", 7, 7],
    ["a part of a second, rounded up", "0.2", 1, 1],
    ["nothing to wait", "0", 0, 0],
    ["a date", "Mon, 01 Jan 2024 00:00:09 GMT", 9, 9],
    ["a date in the past", "Sun, 31 Dec 2023 00:00:00 GMT", 0, 0],
    ["a negative number", "-5", 0.5, undefined],
    ["nonsense", "tomorrow", 0.5, undefined],
    ["a number with a unit", "5 seconds", 0.5, undefined],
    ["another notation of numbers", "1e3", 0.5, undefined],
    ["another notation of dates", "2024-01-01T00:00:09Z", 0.5, undefined],
    ["an hour that does not exist", "Mon, 01 Jan 2024 25:00:09 GMT", 0.5, undefined],
  ])("follows a Retry-After of %s", async (_, retryAfter, delay, parsed) => {
    for (const status of [429, 503]) {
      const headers = { "retry-after": retryAfter, date: "" };
      await using server = await startScriptedServer(inTurn({ status, headers }, GOOD));
      const clock = new JumpingClock(Date.UTC(2024, 0, 1));
      await using transport = transportTo(server, {}, clock);
      const events: RetryEvent[] = [];
      await transport.request("/bills", [], { onRetry: (event) => events.push(event) });
      expect(events).toMatchObject([{ delay, attempt: 1 }]);
      expect(events[0]?.retryAfter).toBe(parsed);
      expect(clock.sleeps.reduce((sum, slept) => sum + slept, 0)).toBe(delay);
    }
  });

  test("compares a date with the service's clock: the user's may be wrong", async () => {
    const headers = { date: "Sun, 06 Nov 1994 08:49:37 GMT", "retry-after": "Sun, 06 Nov 1994 08:49:42 GMT" };
    await using server = await startScriptedServer(inTurn({ status: 503, headers }, GOOD));
    const clock = new JumpingClock();
    await using transport = transportTo(server, {}, clock);
    await transport.request("/bills", []);
    expect(clock.sleeps).toEqual([5]);
  });

  test("longer than maxRetryWait fails immediately", async () => {
    for (const [status, type] of [
      [429, RateLimitError],
      [503, APIError],
    ] as const) {
      await using server = await startScriptedServer(inTurn({ status, headers: { "retry-after": "61" } }, GOOD));
      const clock = new JumpingClock();
      await using transport = transportTo(server, { maxRetryWait: 60 }, clock);
      const error = await errorOf(transport.request("/bills", []), type);
      expect(error.statusCode).toBe(status);
      expect(server.requests).toHaveLength(1);
      expect(clock.sleeps).toEqual([]);
    }
  });

  test("of exactly maxRetryWait is accepted", async () => {
    await using server = await startScriptedServer(inTurn(throttled("60"), GOOD));
    const clock = new JumpingClock();
    await using transport = transportTo(server, { maxRetryWait: 60 }, clock);
    expect((await transport.request("/bills", [])).retries).toBe(1);
    expect(clock.sleeps).toEqual([60]);
  });

  test("maxRetryWait does not bound the back-off", async () => {
    await using server = await startScriptedServer(inTurn({ status: 500 }, throttled(), GOOD));
    const clock = new JumpingClock();
    await using transport = transportTo(server, { maxRetryWait: 0, backoffFactor: 10 }, clock);
    await transport.request("/bills", []);
    expect(clock.sleeps).toEqual([10, 20]);
  });

  test("backoff doubles, has jitter, and stays finite", () => {
    expect([1, 2, 3, 4].map((attempt) => backoff(attempt, 0.5, () => 0))).toEqual([0.5, 1, 2, 4]);
    expect(backoff(2, 1, () => 0.999)).toBeCloseTo(2.5, 2);
    expect(backoff(5000, 0.5, () => 0)).toBe(300);
    expect(backoff(5000, 1000, () => 0)).toBe(1000);
    expect(backoff(5000, 0, Math.random)).toBe(0);
  });
});

describe("429", () => {
  test("reports whole seconds, rounded up, after the last retry", async () => {
    await using server = await startScriptedServer(inTurn(throttled("1.5")));
    const clock = new JumpingClock();
    await using transport = transportTo(server, { maxRetries: 2 }, clock);
    const error = await errorOf(transport.request("/mentions", []), RateLimitError);
    expect(error).toMatchObject({
      retryAfter: 2,
      statusCode: 429,
      code: "RATE_LIMITED",
      response: { body: "slow down" },
    });
    expect(error.message).toContain("GET /mentions failed with status 429 after 3 attempts: too many requests");
    expect(clock.sleeps).toEqual([2, 2]);
  });

  test("while a quota refills, a client with a long queue sends one request at a time", async () => {
    await using server = await startScriptedServer(inTurn(throttled("1"), throttled("1"), throttled("1"), GOOD));
    await using transport = transportTo(server, { concurrency: 1 });
    const replies = await Promise.all(Array.from({ length: 20 }, (_, id) => transport.request(`/people/${id}`, [])));
    expect(replies).toHaveLength(20);
    // Three were refused, and nobody else was sent meanwhile.
    expect(server.requests).toHaveLength(23);
  });

  test("of a used-up quota fails all waiting requests unsent; later calls try afresh", async () => {
    await using server = await startScriptedServer((_, index) => (index < 2 ? throttled("3600") : GOOD));
    await using transport = transportTo(server, { concurrency: 2 });
    const asks = Array.from({ length: 50 }, (_, id) => errorOf(transport.request(`/people/${id}`, []), RateLimitError));
    const errors = await Promise.all(asks);
    expect(server.requests.length).toBeLessThanOrEqual(2);
    expect(new Set(errors).size).toBe(50);
    for (const [id, error] of errors.entries()) {
      expect(error).toMatchObject({ retryAfter: 3600, statusCode: 429, path: `/people/${id}` });
      expect(error.message).toContain("the quota of this key is used up");
    }
    while (server.requests.length < 2) await errorOf(transport.request("/bills", []), RateLimitError);
    expect((await transport.request("/bills", [])).status).toBe(200);
  });

  test("a retry does not queue behind newer requests", async () => {
    await using server = await startScriptedServer(inTurn({ status: 503 }, GOOD));
    await using transport = transportTo(server, { concurrency: 1, backoffFactor: 0 });
    await Promise.all(Array.from({ length: 10 }, (_, id) => transport.request(`/people/${id}`, [])));
    const second = server.requests.findLastIndex(({ url }) => url === "/people/0");
    expect(second).toBeGreaterThan(0);
    expect(second).toBeLessThan(4);
  });
});

test("a one-letter key does not damage the headers that the transport reads", async () => {
  await using server = await startScriptedServer(inTurn({ status: 503, headers: { "retry-after": "1" } }, GOOD));
  const clock = new JumpingClock();
  await using transport = transportTo(server, { apiKey: "1" }, clock);
  await transport.request("/bills", []);
  expect(clock.sleeps).toEqual([1]);
  expect(server.requests.map(({ url }) => url)).toEqual(["/bills", "/bills"]);
});
