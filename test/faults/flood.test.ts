import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setImmediate } from "node:timers/promises";
import { expect, it } from "vitest";
import { clientTo, mention, queryOf } from "../client/clientTo.js";
import { LONG } from "../scale.js";
import { startScriptedServer } from "../service/scriptedServer.js";

const SEARCHES = LONG ? 10_000 : 500;

it(`${SEARCHES} concurrent searches share the connections, run in order and get their own rows`, {
  timeout: 600_000,
}, async () => {
  await using server = await startScriptedServer((request) => {
    const { query = "" } = queryOf(request);
    return { body: { mentions: [mention(Number(query), { text: "WORDS ".repeat(50) })], cursor: "c" } };
  });
  const concurrency = 6;
  await using archive = clientTo(server, { concurrency });
  const frames = await Promise.all([...Array(SEARCHES).keys()].map((at) => archive.mentions(String(at))));
  frames.forEach((frame, at) => {
    expect(frame.height).toBe(1);
    expect(frame.getColumn("id").get(0)).toBe(String(at));
  });
  expect(server.load.peak).toBeLessThanOrEqual(concurrency);
  expect(server.connections.opened).toBeLessThanOrEqual(concurrency);
  expect(server.requests).toHaveLength(SEARCHES);
  // First come, first served, except that a request may overtake those on the other connections by one position.
  server.requests.forEach((request, at) => {
    expect(Math.abs(Number(queryOf(request).query) - at)).toBeLessThan(concurrency);
  });
});

it("a queued search opens no connection, sets no timer, and ends when the client closes", async () => {
  await using server = await startScriptedServer(() => ({ hang: true }));
  const concurrency = 4;
  const archive = clientTo(server, { concurrency });
  const search = (at: number) => archive.mentions(String(at)).catch((error: { code: string }) => error.code);
  const running = [...Array(concurrency).keys()].map(search);
  await server.arrived(concurrency);
  const before = resources();
  const queued = [...Array(SEARCHES).keys()].map(search);
  await setImmediate();
  // The test runner has a few of its own.
  expect(resources() - before).toBeLessThan(SEARCHES / 10);
  await archive.close();
  expect(new Set(await Promise.all([...running, ...queued]))).toEqual(new Set(["CLIENT_CLOSED"]));
  await server.quiet(0);
  expect(server.requests).toHaveLength(concurrency);
  expect(server.connections.opened).toBe(concurrency);
});

/** How many sockets, timers and DNS lookups keep the process alive. */
function resources(): number {
  return process.getActiveResourcesInfo().filter((kind) => /TCP|Timeout|GetAddrInfo/.test(kind)).length;
}

it("several clients answer every search that neither fails nor is aborted", async () => {
  const server = createServer((request, response) => {
    const { query = "" } = queryOf({ url: request.url ?? "" });
    if (Number(query) % 5 === 1) response.writeHead(404).end("{}");
    else if (Number(query) % 5 !== 2) response.end(JSON.stringify({ bills: [{ id: Number(query) }], cursor: "c" }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const clients = [1, 2, 3].map(() => clientTo({ baseUrl }, { concurrency: 5 }));
  const outcomes = await Promise.all(
    [...Array(300).keys()].map(async (at) => {
      const archive = clients[at % 3];
      // An aborted search without a response must release its slot.
      const signal = at % 5 === 2 ? AbortSignal.timeout(50) : undefined;
      try {
        const frame = await archive?.bills(String(at), { signal });
        return frame?.getColumn("id").get(0);
      } catch (error) {
        return (error as { code?: string }).code;
      }
    }),
  );
  outcomes.forEach((outcome, at) => {
    expect(outcome).toBe(at % 5 === 1 ? "NOT_FOUND" : at % 5 === 2 ? "ABORTED" : at);
  });
  for (const client of clients) await client.close();
  await new Promise((resolve) => server.close(resolve));
});
