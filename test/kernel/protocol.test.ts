import { describe, expect, it } from "vitest";
import { ts } from "../docs/typescript.js";
import { startScriptedServer } from "../service/scriptedServer.js";
import { BEGUN, useSharedKernel } from "./kernels.js";

const kernel = useSharedKernel();

describe("requests", () => {
  it.each(["shell", "control"] as const)(
    "for kernel_info get a reply on %s, between busy and idle",
    async (channel) => {
      const { reply, messages } = await kernel.send("kernel_info_request", {}, channel).done;
      expect(reply).toMatchObject({
        status: "ok",
        protocol_version: "5.3",
        implementation: "archive-frames",
        language_info: { name: "typescript", version: ts.version, file_extension: ".ts", mimetype: "text/typescript" },
      });
      expect(messages.map(({ content }) => content.execution_state)).toEqual(["busy", "idle"]);
    },
  );

  it("to heartbeat and control are answered while a cell loops", async () => {
    const { done } = await kernel.begun(`await new Promise((r) => setTimeout(r, 1)); ${BEGUN} for (;;) {}`);
    expect(await kernel.heartbeat("alive?")).toBe("alive?");
    await kernel.interrupt();
    expect(await done).toMatchObject({ status: "error", error: { ename: "InterruptedError" } });
  });

  it("count positions in characters as Jupyter does, not in UTF-16 units", async () => {
    const found = await kernel.request("complete_request", { code: "'😀😀😀😀'; Math.ro", cursor_pos: 15 });
    expect(found).toMatchObject({ matches: expect.arrayContaining(["round"]), cursor_start: 13, cursor_end: 15 });
  });
});

describe("execution", () => {
  it("publishes only printed text and does not count if silent", async () => {
    const { execution_count } = (await kernel.run("0")).reply;
    const silent = await kernel.run("console.log('said'); 5", { silent: true });
    expect(silent.reply).toMatchObject({ status: "ok", execution_count });
    expect(silent.messages.map(({ header }) => header.msg_type)).toEqual(["status", "stream", "status"]);
    const failing = await kernel.run("throw new Error('x')", { silent: true });
    expect(failing.reply).toMatchObject({ status: "error", ename: "Error" });
    expect(failing.messages).toHaveLength(2);
  });

  it.each([
    [{}, ["error", "aborted", "aborted"]],
    [{ stop_on_error: false }, ["error", "ok", "ok"]],
  ])("of queued cells is aborted when one fails, unless stop_on_error is false: %j", async (more, statuses) => {
    // The first continues once the others have arrived.
    let open: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    await using server = await startScriptedServer(() => gate.then(() => ({})));
    const failing = kernel.run(`await fetch("${server.baseUrl}");\nthrow new Error("stop here")`, more);
    const sent = [failing, kernel.run("1"), kernel.run("2")];
    await kernel.request("kernel_info_request");
    open();
    expect((await Promise.all(sent)).map(({ status }) => status)).toEqual(statuses);
    expect((await kernel.run("1")).status).toBe("ok");
  });

  it("drops no request that arrives after the reply of a failed cell", async () => {
    for (let round = 0; round < 10; round += 1) {
      expect((await kernel.run("throw new Error('next')")).status).toBe("error");
      expect((await kernel.run("1")).status).toBe("ok");
    }
  });
});
