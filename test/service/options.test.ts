import { inspect } from "node:util";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { AuthenticationError, ValidationError } from "../../src/index.js";
import { type ClientOptions, DEFAULTS, OPTION_NAMES, resolveOptions } from "../../src/service/http/options.js";
import { runs } from "../scale.js";

const KEY = "canary-key-123";

/** The ValidationError of options that are deliberately of a wrong type. */
function refused(options: unknown, env: NodeJS.ProcessEnv = {}): ValidationError {
  return failing(options, env, ValidationError);
}

function failing<E extends Error>(options: unknown, env: NodeJS.ProcessEnv, type: new (message: string) => E): E {
  try {
    resolveOptions(options as ClientOptions, env);
  } catch (error) {
    if (error instanceof type) return error;
    throw error;
  }
  throw new Error(`accepted: ${inspect(options)}`);
}

describe("resolveOptions", () => {
  test("fills in the documented defaults", () => {
    const resolved = resolveOptions({ apiKey: KEY }, {});
    expect(resolved).toMatchObject({
      baseUrl: "https://api.c-spanarchives.org/2.0",
      timeout: 30,
      maxRetries: 3,
      backoffFactor: 0.5,
      concurrency: 8,
      maxBodyBytes: 67_108_864,
      maxRetryWait: 300,
    });
    expect(resolved.session).toBeUndefined();
    expect(resolved.key.reveal()).toBe(KEY);
    expect(Object.isFrozen(resolved) && Object.isFrozen(DEFAULTS)).toBe(true);
  });

  test("reads key and URL from the environment; the option wins; an empty variable counts as unset", () => {
    const env = {
      ARCHIVE_API_KEY: " ",
      CSPAN_API_KEY: `\n ${KEY}\r\n`,
      ARCHIVE_BASE_URL: "https://mirror.example/2.0/",
    };
    expect(resolveOptions({}, env).key.reveal()).toBe(KEY);
    expect(resolveOptions({}, { ...env, ARCHIVE_API_KEY: "first" }).key.reveal()).toBe("first");
    expect(resolveOptions({}, env).baseUrl).toBe("https://mirror.example/2.0");
    expect(resolveOptions({ apiKey: "other" }, env).key.reveal()).toBe("other");
    expect(resolveOptions({ baseUrl: "https://a.example" }, env).baseUrl).toBe("https://a.example");
    expect(resolveOptions({ apiKey: KEY }, { ARCHIVE_BASE_URL: "" }).baseUrl).toBe(DEFAULTS.baseUrl);
    expect(refused({ apiKey: KEY }, { ARCHIVE_BASE_URL: "nowhere" }).message).toMatch(/^invalid ARCHIVE_BASE_URL:/);
  });

  test("a missing key is an AuthenticationError that says what to type", () => {
    const error = failing(undefined, { ARCHIVE_API_KEY: " \n", CSPAN_API_KEY: " " }, AuthenticationError);
    expect(error).toMatchObject({
      code: "AUTHENTICATION",
      hint: expect.stringMatching(/ARCHIVE_API_KEY.*openArchive\(\)/),
    });
    expect(error.statusCode).toBeUndefined();
  });

  test.each(["", "   "])("an empty key %j does not fall back to the environment", (apiKey) => {
    const env = { ARCHIVE_API_KEY: "from-the-environment" };
    expect(failing({ apiKey }, env, AuthenticationError).message).toMatch(/^invalid apiKey: an empty string/);
    expect(resolveOptions({ apiKey: null as never }, env).key.reveal()).toBe("from-the-environment");
  });

  test.each([5, {}, `${KEY}\n${KEY}`, `${KEY}\u0000`, `${KEY}€`, `${KEY}\u0085`])(
    "key %j is refused without being shown",
    (apiKey) => {
      const error = refused({ apiKey }, { ARCHIVE_API_KEY: "from-the-environment" });
      expect(error.parameter).toBe("apiKey");
      expect(inspect(error)).not.toContain(KEY);
    },
  );

  test.each([
    ["timeout", [0, -1, Number.NaN, Number.POSITIVE_INFINITY, "30", 2_147_484]],
    ["maxRetries", [-1, 0.5, Number.POSITIVE_INFINITY, "3"]],
    ["backoffFactor", [-0.1, Number.NaN, Number.POSITIVE_INFINITY]],
    ["concurrency", [0, -1, 1.5, "8"]],
    ["maxBodyBytes", [0, 1.5, -1]],
    ["maxRetryWait", [-1, Number.NaN, "x"]],
    ["allowInsecure", [0, "true"]],
    ["session", [{}, "agent", () => {}]],
    ["signal", [{}, new AbortController()]],
    ["baseUrl", ["", " ", 5, "api.example/2.0", "/2.0", "ftp://a.example", "file:///etc", "https://", "javascript:1"]],
  ])("%s rejects invalid values and says what is valid", (name, values) => {
    for (const value of values) {
      const error = refused({ apiKey: KEY, [name]: value });
      expect(error).toMatchObject({ parameter: name, code: "INVALID_INPUT" });
      expect(error.message).toMatch(new RegExp(`^invalid ${name}: .+\\. .*[Gg]ive`, "s"));
    }
  });

  test.each([
    [" https://A.example:443/2.0/// ", "https://a.example/2.0"],
    ["http://localhost:8080/2.0", "http://localhost:8080/2.0"],
    ["http://127.9.8.7/", "http://127.9.8.7"],
    ["http://[::1]:8080", "http://[::1]:8080"],
  ])("address %s becomes %s", (baseUrl, expected) => {
    expect(resolveOptions({ apiKey: KEY, baseUrl }, {}).baseUrl).toBe(expected);
  });

  test.each(["http://127.0.0.1.a.example", "http://localhost.a.example", "http://10.0.0.1"])(
    "plain http to %s needs allowInsecure",
    (baseUrl) => {
      expect(refused({ apiKey: KEY, baseUrl }).message).toContain("allowInsecure: true");
      expect(resolveOptions({ apiKey: KEY, baseUrl, allowInsecure: true }, {}).baseUrl).toBe(baseUrl);
    },
  );

  test.each([
    "https://user:pass-word@a.example/2.0",
    "user:pass-word@a.example",
    "https://a.example/?key=pass-word",
    "nonsense?pass-word",
    `https://${KEY} .example`,
    ...[KEY, encodeURIComponent(KEY), Buffer.from(`user:${KEY}`).toString("base64url")].flatMap((form) => [
      `https://a.example/${form}/2.0`,
      `https://a.example/2.0?x=${form}`,
    ]),
  ])("the address %s is refused without showing what is secret in it", (baseUrl) => {
    const error = refused({ apiKey: KEY, baseUrl });
    expect(error.parameter).toBe("baseUrl");
    expect(inspect(error)).not.toMatch(/pass-word|canary|dXNlcjpjYW5hcnkta2V5/);
  });

  test("unknown options name the nearest known one, those of other modules pass", () => {
    expect(refused({ apiKey: KEY, api_key: KEY }).message).toBe('invalid option: "api_key". Did you mean apiKey?');
    expect(refused({ apiKey: KEY, retries: 1 }).parameter).toBe("retries");
    expect(() => resolveOptions({ apiKey: KEY, engine: "polars" } as ClientOptions, {}, ["engine"])).not.toThrow();
  });

  test("options that are not an object are rejected without being shown", () => {
    for (const options of [null, KEY, 5, [KEY], true]) expect(inspect(refused(options))).not.toContain(KEY);
  });

  test("resolved options show neither key nor proxy password", () => {
    const resolved = resolveOptions({ apiKey: KEY }, { HTTPS_PROXY: "http://user:proxy-word@proxy.example:1" });
    const all = inspect(resolved, { depth: Infinity, showHidden: true });
    for (const text of [all, JSON.stringify(resolved), `${resolved.key}`])
      expect(text).not.toMatch(/proxy-word|canary/);
  });

  test("whatever the options, the result is valid or a ValidationError", () => {
    const anything = fc.anything({ withNullPrototype: true, withBigInt: true, withDate: true, withTypedArray: true });
    const shaped = fc.record(Object.fromEntries(OPTION_NAMES.map((name) => [name, anything])), { requiredKeys: [] });
    const nearlyValid = fc.record({
      apiKey: fc.string({ unit: "binary" }),
      timeout: fc.double(),
      baseUrl: fc.webUrl(),
    });
    const names = "ARCHIVE_API_KEY CSPAN_API_KEY ARCHIVE_BASE_URL HTTP_PROXY NO_PROXY".split(" ");
    const env = fc.dictionary(fc.constantFrom(...names), fc.string());
    fc.assert(
      fc.property(fc.oneof(anything, shaped, nearlyValid), env, (options, environment) => {
        try {
          expect(Object.isFrozen(resolveOptions(options as ClientOptions, environment))).toBe(true);
        } catch (error) {
          expect(error instanceof ValidationError || error instanceof AuthenticationError).toBe(true);
        }
      }),
      { numRuns: runs(300, 2000) },
    );
  });
});
