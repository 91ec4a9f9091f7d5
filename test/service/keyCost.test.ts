import { expect, test } from "vitest";
import { Secret } from "../../src/service/http/secret.js";
import { growth, LINEAR } from "../growth.js";
import { LONG } from "../scale.js";

const KEY = "aB3xY7kQ9mZ2pL5wR8tN4vC6jH1sD0fGgE-uIoXq";
const SHORT = "budget-7";
const SIZE = LONG ? 1_000_000 : 250_000;

/** What a hostile service could send to whoever looks for a key in it. */
const bodies: Record<string, (key: string) => string> = {
  "percent signs": () => "%",
  "percent signs, escaped": () => "%25",
  "percent signs, every character escaped": () => "%25%32%35",
  backslashes: () => "\\",
  "escaped letters": () => "\\u0061",
  "escapes in escapes": () => "\\u005cu0025%5cu0061",
  ampersands: () => "&",
  "escaped ampersands": () => "&amp;",
  "numbers of characters": () => "&#x000000061",
  "numbers without an end": () => "&#0",
  "names without an end": () => "&DiacriticalGrav",
  "bytes of UTF-8": () => "\u00c3",
  base64: () => "QUJD",
  "base64 in base64": () => Buffer.from(Buffer.from("hello world, ".repeat(3)).toString("base64")).toString("base64"),
  "base64 with escaped letters": () => "%51\\u0055JD\\n",
  "beginnings of the key": (key) => key.slice(0, -1),
  "beginnings of the key, escaped": (key) =>
    [...key.slice(0, -1)].map((char) => `%${char.charCodeAt(0).toString(16)}`).join(""),
  keys: (key) => key,
  "keys, escaped": (key) => [...key].map((char) => `&#${char.charCodeAt(0)};`).join(""),
  "line breaks": () => "WORDS\\nWORDS\n",
};

test.each(Object.entries(bodies))("a body of nothing but %s is searched in linear time", async (_, piece) => {
  for (const key of [KEY, SHORT]) {
    const text = piece(key);
    const cost = await growth(SIZE, (size) => {
      const body = Buffer.from(text.repeat(Math.ceil(size / text.length)), "latin1");
      return () => expect(new Secret(key).redactBody(body).body.includes(key)).toBe(false);
    });
    expect(cost).toBeLessThan(LINEAR);
  }
});
