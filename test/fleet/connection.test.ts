import { once } from "node:events";
import { expect, it } from "vitest";
import { connect, queueAddress, queueError } from "../../src/fleet/connection.js";
import { FleetQueue } from "../../src/fleet/fleetQueue.js";
import { SharedGate } from "../../src/fleet/sharedGate.js";
import { transportOf } from "../service/helpers.js";
import { HAS_REDIS, startRedis } from "./redisServer.js";

it.skipIf(!HAS_REDIS)("fails a request at once whose key is used up, as another process has said", async () => {
  await using server = await startRedis();
  const address = queueAddress(server.url);
  const queue = new FleetQueue(await connect(address), "0123456789abcdef-01234567");
  await server.redis.hset(queue.key("run"), { limit: 100, open: 1 });
  const gate = () => new SharedGate(queue, "0123", 300);
  await gate().pause(86_400);
  const transport = transportOf({ baseUrl: "http://127.0.0.1:1" }, [undefined, undefined, gate()]);
  const request = transport.request("/mentions", []);
  await expect(request).rejects.toMatchObject({ code: "RATE_LIMITED", retryAfter: 86_400 });
  await transport.close();
  queue.connection.redis.disconnect();
});

it("names a server for TLS by its name only", () => {
  expect(queueAddress("rediss://queue.example").options().tls).toEqual({ servername: "queue.example" });
  expect(queueAddress("rediss://127.0.0.1").options().tls).toEqual({});
});

it.skipIf(!HAS_REDIS)("says what a server refuses", async () => {
  await using server = await startRedis();
  const refused = {
    code: "QUEUE_FAILED",
    message: expect.stringContaining("failed: ERR DB index is out of range. Check"),
  };
  await expect(connect(queueAddress(`${server.url}/99`))).rejects.toMatchObject(refused);
  const address = queueAddress(server.url);
  const queue = new FleetQueue(await connect(address), "0123456789abcdef-01234567");
  await server.redis.call("REPLICAOF", "127.0.0.1", "1");
  const failure = await queue.announce("plan").catch((error: unknown) => queueError(address, error));
  expect(String(failure)).toMatch(/failed: READONLY .*[^.]\. Check/);
  queue.connection.redis.disconnect();
});

it.skipIf(!HAS_REDIS)("counts no request that was stopped before it was sent", async () => {
  await using server = await startRedis();
  const queue = new FleetQueue(await connect(queueAddress(server.url)), "0123456789abcdef-01234567");
  await server.redis.hset(queue.key("run"), { limit: 100, open: 1 });
  const gate = new SharedGate(queue, "0123", 300);
  const stop = new AbortController();
  const passing = gate.pass(stop.signal);
  stop.abort();
  await expect(passing).rejects.toThrow();
  await gate.report();
  expect(await server.redis.hvals(queue.key("sent"))).toEqual(["0"]);
  queue.connection.redis.disconnect();
});

it.skipIf(!HAS_REDIS)(
  "ends a copy of its connection that waits to reconnect, as BullMQ does when a worker is closed",
  async () => {
    await using server = await startRedis();
    const { redis } = await connect(queueAddress(server.url));
    const copy = redis.duplicate();
    copy.on("error", () => undefined);
    copy.once("reconnecting", () => copy.disconnect());
    const ended = once(copy, "end");
    await once(copy, "ready");
    await Promise.all([server.restart(), ended]);
    redis.disconnect();
  },
);
