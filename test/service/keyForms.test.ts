import fc from "fast-check";
import { expect, test } from "vitest";
import { Secret } from "../../src/service/http/secret.js";
import { runs } from "../scale.js";

const each = (write: (code: number) => string) => (text: string) =>
  Array.from(text, (char) => write(char.codePointAt(0) as number)).join("");
const json = (text: string) => JSON.stringify(text).slice(1, -1);
const bytes = (text: string) =>
  Array.from(Buffer.from(text), (byte) => `%${byte.toString(16).padStart(2, "0")}`).join("");

/** The uniform encodings that SECURITY.md promises, written without the code that finds them. */
const ENCODINGS: Readonly<Record<string, (text: string) => string>> = {
  "as it is": (text) => text,
  "in small letters": (text) => text.toLowerCase(),
  "in capitals": (text) => text.toUpperCase(),
  JSON: json,
  "every character as \\u": each((code) => `\\u${code.toString(16).padStart(4, "0")}`),
  "every byte as %": bytes,
  "every byte as %, in capitals": (text) => bytes(text).toUpperCase(),
  "every character as &#": each((code) => `&#${code};`),
  "every character as &#x": each((code) => `&#x${code.toString(16)};`),
  URL: encodeURIComponent,
  "URL in small letters": (text) => encodeURIComponent(text).toLowerCase(),
  form: (text) => new URLSearchParams({ k: text }).toString().slice(2),
  HTML: (text) =>
    text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;"),
  ...Object.fromEntries(
    ["", "a", "ab", "user:"].flatMap((lead) =>
      (["base64", "base64url"] as const).map((name) => [
        `${name} after ${lead.length} letters`,
        (text: string) => Buffer.from(`${lead}${text}`).toString(name),
      ]),
    ),
  ),
};

/** How services write JSON. */
const WRITERS: ReadonlyArray<(value: unknown) => string> = [
  JSON.stringify,
  (value) => JSON.stringify(value).replaceAll("/", "\\/"),
  (value) => JSON.stringify(value).replace(/[^\0-\x7f]/g, escaped),
  (value) => JSON.stringify(value).replace(/[&<>]/g, escaped),
  (value) => JSON.stringify({ inner: JSON.stringify(value) }),
];

function escaped(char: string): string {
  return `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** What headers may contain: printable Latin-1, with signs more often than letters. */
const keys = fc
  .string({
    unit: fc.oneof(fc.constantFrom(..."abcXYZ019"), fc.constantFrom(..."+/=&<>%$#@!'\"\\;é~ ")),
    minLength: 8,
    maxLength: 48,
  })
  .filter((key) => key.trim() === key && /^(?=.*[a-z\d]).*$/i.test(key));

test.each(Object.entries(ENCODINGS))(
  "a key encoded as %s is in no body, text or header after redaction",
  (name, encode) => {
    // JSON in the text of a string of JSON in another one would be three of them.
    const writers = name === "JSON" ? WRITERS.slice(0, -1) : WRITERS;
    const property = fc.property(keys, fc.constantFrom(...writers), fc.boolean(), (key, write, isName) => {
      const secret = new Secret(key);
      const hidden = encode(key);
      // The letters of base64 at the edges depend on what is around it.
      const core = hidden.slice(1, -3);
      const text = `<a href="?k=${hidden}">`;
      const value = { rows: [isName ? { id: 1, [text]: 1 } : { id: 1, link: text }], cursor: "VdRM" };
      const body = secret.redactBody(Buffer.from(write(value)));
      expect(body.redactions).toBeGreaterThan(0);
      expect(stringsIn(JSON.parse(body.body.toString())).filter((string) => string.includes(core))).toEqual([]);
      expect(secret.redactBody(Buffer.from(text)).body.includes(core)).toBe(false);
      expect(secret.redact(text)).not.toContain(core);
      expect(JSON.stringify(secret.redactAll({ "x-echo": text, [text]: "1" }))).not.toContain(json(core));
    });
    fc.assert(property, { numRuns: runs(30), seed: 31 });
  },
);

test("a body without the key is returned as it is", () => {
  fc.assert(
    fc.property(keys, fc.json(), (key, body) => {
      fc.pre(!body.includes(key));
      const bytes = Buffer.from(body);
      expect(new Secret(key).redactBody(bytes)).toEqual({ body: bytes, redactions: 0 });
    }),
    { numRuns: runs(100), seed: 31 },
  );
});

function stringsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => [name, ...stringsIn(member)]);
}
