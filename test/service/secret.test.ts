import { inspect } from "node:util";
import fc from "fast-check";
import { expect, test } from "vitest";
import { Secret } from "../canaryWatch.js";
import { runs } from "../scale.js";
import { KEY } from "./helpers.js";

/** How a key may be written, without the code that finds it. */
const FORMS: Readonly<Record<string, (text: string) => string>> = {
  "as it is": (text) => text,
  JSON: (text) => JSON.stringify(text).slice(1, -1),
  URL: encodeURIComponent,
  base64: (text) => Buffer.from(text).toString("base64"),
  "base64 after a name": (text) => Buffer.from(`user:${text}`).toString("base64"),
  "base64 between other letters": (text) => Buffer.from(`{"k":"${text}"}`).toString("base64url"),
};

/** What headers may contain: printable Latin-1, with signs more often than letters. */
const keys = fc
  .string({
    unit: fc.oneof(fc.constantFrom(..."abcXYZ019"), fc.constantFrom(..."+/=&<>%$#@!'\"\\;é~ ")),
    minLength: 8,
    maxLength: 48,
  })
  .filter((key) => key.trim() === key && /[a-z\d]/i.test(key));

test.each(Object.entries(FORMS))("a key written as %s is in no body, text or header after redaction", (name, write) => {
  const property = fc.property(keys, fc.string(), fc.string(), (key, before, after) => {
    const secret = new Secret(key);
    const form = write(key);
    // The letters of base64 at the edges depend on the text around the key, too.
    const core = form.slice(/base64/.test(name) ? 9 : 0, /base64/.test(name) ? -4 : undefined);
    fc.pre(core.length > 4 && !before.includes(core) && !after.includes(core));
    const text = `${before} ${form} ${after}`;
    expect(secret.redactBody(Buffer.from(text)).toString()).toBe(secret.redact(text));
    expect(secret.occursIn(text)).toBe(true);
    for (const clean of [secret.redact(text), JSON.stringify(secret.redactAll({ [text]: "1", "x-echo": text }))])
      expect(clean).not.toContain(core);
  });
  fc.assert(property, { numRuns: runs(50, 500), seed: 31 });
});

test("a body without the key is returned as it is", () => {
  fc.assert(
    fc.property(keys, fc.json(), (key, body) => {
      fc.pre(!body.includes(key));
      const bytes = Buffer.from(body);
      expect(new Secret(key).redactBody(bytes)).toBe(bytes);
    }),
    { numRuns: runs(50, 400), seed: 31 },
  );
});

test.each([
  ["s3cr3t-key", '{ "a" : 9007199254740993 , "k":"s3cr3t-key" }', '{ "a" : 9007199254740993 , "k":"[redacted]" }'],
  // A key of seven characters may be an ordinary word.
  ["budgets", '{"text":"all budgets"}', '{"text":"all budgets"}'],
])("of the key %s, the body %s becomes %s", (key, body, clean) => {
  expect(new Secret(key).redactBody(Buffer.from(body)).toString()).toBe(clean);
});

test.each([
  [KEY, `<${KEY}> and ${KEY}`, "<[redacted]> and [redacted]"],
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

test("a body of JSON stays valid where a string has the key", () => {
  const property = fc.property(
    keys,
    fc.array(fc.oneof(fc.jsonValue(), fc.constant(0)), { minLength: 1 }),
    (key, all) => {
      const rows = all.map((value, at) => ({ value, [`x${at}`]: `a ${key}, ${key}` }));
      const body = new Secret(key).redactBody(Buffer.from(JSON.stringify({ rows })));
      expect((JSON.parse(body.toString()) as { rows: object[] }).rows.map((row) => Object.values(row)[1])).toEqual(
        rows.map(() => "a [redacted], [redacted]"),
      );
    },
  );
  fc.assert(property, { numRuns: runs(60, 480), seed: 31 });
});
