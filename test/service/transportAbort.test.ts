import { describe, expect, test } from "vitest";
import { StandingClock } from "./clocks.js";
import { abortOf, transportFor } from "./helpers.js";
import type { ScriptedAnswer } from "./scriptedServer.js";

const head = "HTTP/1.1 200 OK\r\n";

describe("an abort", () => {
  test("before the request sends nothing", async () => {
    const { server, transport } = await transportFor([{}]);
    const reason = new Error("enough");
    const error = await abortOf(transport.request("/bills", [], { signal: AbortSignal.abort(reason) }));
    expect(error).toMatchObject({ name: "AbortError", code: "ABORTED", cause: reason });
    expect(error.message).toMatch(/^GET \/bills was stopped by its signal\. /);
    expect(server.connections.opened).toBe(0);
  });

  test.each<[string, ScriptedAnswer]>([
    ["waiting for the answer", { hang: true }],
    ["waiting for the body", { raw: `${head}content-length: 10\r\n\r\n`, keepOpen: true }],
    ["reading the body", { drip: " ", everyMs: 2 }],
    ["reading the body of an error", { drip: " ", everyMs: 2, status: 500 }],
  ])("ends a call that is %s, and its connection", async (_, answer) => {
    const { server, transport } = await transportFor([answer]);
    const controller = new AbortController();
    const call = abortOf(transport.request("/bills", [], { signal: controller.signal }));
    await server.arrived(1);
    await new Promise((resolve) => setTimeout(resolve, 20));
    controller.abort();
    expect(await call).toMatchObject({ code: "ABORTED", cause: { name: "AbortError" } });
    await server.quiet(0);
    expect(server.requests).toHaveLength(1);
  });

  test("ends a call that waits for a retry immediately", async () => {
    for (const status of [503, 429]) {
      const answer = { status, headers: { "retry-after": "100" } };
      const { server, transport, clock } = await transportFor([answer], {}, new StandingClock());
      const controller = new AbortController();
      const call = abortOf(transport.request("/bills", [], { signal: controller.signal }));
      while (clock.sleepers === 0) await new Promise(setImmediate);
      controller.abort();
      await call;
      expect(clock.sleepers).toBe(0);
      expect(server.requests).toHaveLength(1);
    }
  });

  test("ends a queued call immediately, and the others continue", async () => {
    let answer = (_: ScriptedAnswer) => {};
    const answered = new Promise<ScriptedAnswer>((resolve) => {
      answer = resolve;
    });
    const { server, transport } = await transportFor(() => answered, { concurrency: 1 });
    const first = transport.request("/people/1", []);
    const controller = new AbortController();
    const queued = abortOf(transport.request("/people/2", [], { signal: controller.signal }));
    const last = transport.request("/people/3", []);
    await server.arrived(1);
    controller.abort();
    await queued;
    answer({ body: "[]" });
    await Promise.all([first, last]);
    expect(server.requests.map(({ url }) => url)).toEqual(["/people/1", "/people/3"]);
  });

  test("of the client's signal ends all calls, future ones too", async () => {
    const controller = new AbortController();
    const { server, transport } = await transportFor([{ hang: true }], { concurrency: 2, signal: controller.signal });
    const asks = Array.from({ length: 20 }, (_, id) => abortOf(transport.request(`/people/${id}`, [])));
    await server.arrived(2);
    controller.abort(new Error("stop button"));
    for (const error of await Promise.all(asks)) expect(error.cause).toMatchObject({ message: "stop button" });
    await abortOf(transport.request("/bills", []));
    await server.quiet(0);
    expect(server.requests).toHaveLength(2);
  });
});
