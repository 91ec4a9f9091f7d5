import { expect, it } from "vitest";
import { rateOf, SharedGate } from "../../src/fleet/sharedGate.js";
import { resolveOptions } from "../../src/service/http/options.js";
import { Transport } from "../../src/service/http/transport.js";
import { temporaryFolder } from "../files/temporary.js";
import { KEY } from "../service/helpers.js";
import { folder } from "./fleetOf.js";
import { HAS_REDIS, startRedis } from "./redisServer.js";

const root = temporaryFolder();

it.skipIf(!HAS_REDIS)("fails a request at once whose key is used up, as another process has said", async () => {
  await using server = await startRedis(folder(root, "redis"));
  const { redis } = server;
  const name = "0123456789abcdef-01234567";
  await redis.hset(`archive-frames:${name}:sent`, { run: "a", total: 0, limit: 100 });
  const settings = resolveOptions({ apiKey: KEY, baseUrl: "http://127.0.0.1:1" });
  const rate = rateOf("01234567", "0123");
  const gate = (member: string) => new SharedGate({ redis, name, rate, member, maxRetryWait: settings.maxRetryWait });
  await gate("one").pause(86_400);
  const transport = new Transport(settings, undefined, undefined, gate("two"));
  const request = transport.request("/mentions", []);
  await expect(request).rejects.toMatchObject({ code: "RATE_LIMITED", retryAfter: 86_400 });
  await transport.close();
});
