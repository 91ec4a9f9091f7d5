import { describe, expect, test } from "vitest";
import { APIError, type ClientOptions, RateLimitError } from "../../src/index.js";
import { errorOf, transportFor } from "./helpers.js";
import type { ScriptedAnswer } from "./scriptedServer.js";

const GOOD: ScriptedAnswer = { body: { bills: [] } };

const throttled = (retryAfter?: string): ScriptedAnswer => ({
  status: 429,
  headers: retryAfter === undefined ? {} : { "retry-after": retryAfter },
  body: "slow down",
});
const failing = (status: number, retryAfter: string): ScriptedAnswer => ({ ...throttled(retryAfter), status });
const says = (text: string): string => expect.stringContaining(text);

/** Answers of the service, options, the outcome of the call, and the seconds before each further request. */
type Case = [what: string, answers: ScriptedAnswer[], options: ClientOptions, outcome: object, sleeps: number[]];

describe("what is retried", () => {
  test("a retry is announced, and counts in the response", async () => {
    const { transport, clock } = await transportFor([{ status: 503 }, GOOD]);
    const delays: number[] = [];
    const response = await transport.request("/bills", [], { onRetry: (delay) => delays.push(delay) });
    expect(response).toMatchObject({ status: 200, requests: 2, retries: 1 });
    expect([delays, clock.sleeps]).toEqual([[0.5], [0.5]]);
  });

  const statuses = { 400: "HTTP_ERROR", 401: "AUTHENTICATION", 403: "AUTHENTICATION", 404: "NOT_FOUND" };
  const refused = Object.entries({ ...statuses, 410: "HTTP_ERROR", 418: "HTTP_ERROR", 304: "HTTP_ERROR" });
  const serverClock = { date: "Sun, 06 Nov 1994 08:49:37 GMT", "retry-after": "Sun, 06 Nov 1994 08:49:42 GMT" };
  const tooMany = "failed with status 429 after 3 attempts: too many requests";

  test.each<Case>([
    ...refused.map(([status, code]): Case => {
      return [`never ${status}`, [failing(Number(status), "1"), GOOD], {}, { code, statusCode: Number(status) }, []];
    }),
    [
      "maxRetries times, with exponential back-off",
      [{ status: 502, body: "bad gateway" }],
      { maxRetries: 4 },
      {
        code: "SERVER_ERROR",
        statusCode: 502,
        response: { status: 502, body: "bad gateway" },
        message: says("GET /bills failed with status 502 after 5 attempts: server error"),
      },
      [0.5, 1, 2, 4],
    ],
    ["never with maxRetries 0", [{ status: 500 }], { maxRetries: 0 }, { message: says("with status 500: ") }, []],
    [
      "at once with backoffFactor 0",
      [{ status: 500 }],
      { backoffFactor: 0, maxRetries: 2 },
      { statusCode: 500 },
      [0, 0],
    ],
    [
      "and the error is that of the last attempt",
      [{ status: 500 }, { reset: true }, { status: 404 }],
      {},
      { code: "NOT_FOUND", message: says("failed with status 404 after 3 attempts") },
      [0.5, 1],
    ],
    ["by the service's clock: the user's may be wrong", [{ status: 503, headers: serverClock }, GOOD], {}, {}, [5]],
    ["after exactly maxRetryWait", [throttled("60"), GOOD], { maxRetryWait: 60 }, { retries: 1 }, [60]],
    ["no 429 after more than maxRetryWait", [throttled("61")], { maxRetryWait: 60 }, { code: "RATE_LIMITED" }, []],
    [
      "after a back-off beyond maxRetryWait",
      [{ status: 500 }, throttled(), GOOD],
      { maxRetryWait: 0, backoffFactor: 10 },
      { retries: 2 },
      [10, 20],
    ],
    [
      "a 429, with whole seconds, rounded up, after the last retry",
      [throttled("1.5")],
      { maxRetries: 2 },
      { retryAfter: 2, code: "RATE_LIMITED", response: { body: "slow down" }, message: says(tooMany) },
      [2, 2],
    ],
    ["with a one-letter key, which damages no header", [failing(503, "1"), GOOD], { apiKey: "1" }, { retries: 1 }, [1]],
  ])("%s", async (_, answers, options, outcome, sleeps) => {
    const { server, transport, clock } = await transportFor(answers, options);
    const ended: unknown = await transport.request("/bills", []).catch((error: APIError) => error);
    expect(ended).toMatchObject(outcome);
    expect(ended instanceof APIError).toBe(answers.at(-1) !== GOOD || sleeps.length === 0);
    expect(clock.sleeps).toEqual(sleeps);
    expect(server.requests.map(({ url }) => url)).toEqual(["/bills", ...sleeps.map(() => "/bills")]);
  });
});

describe("429", () => {
  test("while a quota refills, a client with a long queue sends one request at a time", async () => {
    const answers = [throttled("1"), throttled("1"), throttled("1"), GOOD];
    const { server, transport } = await transportFor(answers, { concurrency: 1 });
    const replies = await Promise.all(Array.from({ length: 20 }, (_, id) => transport.request(`/people/${id}`, [])));
    expect(replies).toHaveLength(20);
    // Three were refused, and nobody else was sent meanwhile.
    expect(server.requests).toHaveLength(23);
  });

  test("of a used-up quota fails all waiting requests unsent; later calls try afresh", async () => {
    const { server, transport } = await transportFor([throttled("3600"), throttled("3600"), GOOD], { concurrency: 2 });
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
    const { server, transport } = await transportFor([{ status: 503 }, GOOD], { concurrency: 1, backoffFactor: 0 });
    await Promise.all(Array.from({ length: 10 }, (_, id) => transport.request(`/people/${id}`, [])));
    const second = server.requests.findLastIndex(({ url }) => url === "/people/0");
    expect(second).toBeGreaterThan(0);
    expect(second).toBeLessThan(4);
  });
});
