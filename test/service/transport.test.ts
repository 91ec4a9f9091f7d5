import { readFileSync } from "node:fs";
import { Agent } from "undici";
import { describe, expect, test, vi } from "vitest";
import { APIError, ArchiveError } from "../../src/index.js";
import { JumpingClock } from "./clocks.js";
import { errorOf, KEY, transportFor, transportTo } from "./helpers.js";
import { startScriptedServer } from "./scriptedServer.js";

describe("a request", () => {
  test("sends the key and a user agent, and returns bytes", async () => {
    await using server = await startScriptedServer(() => ({ headers: { "X-Page": ["1", "2"] }, body: { bills: [] } }));
    const clock = new JumpingClock(1_700_000_000_000);
    await using transport = transportTo({ baseUrl: `${server.baseUrl}/2.0/` }, {}, clock);
    const response = await transport.request("/bills", [
      ["query", "clean air & water + 50%"],
      ["cursor", ""],
      ["query", "é/?#"],
    ]);
    expect(response).toMatchObject({ status: 200, requests: 1, retries: 0 });
    expect(response.body.toString()).toBe('{"bills":[]}');
    expect(response.headers).toMatchObject({ "content-type": "application/json", "x-page": "1, 2" });
    expect(response.sentAt.getTime()).toBeLessThanOrEqual(response.receivedAt.getTime());
    const version: string = JSON.parse(readFileSync("package.json", "utf8")).version;
    expect(server.requests[0]).toMatchObject({
      method: "GET",
      url: "/2.0/bills?query=clean%20air%20%26%20water%20%2B%2050%25&cursor=&query=%C3%A9%2F%3F%23",
      headers: { accept: "application/json", "accept-encoding": "gzip", "user-agent": `archive-frames/${version}` },
    });
    expect(Buffer.from(String(server.requests[0]?.headers["x-api-key"]), "latin1").toString("latin1")).toBe(KEY);
  });

  test("without a query has no question mark, and tolerates lone surrogates", async () => {
    const { server, transport } = await transportFor([{}]);
    await transport.request("/people/a%2Fb", []);
    await transport.request("/bills", [["query", "\ud800"]]);
    expect(server.requests.map(({ url }) => url)).toEqual(["/people/a%2Fb", "/bills?query=%EF%BF%BD"]);
  });

  test("goes to the service, whatever its path says", async () => {
    await using server = await startScriptedServer(() => ({}));
    await using transport = transportTo({ baseUrl: `${server.baseUrl}/2.0` });
    for (const path of ["//evil.example", "@evil.example/", "/a?b#c"]) await transport.request(path, []);
    expect(server.requests.map(({ url }) => url)).toEqual([
      "/2.0//evil.example",
      "/2.0@evil.example/",
      "/2.0/a%3Fb%23c",
    ]);
  });
});

describe("concurrency", () => {
  test("a thousand requests use few connections, and are sent in order", async () => {
    const { server, transport } = await transportFor([{ body: "[]" }], {
      concurrency: 4,
      signal: new AbortController().signal,
    });
    const { signal } = new AbortController();
    const asks = Array.from({ length: 1000 }, (_, i) => transport.request(`/people/${i}`, [], { signal }));
    const replies = await Promise.all(asks);
    expect(replies.every(({ requests }) => requests === 1)).toBe(true);
    expect(server.load.peak).toBeLessThanOrEqual(4);
    expect(server.connections.opened).toBeLessThanOrEqual(4);
    // Four are on the way at once and may overtake each other, no more than that.
    const seen = server.requests.map(({ url }) => Number(url.slice("/people/".length)));
    for (const [place, id] of seen.entries()) expect(Math.abs(place - id)).toBeLessThan(4);
    await transport.close();
    await server.quiet(0);
  });
});

describe("sessions", () => {
  test("a session of the user is used, and closed by nobody else; a closed one is reported, and not retried", async () => {
    const session = new Agent();
    const { server, transport } = await transportFor([{ body: "[]" }], { session });
    await transport.request("/bills", []);
    await transport.close();
    expect((await session.request({ origin: server.baseUrl, path: "/after", method: "GET" })).statusCode).toBe(200);
    await session.close();
    const onRequest = vi.fn();
    const call = transportTo(server, { session }).request("/bills", [], { onRequest });
    expect((await errorOf(call, APIError)).message).toContain("its session is closed");
    expect(onRequest).toHaveBeenCalledOnce();
  });
});

describe("close", () => {
  test("fails requests in flight, waiting and queued, closes the connections, and is idempotent", async () => {
    const { server, transport } = await transportFor([{ hang: true }], { concurrency: 2 });
    const asks = Array.from({ length: 5 }, (_, i) => errorOf(transport.request(`/people/${i}`, []), ArchiveError));
    await server.arrived(2);
    const closing = transport.close();
    expect(transport.close()).toBe(closing);
    for (const error of await Promise.all(asks)) expect(error).toMatchObject({ code: "CLIENT_CLOSED" });
    await closing;
    await server.quiet(0);
    expect(server.requests).toHaveLength(2);
    const error = await errorOf(transport.request("/bills", []), ArchiveError);
    expect(error).toMatchObject({ code: "CLIENT_CLOSED" });
    expect(error.message).toBe(
      "GET /bills failed: the client is closed. Create a new client, and close it after the last call.",
    );
    expect(server.requests).toHaveLength(2);
  });
});
