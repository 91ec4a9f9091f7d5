import { createHmac, randomUUID } from "node:crypto";
import { once } from "node:events";
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { Dealer, Publisher, Request, Subscriber } from "zeromq";
import { KernelClient, kernelAddress } from "../../src/kernel/headless/kernelClient.js";
import { type Channel, endpoint, LIMITS } from "../../src/kernel/protocol/connection.js";
import { Outbox } from "../../src/kernel/protocol/outbox.js";
import { type Content, type Frames, newHeader, Wire } from "../../src/kernel/protocol/wire.js";
import { expectLoopbackOnly } from "../faults/listeners.js";
import { temporaryFolder } from "../files/temporary.js";
import { LONG } from "../scale.js";
import { beginCell, builtKernel } from "./kernels.js";
import { rawFrame, rawPeer } from "./rawPeer.js";

const folder = temporaryFolder();
const PEERS: Readonly<Record<Channel, string>> = {
  hb: "REQ",
  shell: "DEALER",
  control: "DEALER",
  iopub: "SUB",
  stdin: "DEALER",
};
const CHANNELS = Object.keys(PEERS) as Channel[];

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
let shell: Dealer;
let control: Dealer;
beforeAll(async () => {
  client = await KernelClient.start({ ...builtKernel(), transport: "tcp" }, folder);
  // Control and heartbeat open slightly later than the others.
  await client.request("kernel_info_request", {}, undefined, "control");
  [shell, control] = (["shell", "control"] as const).map((channel) => {
    const socket = new Dealer({ linger: 0 });
    socket.connect(endpoint(client.kernel.connection, channel));
    return socket;
  }) as [Dealer, Dealer];
});
afterAll(async () => {
  shell.close();
  control.close();
  await client.close();
});

const portOf = (channel: Channel) => ({ port: client.kernel.connection[`${channel}_port`], host: "127.0.0.1" });

/** Resolves when the connection has ended or was reset. */
function closed(peer: Socket): Promise<void> {
  return new Promise((resolve) => peer.resume().once("close", () => resolve()));
}

/** Checks that the kernel runs cells and responds on its control and heartbeat ports. */
async function expectAlive(): Promise<void> {
  const heart = new Request({ linger: 0 });
  heart.connect(endpoint(client.kernel.connection, "hb"));
  await heart.send("ping");
  expect(String(await heart.receive())).toBe("ping");
  heart.close();
  expect((await client.request("kernel_info_request", {}, undefined, "control")).status).toBe("ok");
  expect(await runCell("1 + 1")).toBe("2");
}

/** The frames of a message: delimiter, signature, and four parts. */
function frames(type: string, content: Content, key = client.kernel.connection.key): Frames {
  const wire = new Wire({ ...client.kernel.connection, key });
  return wire.encode({ identities: [], header: newHeader(type, "stranger"), parent: {}, metadata: {}, content });
}

function signed(parts: readonly string[]): Frames {
  const hmac = createHmac("sha256", client.kernel.connection.key);
  for (const part of parts) hmac.update(part);
  return ["<IDS|MSG>", hmac.digest("hex"), ...parts];
}

const incrementCell = (more: Content = {}) => ({
  code: "globalThis.count = (globalThis as any).count + 1",
  silent: true,
  ...more,
});

async function runCell(code: string): Promise<unknown> {
  return (await beginCell(client, code).done).value?.["text/plain"];
}

/** Waits until everything sent on the socket is processed; returns the number of replies to it. */
async function processed(socket: Dealer): Promise<number> {
  await socket.send(frames("kernel_info_request", {}));
  for (let before = 0; ; before++) {
    if ((await socket.receive()).some((part) => part.includes("kernel_info_reply"))) return before;
  }
}

describe("a kernel over TCP", () => {
  it.each(CHANNELS)("survives any bytes on its %s port", async (channel) => {
    for (const frames of Object.values(MESSAGES)) {
      for (const type of LONG ? [PEERS[channel], "DEALER"] : [PEERS[channel]]) {
        const peer = await rawPeer(portOf(channel), type);
        for (const frame of frames) peer.write(frame);
        await pause(20);
        peer.destroy();
      }
    }
    for (const garbage of ["\u0000\u0000", "GET / HTTP/1.1\r\n\r\n", "\u00ff".repeat(100_000), ""]) {
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

describe("the messages and sockets of a kernel", () => {
  it("ignores messages that are unsigned, wrongly signed or replayed", async () => {
    await runCell("globalThis.count = 0");
    const valid = frames("execute_request", incrementCell());
    const [delimiter = "", signature = "", ...parts] = valid as string[];
    const header = JSON.stringify(newHeader("execute_request", "stranger"));
    const refused: Frames[] = [
      frames("execute_request", incrementCell(), randomUUID()),
      frames("execute_request", incrementCell(), ""),
      frames("shutdown_request", { restart: false }, "guessed"),
      [delimiter, signature, ...parts.slice(0, 3), JSON.stringify(incrementCell({ code: "process.exit(9)" }))],
      [delimiter, signature.toUpperCase(), ...parts],
      [delimiter, signature.slice(0, 32), ...parts],
      [delimiter, ...parts],
      [delimiter, signature, ...parts.slice(0, 3)],
      [signature, ...parts],
      ["x".repeat(1_000_000)],
      Array.from({ length: 1000 }, () => "<IDS|MSG>"),
      ...["null", "[]", "1", '"x"', "{", ""].flatMap((part) => [
        signed([header, "{}", "{}", part]),
        signed([part, "{}", "{}", "{}"]),
        signed([header, part, part, "{}"]),
      ]),
      signed(["{}", "{}", "{}", "{}"]),
    ];
    for (const socket of [shell, control]) {
      for (const each of refused) await socket.send(each);
      expect(await processed(socket)).toBe(0);
    }
    expect(await runCell("String(globalThis.count)")).toBe("0");
    // A valid message runs once, however often it is sent.
    for (let time = 0; time < (LONG ? 1000 : 20); time++) await shell.send(valid);
    await processed(shell);
    expect(await runCell("String(globalThis.count)")).toBe("1");
    expect(await processed(control)).toBe(0);
  });

  it("listens on the loopback interface only", async () => {
    const { shell_port, iopub_port, stdin_port, control_port, hb_port } = client.kernel.connection;
    for (const port of [shell_port, iopub_port, stdin_port, control_port, hb_port]) expectLoopbackOnly(port);
  });

  it("has a connection file that only its user can read", () => {
    const file = (client.kernel.process.spawnargs.find((part) => part.endsWith("kernel.json")) ?? "") as string;
    expect(JSON.parse(readFileSync(file, "utf8")).key).toBe(client.kernel.connection.key);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(file.replace(/\/kernel\.json$/, "")).mode & 0o777).toBe(0o700);
  });
});

describe("the publisher", () => {
  it("delivers every message to an active subscriber and drops a stalled one", async () => {
    const publisher = new Publisher({ ...LIMITS.iopub, linger: 0 });
    await publisher.bind("tcp://127.0.0.1:*");
    const address = publisher.lastEndpoint as string;
    const stalled = await rawPeer({ port: Number(/\d+$/.exec(address)?.[0]) }, "SUB");
    stalled.write(rawFrame(Buffer.from([1])));
    stalled.pause();
    const reader = new Subscriber();
    reader.connect(address);
    reader.subscribe();
    // Nothing arrives before the subscription has.
    const arrived = reader.receive().then(() => true);
    do await publisher.send("hello");
    while (!(await Promise.race([arrived, pause(20, false)])));

    const [count, size] = [3000, 50_000];
    const topics: string[] = [];
    const all = (async () => {
      for await (const [topic] of reader) if (String(topic) !== "hello" && topics.push(String(topic)) === count) return;
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
  it("listens in a private directory and removes it on exit", async () => {
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
  });

  it("uses a short directory, or ports, if a socket path would be too long", async () => {
    const long = join(folder, "x".repeat(100));
    mkdirSync(long);
    vi.stubEnv("TMPDIR", long);
    onTestFinished(() => void vi.unstubAllEnvs());
    const { connection, directory } = await kernelAddress("ipc");
    expect(directory.startsWith("/tmp/")).toBe(true);
    expect(connection.ip.length).toBeLessThan(100);
    expect(readdirSync(long)).toEqual([]);
    expect((await kernelAddress("tcp")).connection).toMatchObject({ transport: "tcp", ip: "127.0.0.1" });
  });

  it("gives each socket a port of its own", async () => {
    const addresses = await Promise.all(Array.from({ length: 20 }, () => kernelAddress("tcp")));
    for (const { connection } of addresses) {
      const { shell_port, iopub_port, stdin_port, control_port, hb_port } = connection;
      const ports = [shell_port, iopub_port, stdin_port, control_port, hb_port];
      expect(new Set(ports).size).toBe(5);
    }
  });
});
