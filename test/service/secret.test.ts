import { inspect } from "node:util";
import fc from "fast-check";
import { expect, test } from "vitest";
import { Secret } from "../../src/service/http/secret.js";
import { runs } from "../scale.js";
import { KEY, transportFor } from "./helpers.js";
import type { SeenRequest } from "./scriptedServer.js";

/** Encodings of the key, written without the code that finds them. */
const ENCODINGS: Readonly<Record<string, (text: string) => string>> = {
  "as it is": (text) => text,
  JSON: (text) => JSON.stringify(text).slice(1, -1),
  URL: encodeURIComponent,
  base64: (text) => Buffer.from(text).toString("base64"),
  "base64 after other letters": (text) => Buffer.from(`user:${text}`).toString("base64"),
};

/** How services write JSON. */
const WRITERS: ReadonlyArray<(value: unknown) => string> = [
  JSON.stringify,
  (value) => JSON.stringify(value).replaceAll("/", "\\/"),
  (value) => JSON.stringify(value).replace(/[&<>]|[^\0-\x7f]/g, escaped),
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
  (_name, encode) => {
    const property = fc.property(keys, fc.constantFrom(...WRITERS), fc.boolean(), (key, write, isName) => {
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
      expect(JSON.stringify(secret.redactAll({ "x-echo": text, [text]: "1" }))).not.toContain(
        JSON.stringify(core).slice(1, -1),
      );
    });
    fc.assert(property, { numRuns: runs(12, 120), seed: 31 });
  },
);

test("a body without the key is returned as it is", () => {
  fc.assert(
    fc.property(keys, fc.json(), (key, body) => {
      fc.pre(!body.includes(key));
      const bytes = Buffer.from(body);
      expect(new Secret(key).redactBody(bytes)).toEqual({ body: bytes, redactions: 0 });
    }),
    { numRuns: runs(50, 400), seed: 31 },
  );
});

test("a body stays valid JSON, whatever the key and the rest", () => {
  const odd = ["nancy-key-1", "u0041bcdef", '","a":"b"', "back\\\\slash", "ends-in\\", "1234567890", "true,false"];
  const key = fc.oneof(fc.string({ minLength: 8, maxLength: 20 }), fc.constantFrom(...odd));
  const encoded = (secret: string) =>
    fc
      .tuple(
        fc.string(),
        fc.constantFrom("\n", "\\", "", '"'),
        fc.constantFrom(...Object.values(ENCODINGS)),
        fc.string(),
      )
      .map(([before, joint, encode, after]) => before + joint + encode(secret) + after);
  const values = key.chain((secret) =>
    fc.tuple(fc.constant(secret), fc.array(fc.oneof(encoded(secret), fc.jsonValue()))),
  );
  const property = fc.property(values, fc.constantFrom(...WRITERS), ([key, all], write) => {
    const secret = new Secret(key);
    const clean = JSON.parse(secret.redactBody(Buffer.from(write(all))).body.toString()) as unknown[];
    expect(clean).toHaveLength(all.length);
    for (const [at, value] of all.entries()) {
      if (typeof value === "string") expect([value, secret.redact(value)]).toContain(clean[at]);
    }
  });
  fc.assert(property, { numRuns: runs(60, 480), seed: 31 });
});

test.each([
  ["s3cr3t-key", '{"s3cr3t-key":1}', '{"[redacted]":1}'],
  ["1234567890123456", '{"a":1234567890123456,"b":[-1e5,true]}', '{"a":"[redacted]","b":[-1e5,true]}'],
  ["12345678", "12345678", '"[redacted]"'],
  ["s3cr3t-key", "<a href='?k=s3cr3t-key'>", "<a href='?k=[redacted]'>"],
  ["s3cr3t-key", '{ "a" : 9007199254740993 , "k":"s3cr3t-key" }', '{ "a" : 9007199254740993 , "k":"[redacted]" }'],
  [
    "s3cr3t-key",
    '["\\u0041\\ud800","s3cr3t-key",1.50e+400,\n"\\\\"]',
    '["\\u0041\\ud800","[redacted]",1.50e+400,\n"\\\\"]',
  ],
  // A key of seven characters may be an ordinary word.
  ["budget", '{"text":"a budget, and 1234567"}', '{"text":"a budget, and 1234567"}'],
  ["1234567", '{"text":"a budget, and 1234567"}', '{"text":"a budget, and 1234567"}'],
])("of the key %s, the body %s becomes %s", (key, body, clean) => {
  expect(new Secret(key).redactBody(Buffer.from(body)).body.toString()).toBe(clean);
});

test.each([
  [KEY, `<${KEY}> and ${KEY.toUpperCase()}`, "<[redacted]> and [redacted]"],
  [KEY, KEY.slice(0, -2), KEY.slice(0, -2)],
  ["k", "KK kind", "KK [redacted]ind"],
  ["", "text", "text"],
])("of the key %j, the text %s becomes %s", (key, text, clean) => {
  expect(new Secret(key).redact(text)).toBe(clean);
});

test("a Secret is shown only by reveal()", () => {
  const secret = new Secret(KEY);
  const printed = inspect(secret, { depth: Infinity, showHidden: true });
  for (const text of [String(secret), `${secret}`, JSON.stringify({ secret }), printed])
    expect(text).not.toContain(KEY);
  expect(secret.reveal()).toBe(KEY);
});

test("the transport removes an echoed key from the body", async () => {
  const echo = ({ headers }: SeenRequest) => ({
    body: { bills: [{ id: 1, link: `/?k=${encodeURIComponent(String(headers["x-api-key"]))}` }] },
  });
  const { transport } = await transportFor(echo, { apiKey: "canary+key/42=" });
  const response = await transport.request("/bills", []);
  expect(response.body.toString()).toBe('{"bills":[{"id":1,"link":"/?k=[redacted]"}]}');
});

function stringsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => [name, ...stringsIn(member)]);
}
