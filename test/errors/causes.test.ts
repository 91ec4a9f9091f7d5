import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { inspect } from "node:util";
import { expect, test } from "vitest";
import { copyCause } from "../../src/errors/causes.js";
import { startWorker } from "../../src/fleet/index.js";
import * as entry from "../../src/index.js";
import { ArchiveError } from "../../src/index.js";
import { Secret } from "../canaryWatch.js";

const KEY = "canary-Key/4+2=é&<7>";
const key = new Secret(KEY);
const copy = (cause: unknown) => copyCause(cause, (text) => key.redact(text));

/** Everything that a program can see of an error, and everything that Node prints of it. */
function everythingOf(error: unknown): string {
  const seen = new Set<unknown>();
  const texts = [inspect(error, { depth: Infinity, showHidden: true, getters: true })];
  const visit = (value: unknown) => {
    if (typeof value !== "object" && typeof value !== "function") return texts.push(String(value));
    if (value === null || seen.has(value)) return 0;
    seen.add(value);
    for (const name of Reflect.ownKeys(value)) {
      texts.push(String(name));
      visit((value as Record<PropertyKey, unknown>)[name]);
    }
    return 0;
  };
  visit(error);
  return `${texts.join("\n")}${JSON.stringify(error)}${String(error)}`;
}

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

/** Places of a secret beside the texts of an error. */
const MEMBERS: ReadonlyArray<readonly [string, () => unknown]> = [
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
  ["private field", () => Object.assign(new Error("no"), { session: new Session() })],
  ["class of its own", () => new Session()],
  ["inspect.custom", () => Object.assign(new Error("no"), { [inspect.custom]: () => KEY })],
  ["prototype", () => Object.create(Object.assign(new Error("no"), { key: KEY }))],
  ["function", () => Object.assign(() => KEY, { key: KEY })],
  ["cause that is no error", () => new Error("a", { cause: new URL(`https://a.example/${encodeURIComponent(KEY)}`) })],
  ["object that is no error", () => ({ headers: [KEY] })],
  ["a URL alone", () => new URL(`https://a.example/?k=${encodeURIComponent(KEY)}`)],
];

/** Texts of an error with the secret in them. */
const TEXTS: ReadonlyArray<readonly [string, () => unknown]> = [
  ["message that is a text object", () => Object.assign(new Error("no"), { message: new String(KEY) })],
  ["message", () => new Error(`bad header ${KEY}`)],
  ["getter of the message", () => Object.defineProperty(new Error("no"), "message", { get: () => KEY })],
  ["name and code", () => Object.assign(new Error("no"), { name: KEY, code: KEY })],
  ["cause of the cause", () => new Error("a", { cause: new Error("b", { cause: new Error(KEY) }) })],
  ["list of errors", () => new AggregateError([new Error(KEY), KEY, new Session()], "all failed")],
  ["text that is no error", () => `rejected with ${KEY}`],
  ["symbol that is no error", () => Symbol(KEY)],
];

const CLASSES = Object.entries(entry).flatMap(([name, value]) =>
  typeof value === "function" && (value === ArchiveError || value.prototype instanceof ArchiveError)
    ? [[name, value as unknown as new (what: string, details: { cause: unknown }) => ArchiveError] as const]
    : [],
);

test("every error class drops the members of a cause, wherever they hide a secret", () => {
  expect(CLASSES).toHaveLength(6);
  for (const [name, make] of MEMBERS) {
    for (const [className, ErrorClass] of CLASSES) {
      const shown = everythingOf(new ErrorClass("x.", { cause: make() }));
      expect(shown, `${className}: ${name}`).not.toMatch(/canary|anary-Key|\b63 61 6e/);
    }
  }
});

test.each([...MEMBERS, ...TEXTS])("a copy without the key: %s", (_, make) => {
  expect(everythingOf(copy(make()))).not.toMatch(/canary|anary-Key|\b63 61 6e/);
});

test("a password that Redis refuses is in no error of a fleet", async () => {
  const server = createServer((socket) => {
    socket.on("error", () => {}).on("data", () => socket.write("-WRONGPASS invalid username-password pair\r\n"));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const queue = `redis://user:s3cr3t-p4ssw0rd@127.0.0.1:${port}`;
  const error = await startWorker({ queue, apiKey: KEY.slice(0, 12) }).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  server.close();
  expect(error).toMatchObject({ code: "QUEUE_FAILED", cause: { name: "ReplyError" } });
  expect(everythingOf(error)).not.toContain("s3cr3t");
});

test("a copy keeps name, message, stack, code and causes, and nothing else", () => {
  const cause = Object.assign(new TypeError("other side closed"), { code: "E_BAD", errno: -104, socket: { port: 80 } });
  const clean = copy(cause) as Error;
  expect(Reflect.ownKeys(clean).sort()).toEqual(["code", "message", "name", "stack"]);
  expect(clean).toMatchObject({ name: "TypeError", message: "other side closed", code: "E_BAD" });
  expect(clean.stack).toContain("causes.test.ts");
  const nested = copy(new RangeError(`key ${KEY} is bad`, { cause: new Error("inner") })) as Error;
  expect(nested).toMatchObject({ message: "key [redacted] is bad", cause: { message: "inner" } });
  expect([undefined, null, 7, "stop"].map((value) => copy(value))).toEqual([undefined, null, "7", "stop"]);
  const circle = new Error("circle");
  circle.cause = circle;
  expect(copy(circle)).toMatchObject({ message: "circle" });
});

test("errors of this package stay the same object", () => {
  const cause = new ArchiveError("inner.");
  expect(new ArchiveError("outer.", { cause }).cause).toBe(cause);
});
