import { inspect } from "node:util";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createRedactor, Secret } from "../../src/service/http/secret.js";

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
