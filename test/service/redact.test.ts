import { inspect } from "node:util";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cleanCause } from "../../src/service/http/cleanCause.js";
import { createRedactor } from "../../src/service/http/redact.js";
import { Secret } from "../../src/service/http/secret.js";

const KEY = "canary-Key/4+2=é&<7>";
const redact = createRedactor(KEY);

describe("createRedactor", () => {
  test.each([
    ["as it is", KEY],
    ["in other letter case", KEY.toUpperCase()],
    ["URL-encoded", encodeURIComponent(KEY)],
    ["URL-encoded in lower case", encodeURIComponent(KEY).toLowerCase()],
    ["form-encoded", new URLSearchParams({ k: KEY }).toString().slice(2)],
    ["in base64", Buffer.from(KEY).toString("base64")],
    ["in base64url", Buffer.from(KEY).toString("base64url")],
    ["in base64 with escaped slashes", Buffer.from(KEY).toString("base64").replaceAll("/", "\\/")],
    ["in base64, URL-encoded", encodeURIComponent(Buffer.from(KEY).toString("base64"))],
    ["in base64 of latin1", Buffer.from(KEY, "latin1").toString("base64")],
    ["JSON-escaped", JSON.stringify(KEY).slice(1, -1)],
    ["JSON-escaped to ASCII", KEY.replace("é", "\\u00e9").replace("/", "\\/")],
    ["HTML-escaped", "canary-Key/4+2=é&amp;&lt;7&gt;"],
  ])("takes the key out %s", (_, form) => {
    expect(redact(`<${form}> and ${form}`)).toBe("<[redacted]> and [redacted]");
  });

  test("base64 of a longer text is found at each of the three offsets", () => {
    for (const lead of ["", "a", "ab", "user:"]) {
      const text = Buffer.from(`${lead}${KEY}tail`).toString("base64");
      const clean = redact(text);
      expect(clean).toContain("[redacted]");
      expect(Buffer.from(clean.replace("[redacted]", ""), "base64").toString()).not.toContain("Key/4+2");
    }
  });

  test("leaves other text unchanged", () => {
    expect(redact("canary-Key/4 is only a part of it")).toBe("canary-Key/4 is only a part of it");
    expect(createRedactor("k")("KK kind")).toBe("KK [redacted]ind");
    expect(createRedactor("")("text")).toBe("text");
  });

  test("the shortest text that counts as the key is found, and none shorter", () => {
    const long = "canary-Key/4+2=!@;<7>".repeat(2);
    expect(createRedactor(long)(long.slice(0, 31))).toBe("[redacted]");
    expect(createRedactor(long)(long.slice(0, 30))).toBe(long.slice(0, 30));
    expect(createRedactor("s3cr3t-k")("S3CR3T-K")).toBe("[redacted]");
  });

  test("no key survives in any text, whatever its characters", () => {
    const key = fc.string({
      unit: fc
        .integer({ min: 0x20, max: 0xff })
        .filter((c) => c < 0x7f || c > 0x9f)
        .map((c) => String.fromCharCode(c)),
      minLength: 12,
      maxLength: 40,
    });
    const encode = fc.constantFrom<(text: string) => string>(
      (text) => text,
      encodeURIComponent,
      (text) => JSON.stringify(text).slice(1, -1),
      (text) => Buffer.from(text).toString("base64"),
      (text) => Buffer.from(text, "latin1").toString("base64url"),
    );
    fc.assert(
      fc.property(key, encode, fc.string(), fc.string(), (secret, encoded, before, after) => {
        const clean = createRedactor(secret)(before + encoded(secret) + after);
        expect(clean.replaceAll("[redacted]", "")).not.toContain(encoded(secret));
        expect(clean).toContain("[redacted]");
      }),
    );
  });
});

test("a Secret is shown only by reveal()", () => {
  const secret = new Secret(KEY);
  const shown = [
    String(secret),
    `${secret}`,
    JSON.stringify({ secret }),
    inspect(secret, { depth: Infinity, showHidden: true }),
  ];
  for (const text of shown) expect(text).not.toContain("canary");
  expect(secret.reveal()).toBe(KEY);
});

describe("cleanCause", () => {
  const secret = new Secret(KEY);
  const everything = (value: unknown) => inspect(value, { depth: Infinity, showHidden: true });

  test("contains only copies, whatever the original holds", () => {
    const cause = Object.assign(new TypeError("other side closed"), { code: "UND_ERR_SOCKET", socket: { port: 80 } });
    const clean = cleanCause(cause, secret) as Error;
    expect(Reflect.ownKeys(clean).sort()).toEqual(["code", "message", "name", "stack"]);
    expect(clean).toMatchObject({ name: "TypeError", message: "other side closed", code: "UND_ERR_SOCKET" });
    for (const value of [undefined, null, 7, true, 7n, "stop"]) expect(cleanCause(value, secret)).toBe(value);
  });

  class Session {
    #key = KEY;
    get key(): string {
      return this.#key;
    }
    [inspect.custom](): string {
      return `Session of ${this.#key}`;
    }
    toString(): string {
      return this.#key;
    }
    toJSON(): string {
      return this.#key;
    }
  }

  test.each<[string, () => unknown]>([
    ["message", () => new Error(`bad header ${KEY}`)],
    ["own property", () => Object.assign(new Error("no"), { request: { headers: { "x-api-key": KEY } } })],
    ["hidden property", () => Object.defineProperty(new Error("no"), "request", { value: [KEY] })],
    ["symbol", () => Object.assign(new Error("no"), { [Symbol("headers")]: new Map([["k", KEY]]) })],
    ["symbol's description", () => Object.assign(new Error("no"), { [Symbol(KEY)]: 1 })],
    ["property name", () => Object.assign(new Error("no"), { [KEY]: 1 })],
    ["set", () => Object.assign(new Error("no"), { all: new Set([KEY]) })],
    ["map", () => Object.assign(new Error("no"), { all: new Map([[{ a: 1 }, new Map([[KEY, 1]])]]) })],
    ["URL", () => Object.assign(new Error("no"), { url: new URL(`https://a.example/?k=${encodeURIComponent(KEY)}`) })],
    ["headers", () => Object.assign(new Error("no"), { headers: new Headers({ "x-api-key": KEY }) })],
    [
      "request",
      () => Object.assign(new Error("no"), { sent: new Request("https://a.example", { headers: { k: KEY } }) }),
    ],
    ["promise", () => Object.assign(new Error("no"), { answer: Promise.resolve(KEY) })],
    ["text object", () => Object.assign(new Error("no"), { key: new String(KEY) })],
    ["bytes", () => Object.assign(new Error("no"), { body: Buffer.from(KEY, "latin1") })],
    ["getter", () => Object.defineProperty(new Error("no"), "key", { get: () => KEY, enumerable: true })],
    ["getter of the message", () => Object.defineProperty(new Error("no"), "message", { get: () => KEY })],
    ["message that is a text object", () => Object.assign(new Error("no"), { message: new String(KEY) })],
    ["private field", () => Object.assign(new Error("no"), { session: new Session() })],
    ["class of its own", () => new Session()],
    ["inspect.custom", () => Object.assign(new Error("no"), { [inspect.custom]: () => KEY })],
    ["prototype", () => Object.create(Object.assign(new Error("no"), { key: KEY }))],
    ["function", () => Object.assign(() => KEY, { key: KEY })],
    ["name and code", () => Object.assign(new Error("no"), { name: KEY, code: KEY })],
    ["cause of the cause", () => new Error("a", { cause: new Error("b", { cause: new Error(KEY) }) })],
    [
      "cause that is no error",
      () => new Error("a", { cause: new URL(`https://a.example/${encodeURIComponent(KEY)}`) }),
    ],
    ["list of errors", () => new AggregateError([new Error(KEY), KEY, new Session()], "all failed")],
    ["text that is no error", () => `rejected with ${KEY}`],
    ["symbol that is no error", () => Symbol(KEY)],
    ["object that is no error", () => ({ headers: [KEY] })],
    ["a URL alone", () => new URL(`https://a.example/?k=${encodeURIComponent(KEY)}`)],
    ["letters escaped", () => new Error(`bad %63anary-Key/4+2=\\u00e9&amp;&lt;7>`)],
  ])("takes it out of its %s", async (_, make) => {
    const clean = cleanCause(make(), secret);
    expect(everything(clean)).not.toMatch(/canary|anary-Key|\b63 61 6e/);
    expect(JSON.stringify(clean) ?? "").not.toContain("canary");
    expect(String(clean)).not.toContain("canary");
  });

  test("a copy keeps name, code, message, stack, causes and aggregated errors", () => {
    const cause = Object.assign(new RangeError(`key ${KEY} is bad`, { cause: new Error("inner") }), { code: "E_BAD" });
    const clean = cleanCause(cause, secret) as Error;
    expect(clean).toMatchObject({ name: "RangeError", code: "E_BAD", message: "key [redacted] is bad" });
    expect(clean.stack).toContain("redact.test.ts");
    expect(clean).toBeInstanceOf(Error);
    expect(clean.cause).toMatchObject({ message: "inner" });
    const list = cleanCause(new AggregateError([new Error("a"), new Error("b")], "all"), secret) as AggregateError;
    expect(list.errors.map((error) => error.message)).toEqual(["a", "b"]);
  });

  test("survives cycles, revoked proxies and huge objects", () => {
    const circle = new Error("circle");
    circle.cause = circle;
    expect(cleanCause(circle, secret)).toMatchObject({ message: "circle" });
    const closed = new Proxy(new Error("closed"), {
      ownKeys: () => {
        throw new Error("no");
      },
    });
    expect(cleanCause(closed, secret)).toMatchObject({ message: "closed" });
    const shut = new Proxy(new Error("shut"), {
      get: () => {
        throw new Error("no");
      },
    });
    expect(cleanCause(shut, secret)).toMatchObject({ message: "a cause that is not an error" });
    const large = new AggregateError(
      Array.from({ length: 5000 }, () => new Error("x")),
      "large",
    );
    expect((cleanCause(large, secret) as AggregateError).errors).toHaveLength(10);
  });
});
