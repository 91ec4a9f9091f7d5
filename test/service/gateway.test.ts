import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { APIError, ArchiveClient, AuthenticationError, NotFoundError, RateLimitError } from "../../src/index.js";
import { stopsAll } from "../../src/service/http/failures.js";
import { parseRetryAfter } from "../../src/service/http/waiting.js";
import { JumpingClock } from "./clocks.js";
import { errorOf, KEY, transportFor } from "./helpers.js";
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
    ["by its message in an object", { status: 429, body: { error: { message: "Limit Exceeded" } } }],
    ["by its message as text", { status: 429, body: "Limit Exceeded\n" }],
    ["by its header alone", { status: 429, headers: { "x-amzn-errortype": "LimitExceededException" } }],
    ["although it asks to wait", gateway(429, "Limit Exceeded", undefined, { "retry-after": "1" })],
  ])("%s takes one request", async (_, answer) => {
    const { server, transport, clock } = await transportFor([answer, GOOD]);
    const error = await errorOf(transport.request("/bills", []), RateLimitError);
    expect(error).toMatchObject({ code: "RATE_LIMITED", isQuota: true, statusCode: 429 });
    expect(error.message).toContain("the quota of this key is used up");
    expect(error.message).not.toContain("maxRetryWait");
    expect([server.requests.length, clock.sleeps]).toEqual([1, []]);
    // A later call probes once.
    expect((await transport.request("/bills", [])).status).toBe(200);
  });

  test("says until when, and nothing about a minute or the concurrency", async () => {
    const { transport } = await transportFor([LIMIT_EXCEEDED]);
    const { message } = await errorOf(transport.request("/bills", []), RateLimitError);
    expect(message).toBe(
      'GET /bills failed with status 429: the quota of this key is used up until its day, week or month is over ("Limit Exceeded"). ' +
        "No request helps before then. Run it again then, or use another key.",
    );
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

  test("keeps the rows of a search, which goes on from its cursor", async () => {
    const page = (from: number) =>
      Array.from({ length: 20 }, (_, at) => ({ id: from + at, billtitle: `t${from + at}` }));
    let isUsedUp = true;
    await using server = await startScriptedServer(({ url }) => {
      const at = Number(/cursor=c(\d+)/.exec(url)?.[1] ?? 0);
      if (at >= 40 && isUsedUp) return LIMIT_EXCEEDED;
      return at < 60 ? { body: { bills: page(at), cursor: `c${at + 20}` } } : { body: { cursor: "c60" } };
    });
    const archive = new ArchiveClient({ apiKey: KEY, baseUrl: server.baseUrl, progress: false });
    const { partial } = await errorOf(archive.bills("x", { maxItems: 60 }), RateLimitError);
    expect(partial).toMatchObject({ rows: 40, cursor: "c40" });
    expect(server.requests.filter(({ url }) => url.includes("c40"))).toHaveLength(1);
    isUsedUp = false;
    expect((await archive.bills("x", { maxItems: 20, cursor: partial?.cursor })).height).toBe(20);
    await archive.close();
  });

  test.each<[string, ScriptedAnswer]>([
    ["a throttle", TOO_MANY],
    ["a throttle with the header of a quota", gateway(429, "Too Many Requests", "LimitExceededException")],
    ["another 429", { status: 429, body: "slow down" }],
    ["another status with these words", gateway(503, "Limit Exceeded")],
    ["the words in a longer message", gateway(429, "Rate Limit Exceeded for now")],
  ])("is not %s, which is retried", async (_, answer) => {
    const { server, transport } = await transportFor([answer, GOOD]);
    expect((await transport.request("/bills", [])).retries).toBe(1);
    expect(server.requests).toHaveLength(2);
  });
});

describe("the hint", () => {
  const hintOf = async (headers: Record<string, string>, maxRetryWait: number, status = 429) => {
    const { transport } = await transportFor([{ status, headers }], { maxRetryWait, maxRetries: 1 });
    return (await errorOf(transport.request("/bills", []), APIError)).hint;
  };
  const LET_IT_WAIT =
    /^Wait about 2 minutes \(120 seconds\) and run it again, or let the client wait: maxRetryWait: 120\.$/;

  it("of a wait that is too long for the client is maxRetryWait, of a shorter one the concurrency", async () => {
    expect(await hintOf({ "retry-after": "120" }, 60)).toMatch(LET_IT_WAIT);
    expect(await hintOf({ "retry-after": "120" }, 60, 503)).toMatch(LET_IT_WAIT);
    expect(await hintOf({ "retry-after": "120" }, 120)).toMatch(/maxRetries or a lower concurrency\.$/);
    expect(await hintOf({ "retry-after": "400" }, 600)).toMatch(/maxRetries or a lower concurrency\.$/);
    expect(await hintOf({}, 60)).toMatch(/^Wait a minute /);
    expect(await hintOf({ "retry-after": "0" }, 60)).toMatch(/^Wait a minute /);
    expect(await hintOf({ "ratelimit-reset": "1700000000" }, 60)).toMatch(/^Wait a minute /);
  });
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
    expect(stopsAll(error)).toBe(true);
  });

  test("with nothing but that header is a wrong address", async () => {
    const headers = { "x-amzn-errortype": "MissingAuthenticationTokenException" };
    const { transport } = await transportFor([{ status: 403, headers }]);
    await errorOf(transport.request("/mentions", []), NotFoundError);
  });

  test("otherwise is a wrong key", async () => {
    const { transport } = await transportFor([gateway(403, "Forbidden", "ForbiddenException")]);
    await errorOf(transport.request("/mentions", []), AuthenticationError);
  });
});

describe("the request id", () => {
  test.each([
    ["x-amzn-requestid", "b0c1-req"],
    ["x-amz-apigw-id", "Abc="],
    ["X-Request-Id", "0af7651916cd43dd8448eb211c80319c"],
  ])("of %s is in the error", async (name, id) => {
    const { transport } = await transportFor([{ status: 404, headers: { [name]: id } }]);
    const error = await errorOf(transport.request("/bills", []), APIError);
    expect(error.requestId).toBe(id);
    expect(error.message).toContain(`If you report this to the service, include the request id ${id}.`);
    expect(JSON.parse(JSON.stringify(error)).requestId).toBe(id);
  });

  test.each(["", "a b", "\u009b31m", "<script>", `x${"y".repeat(200)}`, KEY])("%j is ignored", async (id) => {
    const { transport } = await transportFor([
      { status: 404, headers: { "x-request-id": Buffer.from(id).toString("latin1") } },
    ]);
    const error = await errorOf(transport.request("/bills", []), APIError);
    expect(error.requestId).toBeUndefined();
    expect(error.message).not.toContain("In a report");
  });

  test("is in the error of an unreadable page as well", async () => {
    await using server = await startScriptedServer(() => ({
      headers: { "x-amzn-requestid": "r-1" },
      body: "nonsense",
    }));
    const archive = new ArchiveClient({ apiKey: KEY, baseUrl: server.baseUrl, progress: false });
    expect(await errorOf(archive.bills("x"), APIError)).toMatchObject({ code: "BODY_NOT_JSON", requestId: "r-1" });
    await archive.close();
  });
});

describe("the forms of a wait", () => {
  const NOW = Date.UTC(2024, 0, 1);
  const epoch = NOW / 1000;
  test.each<[string, number | undefined]>([
    ["7", 7],
    [String(epoch + 9), 9],
    [String(epoch - 9), 0],
    [String((epoch + 9) * 1000), 9],
    ["999999999", 999_999_999],
    ["Mon, 01 Jan 2024 00:00:09 GMT", 9],
    ["Monday, 01-Jan-24 00:00:09 GMT", 9],
    ["Sunday, 06-Nov-94 08:49:37 GMT", 0],
    ["Mon Jan  1 00:00:09 2024", 9],
    ["Sun Nov 16 08:49:37 1994", 0],
    ["Mon, 01 Jan 2024 00:00:09 CET", undefined],
    ["Monday, 01-Foo-24 00:00:09 GMT", undefined],
    ["Mon, 01 Jan 2024 25:00:09 GMT", undefined],
    ["2024-01-01T00:00:09Z", undefined],
    ["0.2", 1],
    ["-5", undefined],
    ["5 seconds", undefined],
    ["1e12", undefined],
  ])("%s", (text, seconds) => {
    expect(parseRetryAfter(text, NOW)).toBe(seconds);
  });

  test("every form of a date gives the same wait", () => {
    const day = 86_400_000;
    const pad = (value: number, fill = "0") => String(value).padStart(2, fill);
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 40_000 * day }),
        fc.integer({ min: 0, max: 40 * 365 * day }),
        (now, ahead) => {
          const date = new Date(Math.floor((now + ahead) / 1000) * 1000);
          const imf = date.toUTCString();
          const [weekday, d, month, year, time] = imf.replace(",", "").split(" ") as [
            string,
            string,
            string,
            string,
            string,
          ];
          const full = new Intl.DateTimeFormat("en", { weekday: "long", timeZone: "UTC" }).format(date);
          const expected = Math.max(0, Math.ceil((date.getTime() - now) / 1000));
          expect(parseRetryAfter(imf, now)).toBe(expected);
          expect(parseRetryAfter(`${full}, ${d}-${month}-${year.slice(2)} ${time} GMT`, now)).toBe(expected);
          expect(parseRetryAfter(`${weekday} ${month} ${pad(Number(d), " ")} ${time} ${year}`, now)).toBe(expected);
        },
      ),
    );
  });

  test.each<[string, ScriptedAnswer, number]>([
    ["RateLimit-Reset", { status: 429, headers: { "ratelimit-reset": "12" } }, 12],
    [
      "X-RateLimit-Reset since 1970",
      { status: 429, headers: { "x-ratelimit-reset": String(epoch + 30), date: "" } },
      30,
    ],
    ["the first of both", { status: 429, headers: { "x-ratelimit-reset": "30", "ratelimit-reset": "12" } }, 12],
    ["not beside Retry-After", { status: 429, headers: { "ratelimit-reset": "12", "retry-after": "3" } }, 3],
    [
      "not beside an unreadable Retry-After",
      { status: 429, headers: { "ratelimit-reset": "12", "retry-after": "?" } },
      0.5,
    ],
    ["not of a 503", { status: 503, headers: { "ratelimit-reset": "12" } }, 0.5],
    ["nor an unreadable one", { status: 429, headers: { "ratelimit-reset": "soon" } }, 0.5],
    ["408 is retried", { status: 408 }, 0.5],
    ["408 after its Retry-After", { status: 408, headers: { "retry-after": "3" } }, 3],
  ])("%s", async (_, answer, slept) => {
    const { transport, clock } = await transportFor([answer, GOOD]);
    expect((await transport.request("/bills", [])).retries).toBe(1);
    expect(clock.sleeps).toEqual([slept]);
  });

  test("a reset beyond maxRetryWait ends the call", async () => {
    const { server, transport } = await transportFor([{ status: 429, headers: { "x-ratelimit-reset": "3600" } }]);
    expect(await errorOf(transport.request("/bills", []), RateLimitError)).toMatchObject({
      retryAfter: 3600,
      isQuota: true,
    });
    expect(server.requests).toHaveLength(1);
  });

  test("408 after all retries says that it timed out", async () => {
    const { transport } = await transportFor([{ status: 408 }], { maxRetries: 1 });
    const error = await errorOf(transport.request("/bills", []), APIError);
    expect(error).toMatchObject({ code: "HTTP_ERROR", statusCode: 408 });
    expect(error.message).toContain("after 2 attempts: the request timed out");
  });
});
