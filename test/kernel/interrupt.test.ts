import { describe, expect, it } from "vitest";
import { BEGUN, HOST, useSharedKernel } from "./kernels.js";

const kernel = useSharedKernel(`${HOST}
const begun = () => { ${BEGUN} };
const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));`);

/** Runs a cell and interrupts it once it has started. */
async function interruptCell(code: string) {
  const { done } = await kernel.begun(code);
  await kernel.interrupt();
  return done;
}

const INTERRUPTED = { ename: "InterruptedError", evalue: "The cell was interrupted." };

/** Cells that wait or loop forever. */
const CELLS = {
  "a loop after an await that resolves at once": "await null; begun(); for (;;) {}",
  "a loop in an immediate": "setImmediate(() => { begun(); for (;;) {} }); await new Promise(() => {})",
  "a loop in a stream":
    "import { Readable } from 'node:stream';\nReadable.from(['a']).on('data', () => { begun(); for (;;) {} }); await new Promise(() => {})",
  "a cell that waits": "begun(); await new Promise(() => {});",
  "a promise that is the last expression": "begun(); new Promise(() => {})",
  "an endless for await":
    "async function* forever() { for (;;) yield wait(1) }\nbegun();\nfor await (const one of forever()) {}",
  "a loop before the first await": "begun(); for (;;) {}",
  "a loop after an await": "await wait(1); begun(); for (;;) {}",
  "a loop that prints": "await wait(1); begun(); for (;;) process.stderr.write('.')",
  "a loop of promises": "await wait(1); begun(); for (;;) await null",
  "a loop in a callback": "setTimeout(() => { begun(); for (;;) {} }, 1); await new Promise(() => {})",
  "a loop in a tick": "process.nextTick(() => { begun(); for (;;) {} }); await new Promise(() => {})",
  "a loop that catches everything":
    "await null; begun(); for (;;) { try { for (;;) {} } catch {} finally { for (;;) {} } }",
  "a loop in the value's own way to show itself":
    "await null; ({ [Symbol.for('nodejs.util.inspect.custom')]() { begun(); for (;;) {} } })",
  "a cell that listens for the signal itself": "process.on('SIGINT', () => {}); begun(); await new Promise(() => {})",
  "a cell after one that did": "begun(); await new Promise(() => {})",
};

describe("an interrupt", () => {
  it.each(Object.entries(CELLS))("stops %s, and the next cell runs", async (_, code) => {
    const { error, status, reply } = await interruptCell(code);
    expect(error).toMatchObject(INTERRUPTED);
    expect(reply).toMatchObject({ status: "error", ...INTERRUPTED });
    expect(status).toBe("error");
    for (let times = 0; times < 2; times += 1) {
      expect(await kernel.value("console.log('printed'); 'next'")).toBe("next");
    }
  });

  it("loses no message queued behind a loop", async () => {
    const { text } = await interruptCell(`setImmediate(() => {
  process.nextTick(() => console.log("tick"));
  setTimeout(() => console.log("timeout"), 5);
  begun();
  for (;;) {}
});
setImmediate(() => console.log("immediate"));
await new Promise(() => {});`);
    expect(text("stdout").split("\n").sort()).toEqual(["", "immediate", "tick", "timeout"]);
  });

  it("does nothing if no cell is running", async () => {
    expect((await kernel.interrupt()).status).toBe("ok");
    expect(await kernel.value("'still here'")).toBe("still here");
  });

  it("also works with SIGINT", async () => {
    const { done } = await kernel.begun("begun(); await new Promise(() => {})");
    kernel.process.kill("SIGINT");
    expect((await done).error).toMatchObject(INTERRUPTED);
  });

  it("aborts the signal of its cell, and the next cell gets a fresh one", async () => {
    const { text } = await interruptCell(`const mine = host.signal;
mine.addEventListener("abort", () => console.log("aborted by", mine.reason.name));
begun();
await new Promise(() => {})`);
    expect(text("stdout")).toBe("aborted by InterruptedError\n");
    expect(await kernel.value("host.signal.aborted")).toBe("false");
    expect(await kernel.value("host.signal === host.signal")).toBe("true");
  });

  it("does not report promises that were aborted with their cell", async () => {
    const { text, of } = await interruptCell(`const stop = () => new Promise((_, reject) => {
  host.signal.addEventListener("abort", () => reject(host.signal.reason));
});
const one = stop(), two = stop();
begun();
await one`);
    expect(text("stderr")).toBe("");
    expect(of("error")).toHaveLength(1);
  });

  it("leaves nothing that prints into later cells", async () => {
    await interruptCell("begun(); for (let n = 0; ; n++) { await wait(5); console.log('stray', n) }");
    const next = await kernel.run("await wait(50); console.log('mine')");
    expect(next.text("stdout")).toBe("mine\n");
  });
});
