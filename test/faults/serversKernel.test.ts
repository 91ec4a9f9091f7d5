import { createHmac, randomUUID } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { connect } from "node:net";
import { networkInterfaces } from "node:os";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Dealer } from "zeromq";
import { KernelClient } from "../../src/kernel/headless/kernelClient.js";
import { endpoint } from "../../src/kernel/protocol/connection.js";
import { type Content, type Frames, newHeader, Wire } from "../../src/kernel/protocol/wire.js";

import { beginCell, builtKernel, START, scratchDirectory } from "../kernel/kernels.js";
import { LONG } from "../scale.js";
import { externalAddresses, listeningAddresses } from "./listeners.js";

const folder = scratchDirectory();
let client: KernelClient;
let shell: Dealer;
let control: Dealer;

beforeAll(async () => {
  client = await KernelClient.start(builtKernel(), folder);
  [shell, control] = (["shell", "control"] as const).map((channel) => {
    const socket = new Dealer({ linger: 0 });
    socket.connect(endpoint(client.kernel.connection, channel));
    return socket;
  }) as [Dealer, Dealer];
}, START);

afterAll(async () => {
  shell.close();
  control.close();
  await client.close();
});

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

describe("the kernel", () => {
  it("ignores messages that are unsigned, wrongly signed or replayed", async () => {
    await runCell("globalThis.count = 0");
    const valid = frames("execute_request", incrementCell());
    const [delimiter, signature = "", ...parts] = valid as string[];
    const header = JSON.stringify(newHeader("execute_request", "stranger"));
    const refused: Frames[] = [
      frames("execute_request", incrementCell(), randomUUID()),
      frames("execute_request", incrementCell(), ""),
      frames("shutdown_request", { restart: false }, "guessed"),
      [
        delimiter as string,
        signature,
        ...parts.slice(0, 3),
        JSON.stringify(incrementCell({ code: "process.exit(9)" })),
      ],
      [delimiter as string, signature.toUpperCase(), ...parts],
      [delimiter as string, signature.slice(0, 32), ...parts],
      [delimiter as string, ...parts],
      [delimiter as string, signature, ...parts.slice(0, 3)],
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

  it("survives bytes that are not ZeroMQ and many half-open connections", async () => {
    const { shell_port, control_port, hb_port, iopub_port, stdin_port } = client.kernel.connection;
    const sockets = [shell_port, control_port, hb_port, iopub_port, stdin_port].flatMap((port) =>
      Array.from({ length: LONG ? 200 : 20 }, (_, at) => {
        const socket = connect(port, "127.0.0.1");
        socket.on("error", () => {});
        if (at % 3 === 0) socket.write("GET / HTTP/1.1\r\n\r\n");
        if (at % 3 === 1) socket.write(Buffer.from([0xff, 0, 0, 0, 0, 0, 0, 0, 1, 0x7f, 3, 0, 0xff, 0xff]));
        return socket;
      }),
    );
    expect(await runCell("'still here'")).toContain("still here");
    for (const socket of sockets) socket.destroy();
    expect(await runCell("'and here'")).toContain("and here");
  });

  it("listens on the loopback interface only", async () => {
    const { shell_port, iopub_port, stdin_port, control_port, hb_port } = client.kernel.connection;
    for (const port of [shell_port, iopub_port, stdin_port, control_port, hb_port]) {
      expect(listeningAddresses(port)).toEqual(["127.0.0.1"]);
      for (const address of externalAddresses(networkInterfaces())) expect(await isRefused(address, port)).toBe(true);
    }
  });

  it("has a connection file that only its user can read", () => {
    const file = (client.kernel.process.spawnargs.find((part) => part.endsWith("kernel.json")) ?? "") as string;
    expect(JSON.parse(readFileSync(file, "utf8")).key).toBe(client.kernel.connection.key);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(file.replace(/\/kernel\.json$/, "")).mode & 0o777).toBe(0o700);
  });
});

function isRefused(address: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, address);
    socket.once("connect", () => {
      socket.destroy();
      resolve(false);
    });
    socket.once("error", () => resolve(true));
  });
}
