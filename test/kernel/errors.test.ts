import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../files/temporary.js";
import { useKernel } from "./kernels.js";

const KEY = "s3cr3t-key-of-the-tests";
const KEY_OF_CSPAN = "an0ther-k3y-of-cspan";

const folder = temporaryFolder();
const kernel = useKernel({ ARCHIVE_API_KEY: KEY, CSPAN_API_KEY: KEY_OF_CSPAN }, folder);

describe("an error", () => {
  it("points to its line and column in the cell as typed", async () => {
    const first = await kernel.run(`// a comment that TypeScript moves

interface Unused { a: number }
function inner(value: { x: number } | undefined) {

  return value!.x;
}`);
    const trace = await kernel.trace("\n\n      const outer = () => inner(undefined);\n      outer();");
    const defined = first.reply.execution_count;
    const called = Number(defined) + 1;
    expect(trace.split("\n")).toEqual([
      "TypeError: Cannot read properties of undefined (reading 'x')",
      "",
      "  6 |   return value!.x;",
      "    |                 ^",
      "",
      `    at inner (cell ${defined}:6:17)`,
      `    at outer (cell ${called}:3:27)`,
      `    at cell ${called}:4:7`,
    ]);
  });

  it("shows files beside the notebook, but none of the kernel", async () => {
    writeFileSync(join(folder, "helper.ts"), "export function fail(): never {\n  throw new Error('helper');\n}\n");
    const text = await kernel.trace('import { fail } from "./helper";\nfail();');
    expect(text).toMatch(/at fail \(helper\.ts:\d+:\d+\)/);
    expect(text).toMatch(/at cell \d+:2:\d+$/);
    expect(text).not.toMatch(/node:|dist|node_modules|evaluator/);
  });

  it("shows causes and members of an AggregateError", async () => {
    expect(await kernel.trace("throw new Error('a', { cause: new TypeError('b', { cause: 'c' }) })")).toContain(
      "  caused by TypeError: b\n  caused by Thrown: c",
    );
    expect(await kernel.trace("throw new AggregateError([new Error('one'), 'two'], 'many')")).toContain(
      "AggregateError: many\n  caused by Error: one\n  caused by Thrown: two",
    );
  });

  it.each([
    ["throw 'text'", "Thrown: text"],
    ["throw null", "Thrown: null"],
    ["throw { a: 1 }", "Thrown: { a: 1 }"],
    ["throw { __proto__: Error.prototype, get message() { throw 1 } }", "Error: The error cannot be displayed."],
    ["throw new Proxy({}, { get() { throw new Error('hidden') } })", `Thrown: ${inspect(new Proxy({}, {}))}`],
    ["Promise.reject(new Error('awaited'))", "Error: awaited"],
  ])("%s", async (code, shown) => {
    expect((await kernel.trace(code)).split("\n")[0]).toBe(shown);
  });

  it("that is printed points to the cell", async () => {
    const { text, value } = await kernel.run(
      "const printed = new Error('printed');\nconsole.log(printed.stack);\nprinted",
    );
    expect(text("stdout")).toMatch(/^Error: printed\n {4}at cell \d+:1:17\n/);
    expect(value?.["text/plain"]).toMatch(/^Error: printed\n {4}at cell \d+:1:17\n/);
  });
});

describe("a TypeScript error", () => {
  it("is a note below the cell, which runs", async () => {
    const { of, value, text } = await kernel.run(
      "const one: string = 1;\n\nlet two: number = 'b';\nconsole.log('ran');\none",
    );
    expect(text("stdout")).toBe("ran\n");
    expect(value).toEqual({ "text/plain": "1" });
    const data = {
      "text/plain":
        "Note: 1:7 - Type 'number' is not assignable to type 'string'.\n3:5 - Type 'string' is not assignable to type 'number'.",
      "text/html": expect.stringMatching(/^<p role="note" style="[^"]*#b58900[^"]*">1:7 - .*<br>3:5 - .*<\/p>$/),
    };
    expect(of("display_data")).toMatchObject([{ data }]);
    expect(await kernel.value("typeof one + two")).toBe("numberb");
  });

  it.each([
    ["an unknown name", "unheard", "Cannot find name 'unheard'"],
    ["an unknown export", "import { readFil } from 'node:fs';\nreadFil", "has no exported member named 'readFil'"],
    ["a syntax error", "const a = ;", "Expression expected."],
    ["a name declared twice", "const a = 1, a = 2;", "Cannot redeclare block-scoped variable 'a'."],
  ])("prevents the cell from running if it is %s", async (_, code, message) => {
    const { error, text, of } = await kernel.run(`console.log('ran');\nlet typed: string = 1;\n${code}`);
    expect(error?.ename).toBe("TypeScriptError");
    expect(error?.evalue).toContain(message);
    expect(error?.evalue).toContain("2:5 - Type 'number' is not assignable to type 'string'.");
    expect(of("error")).toHaveLength(1);
    expect(text("stdout")).toBe("");
  });
});

describe("an error of this package", () => {
  it("shows message, code and hint once, without internals", async () => {
    const text = await kernel.trace(`import { ArchiveClient } from "archive-frames";
const archive = new ArchiveClient();
await archive.bills("x", { maxItems: -1 });`);
    expect(text.split("\n")[0]).toMatch(/^ValidationError \(INVALID_INPUT\): invalid maxItems: -1\. Give /);
    expect(text.match(/invalid maxItems/g)).toHaveLength(1);
    expect(text).toMatch(/\n {4}at (?:async )?cell \d+:3:\d+$/);
    expect(text).not.toMatch(/node_modules|dist|node:|caused by/);
  });

  it("never contains the key", async () => {
    for (const code of [
      `throw new Error("refused: " + process.env.ARCHIVE_API_KEY)`,
      `throw process.env.ARCHIVE_API_KEY`,
      `throw process.env.CSPAN_API_KEY`,
      `throw new Error("x", { cause: new Error(process.env.ARCHIVE_API_KEY) })`,
      `import { ArchiveClient } from "archive-frames"; await new ArchiveClient({ baseUrl: "http://127.0.0.1:9/", maxRetries: 0 }).bills("x")`,
    ]) {
      const { messages, status } = await kernel.run(code);
      expect(status).toBe("error");
      const told = JSON.stringify(messages.map(({ content }) => content));
      for (const key of [KEY, KEY_OF_CSPAN]) expect(told).not.toContain(key);
    }
  });
});

describe("an unhandled rejection", () => {
  it("fails its cell", async () => {
    const { error, of, reply, text } = await kernel.run("const forgotten = Promise.reject(new Error('forgotten'));\n1");
    expect(error).toMatchObject({ ename: "Error", evalue: "forgotten" });
    expect(reply).toMatchObject({ status: "error", ...error });
    expect(text("stderr")).toBe("");
    expect(error?.traceback.at(-1)).toContain("Is an `await` missing?");
    expect(of("execute_result")).toEqual([]);
    expect(await kernel.value("'goes on'")).toBe("goes on");
  });

  it("is written to stderr after the cell has ended", async () => {
    const { ended, message } = await kernel.late("", "void Promise.reject(new Error('too late'))");
    expect(ended.status).toBe("ok");
    const { header, parent, content } = message;
    expect(header.msg_type).toBe("stream");
    expect(parent.msg_id).toBe(ended.messages[0]?.parent.msg_id);
    expect(content).toMatchObject({ name: "stderr" });
    expect(content.text).toMatch(/^Unhandled error\. Is an `await` missing\?\nError: too late\n/);
  });

  it("in a callback ends a cell that would otherwise wait forever", async () => {
    const { error } = await kernel.run(
      "setTimeout(() => { throw new Error('in a callback') }, 1);\nawait new Promise(() => {})",
    );
    expect(error).toMatchObject({ ename: "Error", evalue: "in a callback" });
    expect(error?.traceback.join("\n")).toMatch(/cell \d+:1:26/);
  });
});
