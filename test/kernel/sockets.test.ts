import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { Dealer, Subscriber } from "zeromq";
import { expectLoopbackOnly } from "../faults/listeners.js";
import { type Channel, type Content, encodeMessage, endpoint, type Frames, newHeader, Wire } from "./kernelClient.js";
import { useKernel } from "./kernels.js";

const kernel = useKernel();
const CHANNELS: readonly Channel[] = ["hb", "shell", "control", "iopub", "stdin"];

const portOf = (channel: Channel) => ({ port: kernel.connection[`${channel}_port`], host: "127.0.0.1" });

/** Checks that the kernel runs cells and responds on its control and heartbeat ports. */
async function expectAlive(): Promise<void> {
  expect(await kernel.heartbeat("ping")).toBe("ping");
  expect((await kernel.request("kernel_info_request", {}, "control")).status).toBe("ok");
  expect(await kernel.value("1 + 1")).toBe("2");
}

/** The frames of a message: delimiter, signature, and four parts. */
function frames(type: string, content: Content, key = kernel.connection.key): Frames {
  const message = { identities: [], header: newHeader(type, "stranger"), parent: {}, content };
  return new Wire({ ...kernel.connection, key }).encode([], encodeMessage("shell", message).parts);
}

/** Waits until everything sent on the socket is processed; returns the number of replies to it. */
async function processed(socket: Dealer): Promise<number> {
  await socket.send(frames("kernel_info_request", {}));
  for (let before = 0; ; before++) {
    if ((await socket.receive()).some((part) => part.includes("kernel_info_reply"))) return before;
  }
}

describe("the sockets of a kernel", () => {
  it.each(CHANNELS)("survive any bytes and messages: %s", async (channel) => {
    const stranger = new Dealer({ linger: 1000 });
    stranger.connect(endpoint(kernel.connection, channel));
    if (channel !== "iopub")
      for (const message of ["hi", "", ["", ""], ["", "hi"], ["a", "", ""], Array.from({ length: 500 }, () => "x")])
        await stranger.send(message);
    for (const garbage of ["\u0000\u0000", "GET / HTTP/1.1\r\n\r\n", "\u00ff".repeat(100_000), ""]) {
      const peer = connect(portOf(channel));
      peer.on("error", () => undefined);
      await once(peer, "connect");
      peer.end(Buffer.from(garbage, "latin1"));
      await new Promise((resolve) => peer.resume().once("close", resolve));
    }
    await expectAlive();
    stranger.close();
  });

  it("ignore messages that are unsigned or wrongly signed", async () => {
    const increment = { code: "globalThis.count = (globalThis as any).count + 1", silent: true };
    await kernel.run("globalThis.count = 0");
    const valid = frames("execute_request", increment);
    const [delimiter = "", signature = "", ...parts] = valid as string[];
    const refused: Frames[] = [
      frames("execute_request", increment, randomUUID()),
      frames("execute_request", increment, ""),
      frames("shutdown_request", { restart: false }, "guessed"),
      [delimiter, signature, ...parts.slice(0, 3), JSON.stringify({ ...increment, code: "process.exit(9)" })],
      [delimiter, signature.toUpperCase(), ...parts],
      [delimiter, signature.slice(0, 32), ...parts],
      [delimiter, ...parts],
      [delimiter, signature, ...parts.slice(0, 3)],
      [signature, ...parts],
      Array.from({ length: 1000 }, () => "<IDS|MSG>"),
    ];
    for (const channel of ["control", "shell"] as const) {
      const socket = new Dealer({ linger: 0 });
      socket.connect(endpoint(kernel.connection, channel));
      for (const each of refused) await socket.send(each);
      expect(await processed(socket)).toBe(0);
      expect(await kernel.value("String((globalThis as any).count)")).toBe("0");
      if (channel === "shell") await socket.send(valid);
      await processed(socket);
      socket.close();
    }
    expect(await kernel.value("String((globalThis as any).count)")).toBe("1");
  });

  it("listen on the loopback interface only", () => {
    for (const channel of CHANNELS) expectLoopbackOnly(portOf(channel).port);
  });

  it("deliver everything to a slow subscriber", async () => {
    const reader = new Subscriber({ linger: 0 });
    reader.connect(endpoint(kernel.connection, "iopub"));
    reader.subscribe("stream");
    const arrived = reader.receive().then(() => true);
    // Nothing arrives before the subscription has.
    do await kernel.run("console.log('hello')");
    while (!(await Promise.race([arrived, pause(20, false)])));
    await kernel.run("for (let n = 0; n < 3000; n++) console.log(String(n).padEnd(1000))");
    const texts: string[] = [];
    while (!texts.at(-1)?.includes("2999 ")) texts.push(JSON.parse(String((await reader.receive()).at(-1))).text);
    const numbers = texts.join("").match(/\d+/g);
    expect(numbers).toEqual(Array.from({ length: 3000 }, (_, n) => String(n)));
    reader.close();
  });
});
