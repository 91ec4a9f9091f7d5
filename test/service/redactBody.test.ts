import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Secret } from "../../src/service/http/secret.js";
import { runs } from "../scale.js";
import { KEY, transportTo } from "./helpers.js";
import { startScriptedServer } from "./scriptedServer.js";

const RUNS = runs(120);

/** How programs spell a text inside a string of JSON, before it is written as JSON. */
const encoders: Record<string, (text: string) => string> = {
  "as it is": (text) => text,
  "in capitals": (text) => text.toUpperCase(),
  "URL-encoded": encodeURIComponent,
  "URL-encoded in lower case": (text) => encodeURIComponent(text).toLowerCase(),
  "form-encoded": (text) => new URLSearchParams({ k: text }).toString().slice(2),
  "HTML-escaped": (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;"),
  "JSON-escaped": (text) => JSON.stringify(text).slice(1, -1),
  "in base64": (text) => Buffer.from(text).toString("base64"),
  "in base64url": (text) => Buffer.from(text).toString("base64url"),
  "in base64 of more": (text) => Buffer.from(`user:${text}!`).toString("base64"),
  "in base64 of latin1": (text) => Buffer.from(`x${text}`, "latin1").toString("base64"),
};

/** How services write JSON. */
const writers: Record<string, (value: unknown) => string> = {
  plainly: JSON.stringify,
  "with escaped slashes": (value) => JSON.stringify(value).replaceAll("/", "\\/"),
  "in ASCII": (value) =>
    JSON.stringify(value).replace(/[^\0-\x7f]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`),
  "with HTML's signs escaped": (value) =>
    JSON.stringify(value).replace(/[&<>]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`),
};

describe("a body with the key", () => {
  const secret = new Secret(KEY);

  for (const [how, encode] of Object.entries(encoders)) {
    test.each(Object.entries(writers))(`${how}, written %s, does not reveal it`, (_, write) => {
      const body = (text: string) => ({ mentions: [{ id: 1, link: `/?k=${text}&x=1`, text: "ok" }], cursor: "VdRM" });
      const clean = JSON.parse(secret.redactBody(Buffer.from(write(body(encode(KEY))))).body.toString());
      expect(clean.mentions[0].link).toContain("[redacted]");
      expect(clean.mentions[0].link.length).toBeLessThan(body(encode(KEY)).mentions[0]?.link.length as number);
      expect({ ...clean, mentions: [{ ...clean.mentions[0], link: "" }] }).toEqual({
        mentions: [{ id: 1, link: "", text: "ok" }],
        cursor: "VdRM",
      });
    });
  }

  test("in a member name, in a number, and in a body that is not JSON", () => {
    const clean = (key: string, body: string) => new Secret(key).redactBody(Buffer.from(body)).body.toString();
    expect(clean("s3cr3t-key", '{"s3cr3t-key":1}')).toBe('{"[redacted]":1}');
    expect(clean("1234567890123456", '{"a":1234567890123456,"b":[-1e5,true,1]}')).toBe(
      '{"a":"[redacted]","b":[-1e5,true,1]}',
    );
    expect(clean("s3cr3t-key", "<a href='?k=s3cr3t-key'>")).toBe("<a href='?k=[redacted]'>");
  });

  test("keeps every other byte", () => {
    const body = '{ "a" : 9007199254740993 , "a":"\\u0041\\ud800", "k":"s3cr3t-key","n":1.50e+400,\n"e":"\\\\" }';
    const clean = new Secret("s3cr3t-key").redactBody(Buffer.from(body)).body.toString();
    expect(clean).toBe(body.replace("s3cr3t-key", "[redacted]"));
  });

  test("stays valid JSON, whatever the key and the rest", () => {
    const key = fc.oneof(
      fc.string({ minLength: 8, maxLength: 20 }),
      fc.constantFrom(
        "nancy-key-1",
        "u0041bcdef",
        '","a":"b"',
        "back\\\\slash",
        "ends-in\\",
        "1234567890",
        "true,false",
      ),
    );
    const texts = (secret: string) =>
      fc
        .tuple(
          fc.string(),
          fc.constantFrom("\n", "\\", "", '"'),
          fc.constantFrom(...Object.values(encoders)),
          fc.string(),
        )
        .map(([before, joint, encode, after]) => before + joint + encode(secret) + after);
    fc.assert(
      fc.property(
        key.chain((secret) => fc.tuple(fc.constant(secret), fc.array(fc.oneof(texts(secret), fc.jsonValue())))),
        fc.constantFrom(...Object.values(writers)),
        ([secret, values], write) => {
          const one = new Secret(secret);
          const clean = JSON.parse(one.redactBody(Buffer.from(write(values))).body.toString()) as unknown[];
          expect(clean.length).toBe(values.length);
          for (const [at, value] of values.entries()) {
            if (typeof value === "string") expect(clean[at] === value || clean[at] === one.redact(value)).toBe(true);
          }
          const decoded = values.filter((value) => typeof value === "string").some((text) => text.includes(secret));
          if (decoded && /[a-z0-9]{4}/i.test(secret)) expect(JSON.stringify(clean)).toContain("[redacted]");
        },
      ),
      { numRuns: RUNS },
    );
  });
});

describe("a body without the key", () => {
  test("is returned unchanged", () => {
    const body = Buffer.from('{"text":"canary, canary-Key, no more"}');
    expect(new Secret(KEY).redactBody(body).body).toBe(body);
  });

  test("keeps a key of seven characters, which may be an ordinary word", () => {
    const body = Buffer.from('{"text":"a budget, and 1234567"}');
    expect(new Secret("budget").redactBody(body).body).toBe(body);
    expect(new Secret("1234567").redactBody(body).body).toBe(body);
    expect(new Secret("12345678").redactBody(Buffer.from("12345678")).body.toString()).toBe('"[redacted]"');
  });
});

test("the transport removes an echoed key from the body", async () => {
  await using server = await startScriptedServer(({ headers }) => ({
    body: { bills: [{ id: 1, link: `/?k=${encodeURIComponent(String(headers["x-api-key"]))}` }] },
  }));
  const transport = transportTo(server, { apiKey: "canary+key/42=" });
  const response = await transport.request("/bills", []);
  expect(response.body.toString()).toBe('{"bills":[{"id":1,"link":"/?k=[redacted]"}]}');
  await transport.close();
});
