import { once } from "node:events";
import { existsSync, lstatSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Dealer, Publisher, Request, Subscriber } from "zeromq";
import { KernelClient } from "../../src/kernel/headless/kernelClient.js";
import { kernelAddress } from "../../src/kernel/headless/kernelProcess.js";
import { type Channel, endpoint, PUBLISHER_LIMITS } from "../../src/kernel/protocol/connection.js";
import { Outbox } from "../../src/kernel/protocol/outbox.js";

import { beginCell, builtKernel, START, scratchDirectory } from "../kernel/kernels.js";
import { rawFrame, rawPeer } from "./rawPeer.js";

const folder = scratchDirectory();
const CHANNELS: readonly Channel[] = ["hb", "shell", "control", "iopub", "stdin"];
const PEERS: Readonly<Record<Channel, string>> = {
  hb: "REQ",
  shell: "DEALER",
  control: "DEALER",
  iopub: "SUB",
  stdin: "DEALER",
};

/** Bytes that any user of the machine can write to a socket. */
const MESSAGES: Readonly<Record<string, readonly Buffer[]>> = {
  "two bytes": [rawFrame(Buffer.from("hi"))],
  nothing: [rawFrame(Buffer.alloc(0))],
  "an envelope without an end": [rawFrame(Buffer.alloc(0), true)],
  "an envelope and nothing": [rawFrame(Buffer.alloc(0), true), rawFrame(Buffer.alloc(0))],
  "frame upon frame": Array.from({ length: 1000 }, () => rawFrame(Buffer.from("x"), true)),
  "a length that is none": [Buffer.from([2, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff])],
  "no frame": [Buffer.from([0xff, 0xff, 0xff])],
  "a command": [Buffer.from([4, 2, 1, 0x41])],
};

let client: KernelClient;
beforeAll(async () => {
  client = await KernelClient.start(builtKernel(), folder);
  // Control and heartbeat open slightly later than the others.
  await client.request("kernel_info_request", {}, undefined, "control");
}, START);
afterAll(() => client.close());

const portOf = (channel: Channel) => ({ port: client.kernel.connection[`${channel}_port`], host: "127.0.0.1" });

/** Resolves when the connection has ended or was reset. */
function closed(peer: Socket): Promise<void> {
  return new Promise((resolve) => peer.resume().once("close", () => resolve()));
}

/** Checks that the kernel runs cells and responds on its control and heartbeat ports. */
async function expectAlive(): Promise<void> {
  const heart = new Request({ linger: 0, receiveTimeout: 20_000 });
  heart.connect(endpoint(client.kernel.connection, "hb"));
  await heart.send("ping");
  expect(String(await heart.receive())).toBe("ping");
  heart.close();
  expect((await client.request("kernel_info_request", {}, undefined, "control")).status).toBe("ok");
  expect((await beginCell(client, "1 + 1").done).value?.["text/plain"]).toBe("2");
}

describe("a kernel over TCP", () => {
  it.each(CHANNELS)("survives any bytes on its %s port", async (channel) => {
    for (const frames of Object.values(MESSAGES)) {
      for (const type of [PEERS[channel], "DEALER"]) {
        const peer = await rawPeer(portOf(channel), type);
        for (const frame of frames) peer.write(frame);
        await pause(20);
        peer.destroy();
      }
    }
    for (const garbage of ["\u0000\u0000", "GET / HTTP/1.1\r\n\r\n", "\u00ff".repeat(100_000)]) {
      const peer = connect(portOf(channel));
      peer.on("error", () => undefined);
      await once(peer, "connect");
      peer.end(Buffer.from(garbage, "latin1"));
      await closed(peer);
    }
    expect(client.kernel.hasExited).toBe(false);
    await expectAlive();
  });

  it.each(CHANNELS.filter((channel) => channel !== "iopub"))("survives any messages to %s", async (channel) => {
    const peer = new Dealer({ linger: 1000 });
    peer.connect(endpoint(client.kernel.connection, channel));
    for (const message of ["hi", "", ["", ""], ["", "hi"], ["a", "", ""], Array.from({ length: 500 }, () => "x")]) {
      await peer.send(message);
    }
    await expectAlive();
    peer.close();
  });

  it.each([
    ["hb", 2048],
    ["stdin", 2 ** 20 + 1],
    ["iopub", 2048],
    ["control", 2 ** 20 + 1],
    ["shell", 2 ** 25 + 1],
  ] as const)("%s closes the connection when a message of %d bytes is announced", async (channel, length) => {
    const peer = await rawPeer(portOf(channel), PEERS[channel]);
    const gone = closed(peer);
    // Only the frame header that announces the message.
    peer.write(rawFrame(Buffer.alloc(length)).subarray(0, 9));
    await gone;
    await expectAlive();
  });
});

describe("the publisher", () => {
  it("delivers every message to an active subscriber and drops a stalled one", async () => {
    const publisher = new Publisher({ ...PUBLISHER_LIMITS, linger: 0 });
    await publisher.bind("tcp://127.0.0.1:*");
    const address = publisher.lastEndpoint as string;
    const stalled = await rawPeer({ port: Number(/\d+$/.exec(address)?.[0]) }, "SUB");
    stalled.write(rawFrame(Buffer.from([1])));
    stalled.pause();
    const reader = new Subscriber();
    reader.connect(address);
    reader.subscribe();
    await pause(500);

    const [count, size] = [3000, 50_000];
    const topics: string[] = [];
    const all = (async () => {
      for await (const [topic] of reader) if (topics.push(String(topic)) === count) return;
    })();
    const outbox = new Outbox(publisher, 500);
    const body = Buffer.alloc(size);
    for (let at = 0; at < count; at++) outbox.send([String(at), body]);
    await all;
    expect(topics).toEqual(Array.from({ length: count }, (_, at) => String(at)));
    await outbox.flushed(10_000);

    // The stalled subscriber had little queued: it now receives that, and then new messages.
    let bytes = 0;
    stalled.on("data", (data: Buffer) => {
      bytes += data.length;
    });
    stalled.resume();
    for (let before = -1; before !== bytes; await pause(1000)) before = bytes;
    expect(bytes).toBeLessThan((count * size) / 4);
    bytes = 0;
    outbox.send(["end", "of it"]);
    while (bytes === 0) await pause(20);
    stalled.destroy();
    reader.close();
    publisher.close();
  });
});

describe.skipIf(process.platform === "win32")("the kernel of a notebook run", () => {
  it(
    "listens in a private directory and removes it on exit",
    async () => {
      const own = await KernelClient.start({ ...builtKernel(), transport: "ipc" }, folder);
      const { transport, ip } = own.kernel.connection;
      const directory = dirname(ip);
      expect(transport).toBe("ipc");
      expect(statSync(directory).mode & 0o777).toBe(0o700);
      expect((await beginCell(own, "6 * 7").done).value?.["text/plain"]).toBe("42");
      expect(readdirSync(directory).sort()).toEqual(["k-1", "k-2", "k-3", "k-4", "k-5", "kernel.json"]);
      expect(lstatSync(join(directory, "k-5")).isSocket()).toBe(true);
      const peer = await rawPeer({ path: `${ip}-5` }, "REQ");
      peer.write(rawFrame(Buffer.from("hi")));
      await pause(100);
      peer.destroy();
      expect((await beginCell(own, "6 * 7").done).value?.["text/plain"]).toBe("42");
      await own.close();
      expect(existsSync(directory)).toBe(false);
    },
    START,
  );

  it("uses a short directory, or ports, if a socket path would be too long", async () => {
    const before = process.env.TMPDIR;
    const long = join(folder, "x".repeat(100));
    mkdirSync(long);
    process.env.TMPDIR = long;
    try {
      const { connection, directory } = await kernelAddress("ipc");
      expect(directory.startsWith("/tmp/")).toBe(true);
      expect(connection.ip.length).toBeLessThan(100);
      expect(readdirSync(long)).toEqual([]);
    } finally {
      if (before === undefined) delete process.env.TMPDIR;
      else process.env.TMPDIR = before;
    }
    expect((await kernelAddress("tcp")).connection).toMatchObject({ transport: "tcp", ip: "127.0.0.1" });
  });
});
