import { inspect } from "node:util";
import { Agent, type Dispatcher } from "undici";
import { describe, expect, test, vi } from "vitest";
import { ArchiveError } from "../../src/index.js";
import { errorOf, transportFor, transportTo } from "./helpers.js";
import type { ScriptedAnswer, SeenRequest } from "./scriptedServer.js";

// Plain ASCII, so that the server can put it into a status text and a host name.
const CANARY = "canary-7f3a9c0e";

/** All that a program, a notebook or a bug report could show of an error. */
function everything(error: Error): string[] {
  const chain: unknown[] = [];
  for (let at: unknown = error; at instanceof Error && chain.length < 10; at = at.cause) {
    chain.push(at.message, at.stack, String(at), JSON.stringify(at));
  }
  const partial = error as { response?: unknown; hint?: unknown };
  return [
    ...chain.map(String),
    inspect(error, { depth: Infinity, showHidden: true, maxStringLength: Infinity, maxArrayLength: Infinity }),
    JSON.stringify({ error, response: partial.response, hint: partial.hint }),
  ];
}

const base64 = Buffer.from(`user:${CANARY}`).toString("base64");

/** Every place where a server can put what it was sent. */
const echoes: Record<string, (request: SeenRequest) => ScriptedAnswer> = {
  "the body of a 403": () => ({ status: 403, body: { error: `key ${CANARY} unknown`, encoded: base64 } }),
  "a long body": () => ({ status: 500, body: `${"x".repeat(1995)}${CANARY}` }),
  "a body of keys only": () => ({ status: 500, body: CANARY.repeat(20_000) }),
  "a header": () => ({ status: 500, headers: { "x-echo": `${CANARY}, ${encodeURIComponent(CANARY)}`, [CANARY]: "1" } }),
  "the Retry-After of a 429": () => ({ status: 429, headers: { "retry-after": CANARY } }),
  "a status text": () => ({ status: 500, statusText: `Bad key ${CANARY}` }),
  "the host of a redirect": () => ({ status: 302, headers: { location: `https://${CANARY}.example/` } }),
  garbage: () => ({ raw: `${CANARY}\r\n\r\n` }),
  "a content encoding": () => ({ headers: { "content-encoding": CANARY }, body: "x" }),
  "a broken chunk": () => ({ raw: `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n${CANARY}\r\n` }),
};

describe("the key is in no error", () => {
  test.each(Object.entries(echoes))("although the server echoes it in %s", async (_, echo) => {
    const { server, transport } = await transportFor(echo, { apiKey: CANARY, maxRetries: 0 });
    const error = await errorOf(transport.request("/bills", [["query", CANARY]]), ArchiveError);
    expect(server.requests[0]?.headers["x-api-key"] ?? CANARY).toBe(CANARY);
    for (const text of everything(error)) {
      expect(text.toLowerCase()).not.toContain(CANARY);
      expect(text).not.toContain(base64.slice(8, -4));
    }
  });

  test("although it is long, and a body full of keys is cut within one", async () => {
    const apiKey = `long-${"0123456789".repeat(70)}`;
    const { transport } = await transportFor([{ status: 400, body: apiKey.repeat(3000) }], {
      apiKey,
      maxRetries: 0,
    });
    const error = await errorOf(transport.request("/bills", []), ArchiveError);
    for (const text of everything(error)) expect(text).not.toMatch(/long-|0123456789/);
  });

  test("although it was typed as an id", async () => {
    const { transport } = await transportFor([{ status: 404 }], { apiKey: CANARY });
    for (const path of [`/people/${CANARY}`, `/people/${CANARY}/..`]) {
      const error = await errorOf(transport.request(path, []), ArchiveError);
      for (const text of everything(error)) expect(text).not.toContain(CANARY);
    }
  });

  test("although the session throws an error that contains the request", async () => {
    class Telling extends Agent {
      override request<T = null>(options: Dispatcher.RequestOptions<T>): Promise<Dispatcher.ResponseData<T>> {
        return Promise.reject(Object.assign(new Error(`cannot send ${JSON.stringify(options.headers)}`), { options }));
      }
    }
    const transport = transportTo(
      { baseUrl: "http://127.0.0.1:1" },
      { apiKey: CANARY, maxRetries: 0, session: new Telling() },
    );
    const error = await errorOf(transport.request("/bills", []), ArchiveError);
    expect(error.cause).toBeInstanceOf(Error);
    for (const text of everything(error)) expect(text).not.toContain(CANARY);
  });

  test("although the reason of an abort contains it", async () => {
    const transport = transportTo({ baseUrl: "http://127.0.0.1:1" }, { apiKey: CANARY });
    const signal = AbortSignal.abort({ was: `using ${CANARY}` });
    const error = await errorOf(transport.request("/bills", [], { signal }), ArchiveError);
    for (const text of everything(error)) expect(text).not.toContain(CANARY);
  });
});

test("neither response headers nor the transport itself show the key", async () => {
  const { transport } = await transportFor([{ headers: { "x-echo": CANARY }, body: "[]" }], { apiKey: CANARY });
  const response = await transport.request("/bills", []);
  expect(response.headers["x-echo"]).toBe("[redacted]");
  expect(inspect(transport, { depth: 10, showHidden: true })).not.toContain(CANARY);
  expect(JSON.stringify(transport)).toBe("{}");
});

test("a key that is an ordinary word changes rows, with one warning", async () => {
  const warn = vi.spyOn(process, "emitWarning").mockReturnValue();
  const { transport } = await transportFor([{ body: '["An education bill"]' }], { apiKey: "education" });
  for (let request = 0; request < 2; request++)
    expect((await transport.request("/bills", [])).body.toString()).toBe('["An [redacted] bill"]');
  expect(warn.mock.calls).toEqual([
    [expect.not.stringContaining("education"), { type: "ArchiveFramesWarning", code: "KEY_REDACTED" }],
  ]);
});
