import fc from "fast-check";
import { expect, test } from "vitest";
import { Secret } from "../../src/service/http/secret.js";
import { runs } from "../scale.js";
import { decodesTo, hiddenKey } from "./keyOracle.js";

const numRuns = runs(150);
test("no key can be decoded from a redacted text, in whatever encoding, even applied twice", () => {
  let decodable = 0;
  fc.assert(
    fc.property(hiddenKey(), ({ key, text }) => {
      if (decodesTo(key, text, 2)) decodable++;
      const clean = new Secret(key).redact(text);
      expect(decodesTo(key, clean, 2)).toBe(false);
    }),
    { numRuns },
  );
  // The oracle is no oracle if it finds nothing.
  expect(decodable).toBeGreaterThan(numRuns * 0.8);
});

test("nor from a body, a header or an error message", () => {
  fc.assert(
    fc.property(
      hiddenKey(),
      fc.boolean(),
      fc.constantFrom("json", "ascii", "slashes", "text"),
      ({ key, text }, name, how) => {
        const value = name ? { rows: [{ [text]: 1, id: 1 }], cursor: text } : { rows: [{ id: 1, link: text }], text };
        const body = how === "text" ? `<p>${text}</p>` : written(JSON.stringify(value), how);
        const secret = new Secret(key);
        const clean = secret.redactBody(Buffer.from(body)).body.toString();
        const strings = how === "text" ? [clean] : stringsIn(JSON.parse(clean));
        for (const string of strings) expect(decodesTo(key, string, 2)).toBe(false);
        const headers = secret.redactAll({ "x-echo": text, [text]: "1" });
        for (const header of Object.entries(headers).flat()) expect(decodesTo(key, header, 2)).toBe(false);
      },
    ),
    { numRuns },
  );
});

function written(json: string, how: string): string {
  if (how === "slashes") return json.replaceAll("/", "\\/");
  if (how !== "ascii") return json;
  // Everything in strings that may be written as \u.
  return json.replace(
    /"(?:[^"\\]|\\.)*"/g,
    (string) =>
      `"${Array.from(JSON.parse(string) as string, (char) => [...Array(char.length).keys()].map((at) => `\\u${char.charCodeAt(at).toString(16).padStart(4, "0")}`).join("")).join("")}"`,
  );
}

function stringsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => [name, ...stringsIn(member)]);
}
