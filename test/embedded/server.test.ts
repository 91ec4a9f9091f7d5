import { once } from "node:events";
import { connect } from "node:net";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { respond } from "../../src/embedded/server/startServer.js";
import { ValidationError } from "../../src/index.js";
import { type EmbeddedArchive, startEmbeddedArchive } from "../tools/startGenerated.js";
import { ask, portOf } from "./support.js";

const started: EmbeddedArchive[] = [];
async function start(options: Parameters<typeof startEmbeddedArchive>[0] = {}): Promise<EmbeddedArchive> {
  const archive = await startEmbeddedArchive(options);
  started.push(archive);
  return archive;
}
afterEach(async () => {
  await Promise.all(started.splice(0).map((archive) => archive.close()));
});

describe("startEmbeddedArchive", () => {
  test("port and apiKey are used as given", async () => {
    const port = portOf(await start());
    await started.pop()?.close();
    const archive = await start({ port, apiKey: "other key" });
    expect(portOf(archive)).toBe(port);
    expect((await ask(archive, "/people/6153")).status).toBe(200);
  });

  test("a port that is in use throws PORT_UNAVAILABLE", async () => {
    const port = portOf(await start());
    await expect(start({ port })).rejects.toMatchObject({
      name: "ArchiveError",
      code: "PORT_UNAVAILABLE",
      message: `port ${port} is already in use. Give another port, or 0 for any free one.`,
      cause: expect.anything(),
    });
  });

  test.each<[unknown, string]>([
    ...[-1, 65_536, 1.5, "80"].map((port): [object, string] => [{ port }, "port"]),
    ...[-1, 1.5, "many"].map((quota): [object, string] => [{ quota }, "quota"]),
    [{ quota: { requests: 1, seconds: 0 } }, "quota.seconds"],
    [{ quota: { requests: 1 } }, "quota.seconds"],
    [{ quota: { requests: 1, second: 1 } }, "second"],
    [{ apiKey: "" }, "apiKey"],
    [{ apiKey: 7 }, "apiKey"],
    [{ prot: 1 }, "prot"],
  ])("the options %j are refused before listening", async (options, parameter) => {
    const attempt = startEmbeddedArchive(options as never);
    await expect(attempt).rejects.toMatchObject({ name: "ValidationError", code: "INVALID_INPUT", parameter });
    await expect(attempt).rejects.toThrow(parameter);
  });

  test("options are an object, in which null counts as left out", async () => {
    await expect(startEmbeddedArchive("fast" as never)).rejects.toBeInstanceOf(ValidationError);
    expect((await start({ port: null, quota: null } as never)).apiKey).toBe("embedded-archive");
  });

  test("requests counts every response, refusals included", async () => {
    const archive = await start();
    expect(archive.requests).toBe(0);
    await ask(archive, "/people");
    await ask(archive, "/nowhere");
    await ask(archive, "/people", {}, { headers: {} });
    expect(archive.requests).toBe(3);
  });
});

describe("section 7: quota exceeded is 429 with Retry-After", () => {
  const quota = (options: number | { requests: number; seconds: number }) => start({ quota: options });
  beforeEach(() => void vi.useFakeTimers({ toFake: ["performance"] }));
  afterEach(() => void vi.useRealTimers());

  test("Retry-After is whole seconds until the window resets, at least 1", async () => {
    const archive = await quota({ requests: 1, seconds: 10 });
    await ask(archive, "/people");
    const wait = async (passed: number) => {
      vi.advanceTimersByTime(passed);
      const { status, headers, body } = await ask(archive, "/people");
      expect(status).toBe(429);
      expect(body.message).toBeTypeOf("string");
      return headers.get("retry-after");
    };
    const waits = [await wait(0), await wait(1), await wait(8_998), await wait(2), await wait(998)];
    expect(waits).toEqual("10 10 2 1 1".split(" "));
  });

  test("refused keys cost no quota", async () => {
    const archive = await quota(1);
    await ask(archive, "/people", {}, { headers: {} });
    await ask(archive, "/people", {}, { headers: { "x-api-key": "wrong" } });
    expect((await ask(archive, "/people")).status).toBe(200);
  });
});

describe("close", () => {
  test("ends idle keep-alive connections and half-sent requests", async () => {
    const archive = await start();
    await ask(archive, "/people");
    const idle = connect(portOf(archive), "127.0.0.1").on("error", () => {});
    const half = connect(portOf(archive), "127.0.0.1").on("error", () => {});
    await Promise.all([once(idle, "connect"), once(half, "connect")]);
    half.write("GET /2.0/people HTTP/1.1\r\nhost: x\r\n");
    const ended = Promise.all([idle, half].map((socket) => new Promise((resolve) => socket.once("close", resolve))));
    await archive.close();
    await ended;
    await expect(ask(archive, "/people")).rejects.toThrow();
  });
});

describe("unref", () => {
  const holdsProcess = () => process.getActiveResourcesInfo().filter((name) => name === "TCPServerWrap").length;

  test("the archive keeps the process alive until unref() is called, and still responds", async () => {
    const before = holdsProcess();
    const archive = await start();
    expect(holdsProcess()).toBe(before + 1);
    archive.unref();
    expect(holdsProcess()).toBe(before);
    expect((await ask(archive, "/people/6153")).status).toBe(200);
  });
});

test("an internal error is a 500 without details", () => {
  const open = () => {
    throw new Error("inner secret");
  };
  const request = { method: "GET", url: "/2.0/people/6153", headers: { "x-api-key": "k" } };
  const { status, body } = respond({ open, apiKey: "k", count: undefined }, request);
  expect(status).toBe(500);
  expect(JSON.parse(body)).toEqual({ message: "Internal server error" });
});
