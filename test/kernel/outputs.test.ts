import { describe, expect, it } from "vitest";
import { HOST, useSharedKernel } from "./kernels.js";

const kernel = useSharedKernel(HOST);

describe("text", () => {
  it("written in one go is one message, before later output", async () => {
    const { messages } = await kernel.run(
      `for (let line = 0; line < 2000; line += 1) console.log(line);\nhost.display({ "text/plain": "shown" });\nconsole.log("after");\n"value"`,
    );
    const contents = messages.slice(2, -1).map(({ content }) => content);
    expect(contents).toEqual([
      { name: "stdout", text: Array.from({ length: 2000 }, (_, line) => `${line}\n`).join("") },
      expect.objectContaining({ data: { "text/plain": "shown" } }),
      { name: "stdout", text: "after\n" },
      expect.objectContaining({ data: { "text/plain": "value" } }),
    ]);
  });

  it("may be split bytes, and invokes the callback", async () => {
    const { text } = await kernel.run(`const bytes = Buffer.from("é😀\\n");
for (const byte of bytes) process.stdout.write(Buffer.from([byte]));
await new Promise<void>((resolve) => process.stdout.write("called", () => resolve()));`);
    expect(text("stdout")).toBe("é😀\ncalled");
  });

  it("has no half of a surrogate pair, which Jupyter could not save", async () => {
    const { text, value } = await kernel.run('console.log("😀".slice(0, 1)); "😀!".slice(1)');
    expect([text("stdout"), value?.["text/plain"]]).toEqual(["\ufffd\n", "\ufffd!"]);
  });
});

it("a warning of the package is a note below the cell, escaped, and others go to standard error", async () => {
  const { of, text } = await kernel.run(
    'for (const type of ["ArchiveFramesWarning", "Warning"]) process.emitWarning("12 rows <b>of\\n24</b>", { type });\nawait 0;',
  );
  const [{ data } = { data: undefined }] = of("display_data");
  expect(data).toEqual({
    "text/plain": "Note: 12 rows <b>of↵24</b>",
    "text/html": expect.stringMatching(/^<p role="note"[^>]*>12 rows &lt;b&gt;of↵24&lt;\/b&gt;<\/p>$/),
  });
  expect(text("stderr")).toMatch(/^Warning: 12 rows/);
});

describe("displays", () => {
  it("merge 1,000 updates in one tick into the last one", async () => {
    const { of, status } = await kernel.run(`const shown = host.display({ "text/plain": "0" });
for (let n = 1; n <= 1000; n += 1) shown.update({ "text/plain": String(n) });`);
    expect(status).toBe("ok");
    expect(of("display_data").map(({ data }) => data)).toEqual([{ "text/plain": "0" }]);
    expect(of("update_display_data").map(({ data }) => data)).toEqual([{ "text/plain": "1000" }]);
    expect(await kernel.value("'next'")).toBe("next");
  });

  it("can be updated after their cell has ended and by a later cell", async () => {
    const cell = 'const kept = host.display({ "text/plain": "first" });';
    const { message } = await kernel.late(cell, 'kept.update({ "text/plain": "late" })');
    expect(message.content.data).toEqual({ "text/plain": "late" });
    const { of } = await kernel.run('kept.update({ "text/plain": "later" });');
    expect(of("update_display_data").map(({ data }) => data)).toEqual([{ "text/plain": "later" }]);
  });

  it("that JSON cannot represent fail only their cell", async () => {
    const code = 'const round: any = {}; round.round = round; host.display({ "application/json": round });';
    expect(await kernel.trace(code)).toMatch(/circular/);
    const { of } = await kernel.run('host.display({ "text/plain": "x", "application/json": { big: 1n } });');
    expect(of("display_data")[0]?.data).toEqual({ "text/plain": "x", "application/json": { big: "1" } });
  });
});
