import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import {
  APIError,
  ArchiveError,
  AuthenticationError,
  NotFoundError,
  RateLimitError,
  ValidationError,
} from "../../src/index.js";
import { abortedError, failedResponse } from "../service/paging/generatedService.js";

const errorOf = (
  status: number,
  path = "/mentions",
  more: { body?: string; retryAfter?: number; attempts?: number } = {},
) => failedResponse({ status, headers: {}, body: more.body ?? "" }, more.retryAfter).toError(path, more.attempts);

describe("failedResponse", () => {
  test.each([
    [400, APIError, "HTTP_ERROR"],
    [401, AuthenticationError, "AUTHENTICATION"],
    [403, AuthenticationError, "AUTHENTICATION"],
    [404, NotFoundError, "NOT_FOUND"],
    [410, APIError, "HTTP_ERROR"],
    [304, APIError, "HTTP_ERROR"],
    [429, RateLimitError, "RATE_LIMITED"],
    [500, APIError, "SERVER_ERROR"],
    [599, APIError, "SERVER_ERROR"],
  ])("%i is a %o with code %s", (status, type, code) => {
    const error = errorOf(status);
    expect(error.constructor).toBe(type);
    expect(error).toMatchObject({ code, statusCode: status, method: "GET", path: "/mentions" });
    expect(error).toBeInstanceOf(APIError);
    expect(error).toBeInstanceOf(ArchiveError);
    expect(error).toBeInstanceOf(Error);
    expect(error.message.endsWith(error.hint)).toBe(true);
    expect(error.message.startsWith(`GET /mentions failed with status ${status}: `)).toBe(true);
  });

  test.each([
    ['{"error":{"message":"mindate is unknown","code":17}}', ' ("mindate is unknown")'],
    ['{"detail":"  too many fields "}', ' ("too many fields")'],
    ['{"status":"bad"}', ' ("{\\"status\\":\\"bad\\"}")'],
    ['{"error":{"message":"cli', ' ("{\\"error\\":{\\"message\\":\\"cli")'],
    ["plain", ' ("plain")'],
    ['{"error":"<html>"}', ""],
    ["<html>", ""],
  ])("the body %s is quoted as %s", (body, quote) => {
    expect(errorOf(400, "/bills", { body }).message).toBe(
      `GET /bills failed with status 400: the request was rejected${quote}. Check the parameters of the call.`,
    );
  });

  test("messages say what went wrong and what to do", () => {
    expect(errorOf(403).message).toBe(
      "GET /mentions failed with status 403: the API key was rejected. Check ARCHIVE_API_KEY or CSPAN_API_KEY, or the apiKey option.",
    );
    expect(errorOf(503, "/bills", { attempts: 4 }).message).toBe(
      "GET /bills failed with status 503 after 4 attempts: server error. Try again later, or raise maxRetries.",
    );
  });

  test("429 distinguishes too many requests from a used-up quota", () => {
    const fast = errorOf(429, "/mentions", { retryAfter: 12 }) as RateLimitError;
    expect(fast.retryAfter).toBe(12);
    expect(fast.message).toContain("too many requests. Wait 12 seconds");
    expect(errorOf(429, "/mentions", { retryAfter: 300 }).message).toContain("too many requests");
    const quota = errorOf(429, "/mentions", { retryAfter: 3600 });
    expect(quota.message).toContain("the quota of this key is used up. Wait 3600 seconds");
    expect(quota.message).toContain("maxRetryWait: 3600");
    expect(errorOf(429)).not.toHaveProperty("retryAfter");
    expect(errorOf(429).message).toContain("Wait a minute");
  });

  test("the message quotes the body, clipped and on one line, unless it is HTML", () => {
    expect(errorOf(400, "/bills", { body: ' {"error":"no query"}\n' }).message).toContain('("no query")');
    const noisy = errorOf(400, "/bills", { body: `\u001b[2J${"x".repeat(5000)}` }).message;
    expect(noisy).not.toContain("\u001b");
    expect(noisy.length).toBeLessThan(300);
    expect(errorOf(502, "/bills", { body: "<html>Bad gateway</html>" }).message).not.toContain("html");
    expect(errorOf(403, "/bills", { body: "some words" }).message).not.toContain("some words");
  });
});

describe("the error classes", () => {
  const base = {
    code: "TIMEOUT" as const,
    hint: "Try again.",
    method: "GET",
    path: "/bills",
    cause: new Error("inner-words"),
  };

  test.each([true, false])("advise changes message and stack once (stack read before: %s)", (before) => {
    const error = new ArchiveError("It failed.", { ...base, hint: "Wait." });
    if (before) expect(error.stack).toContain("ArchiveError: It failed. Wait.\n");
    expect(error.advise("Try again.")).toMatchObject({
      message: "It failed. Wait. Try again.",
      hint: "Wait. Try again.",
    });
    expect(error.stack).toContain("ArchiveError: It failed. Wait. Try again.\n");
  });

  test.each([
    [new ArchiveError("It failed.", base), "ArchiveError"],
    [new ValidationError("invalid limit: 0.", { hint: "Give 1." }), "ValidationError"],
    [abortedError(), "AbortError"],
    [new APIError("It failed.", base), "APIError"],
    [new AuthenticationError("It failed.", base), "AuthenticationError"],
    [new NotFoundError("It failed.", base), "NotFoundError"],
    [new RateLimitError("It failed.", base), "RateLimitError"],
  ])("%s is named %s everywhere and prints once", (error, name) => {
    expect(error.name).toBe(name);
    expect(error.stack).toContain(`${name}: ${error.message}`);
    expect(String(error)).toBe(`${name}: ${error.message}`);
    expect(Object.keys(error)).not.toContain("name");
    expect(JSON.parse(JSON.stringify(error))).toMatchObject({
      name,
      code: error.code,
      message: error.message,
      hint: error.hint,
    });
    expect(JSON.stringify(error)).not.toContain("inner-words");
    expect(error).not.toHaveProperty("partial");
  });

  test("keep the cause and a partial result, and have no member that was not given", () => {
    const error = new APIError("It failed.", { ...base, statusCode: undefined, response: undefined });
    expect(error.cause).toMatchObject({ name: "Error", message: "inner-words", stack: base.cause.stack });
    expect(error).not.toHaveProperty("statusCode");
    expect(error).not.toHaveProperty("response");
    expect(inspect(abortedError())).not.toContain("cause");
    error.partial = { rows: 3 } as never;
    expect(error.partial).toEqual({ rows: 3 });
    expect(new ValidationError("x.", { hint: "y." })).not.toHaveProperty("parameter");
    expect(new ArchiveError("Only this.", { code: "ABORTED", hint: "" }).message).toBe("Only this.");
  });
});
