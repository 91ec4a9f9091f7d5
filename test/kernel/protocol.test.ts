import { writeFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Dealer, Request, Subscriber } from "zeromq";
import { KernelClient } from "../../src/kernel/headless/kernelClient.js";
import { endpoint } from "../../src/kernel/protocol/connection.js";
import { type Content, type Message, newHeader, Wire } from "../../src/kernel/protocol/wire.js";

import { startScriptedServer } from "../service/scriptedServer.js";
import { builtKernel, START, scratchDirectory } from "./kernels.js";

const folder = scratchDirectory();
let client: KernelClient;
let wire: Wire;
let shell: Dealer;
let control: Dealer;
let iopub: Subscriber;
const published: Message[] = [];

beforeAll(async () => {
  client = await KernelClient.start(builtKernel(), folder);
  const { connection } = client.kernel;
  wire = new Wire(connection);
  shell = new Dealer({ linger: 0 });
  control = new Dealer({ linger: 0 });
  iopub = new Subscriber({ linger: 0 });
  shell.connect(endpoint(connection, "shell"));
  control.connect(endpoint(connection, "control"));
  iopub.connect(endpoint(connection, "iopub"));
  iopub.subscribe();
  void (async () => {
    for await (const frames of iopub) published.push(wire.decode(frames) as Message);
  })();
  // A subscription takes time to arrive, so the request is repeated until something is published.
  while (published.length === 0) await request(shell, "kernel_info_request");
}, START);

afterAll(async () => {
  for (const socket of [shell, control, iopub]) socket.close();
  await client.close();
});

function encoded(type: string, content: Content = {}, how = wire) {
  const header = newHeader(type, "test");
  return { id: header.msg_id, frames: how.encode({ identities: [], header, parent: {}, metadata: {}, content }) };
}

async function received(socket: Dealer): Promise<Message> {
  return wire.decode(await socket.receive()) as Message;
}

async function request(socket: Dealer, type: string, content: Content = {}): Promise<Message> {
  const { id, frames } = encoded(type, content);
  await socket.send(frames);
  for (;;) {
    const reply = await received(socket);
    if (reply.parent.msg_id === id) return reply;
  }
}

/** Everything published for a request until it is idle. */
async function publishedFor(id: string): Promise<Message[]> {
  const own = () => published.filter(({ parent }) => parent.msg_id === id);
  while (!own().some(({ content }) => content.execution_state === "idle")) await new Promise(setImmediate);
  return own();
}

const execute = (code: string, more: Content = {}) => ({ code, silent: false, store_history: true, ...more });

describe("the wire", () => {
  it("ignores messages with a wrong signature, and continues", async () => {
    const wrong = new Wire({ ...client.kernel.connection, key: "another key" });
    for (const socket of [shell, control]) {
      const { id, frames } = encoded("kernel_info_request", {}, wrong);
      await socket.send(frames);
      const reply = await request(socket, "kernel_info_request");
      expect(reply.parent.msg_id).not.toBe(id);
      expect(published.filter(({ parent }) => parent.msg_id === id)).toEqual([]);
    }
    const cell = encoded("execute_request", execute("globalThis.wasRun = true"), wrong);
    await shell.send(cell.frames);
    const reply = await request(shell, "execute_request", execute("String((globalThis as any).wasRun)"));
    const [value] = (await publishedFor(reply.parent.msg_id as string)).filter(
      ({ header }) => header.msg_type === "execute_result",
    );
    expect(value?.content.data).toEqual({ "text/plain": "undefined" });
  });

  it.each([
    [["x"]],
    [["<IDS|MSG>"]],
    [["<IDS|MSG>", "sig", "{}", "{}", "{}"]],
    [["<IDS|MSG>", "", "no json", "{}", "{}", "{}"]],
    [[""]],
  ])("ignores %j", async (frames) => {
    await shell.send(frames);
    expect((await request(shell, "kernel_info_request")).header.msg_type).toBe("kernel_info_reply");
  });

  it("ignores signed JSON that is not a message", async () => {
    const { frames } = encoded("kernel_info_request");
    const parts = ["null", "1", "[]", "{}"];
    const { createHmac } = await import("node:crypto");
    const hmac = createHmac("sha256", client.kernel.connection.key);
    for (const part of parts) hmac.update(part);
    await shell.send([frames[0] as Buffer, hmac.digest("hex"), ...parts]);
    expect((await request(shell, "kernel_info_request")).content.status).toBe("ok");
  });

  it("replies to the sender, with the request's header as parent", async () => {
    const reply = await request(shell, "kernel_info_request");
    expect(reply.header).toMatchObject({ msg_type: "kernel_info_reply", version: "5.3" });
    expect(reply.parent.session).toBe("test");
  });
});

describe("requests", () => {
  it("for kernel_info get a reply on shell and control", async () => {
    for (const socket of [shell, control]) {
      const { content } = await request(socket, "kernel_info_request");
      expect(content).toMatchObject({
        status: "ok",
        protocol_version: "5.3",
        implementation: "archive-frames",
        language_info: { name: "typescript", version: ts.version, file_extension: ".ts", mimetype: "text/typescript" },
      });
    }
  });

  it("are framed by busy and idle, on both sockets", async () => {
    for (const socket of [shell, control]) {
      const { parent } = await request(socket, "kernel_info_request");
      const states = (await publishedFor(parent.msg_id as string)).map(({ content }) => content.execution_state);
      expect(states).toEqual(["busy", "idle"]);
    }
  });

  it("to heartbeat and control are answered while a cell loops", async () => {
    const heart = new Request({ linger: 0 });
    heart.connect(endpoint(client.kernel.connection, "hb"));
    const cell = encoded(
      "execute_request",
      execute("console.log('looping');\nawait null;\nawait new Promise((r) => setTimeout(r, 100));\nfor (;;) {}"),
    );
    await shell.send(cell.frames);
    while (!published.some(({ parent, header }) => parent.msg_id === cell.id && header.msg_type === "stream")) {
      await new Promise(setImmediate);
    }
    await new Promise((resolve) => setTimeout(resolve, 200));
    await heart.send("alive?");
    expect((await heart.receive()).map(String)).toEqual(["alive?"]);
    expect((await request(control, "kernel_info_request")).content.status).toBe("ok");
    expect((await request(control, "interrupt_request")).content.status).toBe("ok");
    expect((await received(shell)).content).toMatchObject({ status: "error", ename: "InterruptedError" });
    heart.close();
  });

  it("for complete, inspect, is_complete, history and comm_info get replies", async () => {
    const content = async (type: string, content: Content) => (await request(shell, type, content)).content;
    await request(shell, "execute_request", execute("/** How far it is. */\nconst distance = { metres: 12 };"));
    expect(await content("complete_request", { code: "distance.met", cursor_pos: 12 })).toEqual({
      status: "ok",
      matches: ["metres"],
      cursor_start: 9,
      cursor_end: 12,
      metadata: {},
    });
    expect(await content("inspect_request", { code: "distance", cursor_pos: 3, detail_level: 0 })).toMatchObject({
      status: "ok",
      found: true,
      data: { "text/plain": expect.stringContaining("metres: number") },
    });
    expect(await content("inspect_request", { code: "  ", cursor_pos: 0 })).toMatchObject({
      status: "ok",
      found: false,
      data: {},
    });
    expect(await content("is_complete_request", { code: "function f() {" })).toEqual({
      status: "incomplete",
      indent: "  ",
    });
    expect(await content("is_complete_request", { code: "1" })).toEqual({ status: "complete" });
    expect(await content("history_request", { hist_access_type: "tail", n: 1 })).toEqual({ status: "ok", history: [] });
    expect(await content("comm_info_request", { target_name: "x" })).toEqual({ status: "ok", comms: {} });
  });

  it("for inspect include the documentation of Node's modules", async () => {
    await request(shell, "execute_request", execute("import fs from 'node:fs';"));
    const { content } = await request(shell, "inspect_request", { code: "fs.readFileSync", cursor_pos: 5 });
    expect((content.data as Record<string, string>)["text/plain"]).toContain("Returns the contents of the `path`");
    const reply = await request(shell, "execute_request", execute("1 + 1"));
    expect(reply.content.status).toBe("ok");
  });

  it("count positions in characters as Jupyter does, not in UTF-16 units", async () => {
    const code = "'😀😀😀😀'; Math.ro";
    const { content } = await request(shell, "complete_request", { code, cursor_pos: 15 });
    expect(content).toMatchObject({ matches: expect.arrayContaining(["round"]), cursor_start: 13, cursor_end: 15 });
  });

  it("of an unknown type are ignored", async () => {
    const { id, frames } = encoded("comm_msg", { comm_id: "1", data: {} });
    await shell.send(frames);
    expect(await publishedFor(id)).toHaveLength(2);
  });

  it("close comms, which the kernel does not have", async () => {
    const { id, frames } = encoded("comm_open", { comm_id: "1", target_name: "x", data: {} });
    await shell.send(frames);
    const [, close] = await publishedFor(id);
    expect(close?.header.msg_type).toBe("comm_close");
    expect(close?.content).toEqual({ comm_id: "1", data: {} });
  });
});

describe("execution", () => {
  it("publishes its input and the execution count", async () => {
    const first = await request(shell, "execute_request", execute("'counted'"));
    const second = await request(shell, "execute_request", execute("'counted'"));
    expect(second.content.execution_count).toBe((first.content.execution_count as number) + 1);
    const input = (await publishedFor(first.parent.msg_id as string)).find(
      ({ header }) => header.msg_type === "execute_input",
    );
    expect(input?.content).toEqual({ code: "'counted'", execution_count: first.content.execution_count });
  });

  it("publishes only printed text and does not count if silent", async () => {
    const before = await request(shell, "execute_request", execute("0"));
    const silent = await request(shell, "execute_request", execute("console.log('said'); 5", { silent: true }));
    expect(silent.content).toMatchObject({ status: "ok", execution_count: before.content.execution_count });
    const types = (await publishedFor(silent.parent.msg_id as string)).map(({ header }) => header.msg_type);
    expect(types).toEqual(["status", "stream", "status"]);
    const failing = await request(shell, "execute_request", execute("throw new Error('x')", { silent: true }));
    expect(failing.content).toMatchObject({ status: "error", ename: "Error" });
    expect(await publishedFor(failing.parent.msg_id as string)).toHaveLength(2);
  });

  /** Sends cells together and returns the statuses of their replies. The first continues once the others have arrived. */
  async function sendTogether(first: Content, ...others: readonly Content[]): Promise<unknown[]> {
    let open: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    await using server = await startScriptedServer(() => gate.then(() => ({})));
    const waits = { ...first, code: `await fetch("${server.baseUrl}");\n${first.code}` };
    const sent = [waits, ...others].map((content) => encoded("execute_request", content));
    const last = encoded("kernel_info_request");
    for (const { frames } of [...sent, last]) await shell.send(frames);
    const replies = new Map<unknown, Message>();
    while (!sent.every(({ id }) => replies.has(id))) {
      const reply = await received(shell);
      replies.set(reply.parent.msg_id, reply);
      // Everything sent earlier has arrived, too.
      if (reply.parent.msg_id === last.id) open();
    }
    for (const { id } of sent) await publishedFor(id);
    return sent.map(({ id }) => replies.get(id)?.content.status);
  }

  it("aborts queued cells when a cell fails", async () => {
    const [first, ...others] = ["throw new Error('stop here')", "1", "2"].map((code) => execute(code));
    expect(await sendTogether(first as Content, ...others)).toEqual(["error", "aborted", "aborted"]);
    expect(await sendTogether(execute("1"))).toEqual(["ok"]);
  });

  it("aborts cells that arrived while the failing cell blocked the thread", async () => {
    const sent = join(folder, "sent");
    const block = `(globalThis as any)[Symbol.for("archive-frames.host")].display({ "text/plain": "begun" });
const { existsSync } = require("node:fs");
while (!existsSync(${JSON.stringify(sent)})) {}
const until = Date.now() + 300;
while (Date.now() < until) {}
throw new Error("stop here");`;
    const first = encoded("execute_request", execute(block));
    await shell.send(first.frames);
    while (!published.some(({ parent, header }) => parent.msg_id === first.id && header.msg_type === "display_data")) {
      await new Promise(setImmediate);
    }
    const others = [encoded("execute_request", execute("1")), encoded("execute_request", execute("2"))];
    for (const { frames } of others) await shell.send(frames);
    writeFileSync(sent, "");
    const statuses = [await received(shell), await received(shell), await received(shell)].map(
      ({ content }) => content.status,
    );
    expect(statuses).toEqual(["error", "aborted", "aborted"]);
  });

  it("continues after a failure if stop_on_error is false", async () => {
    const fails = execute("throw new Error('go on')", { stop_on_error: false });
    expect(await sendTogether(fails, execute("1"), execute("2"))).toEqual(["error", "ok", "ok"]);
  });

  it("drops no request that arrives after the reply of a failed cell", async () => {
    for (let round = 0; round < 10; round += 1) {
      expect((await request(shell, "execute_request", execute("throw new Error('next')"))).content.status).toBe(
        "error",
      );
      expect((await request(shell, "execute_request", execute("1"))).content.status).toBe("ok");
    }
  });
});
