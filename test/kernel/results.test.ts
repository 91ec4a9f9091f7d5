// biome-ignore-all lint/suspicious/noTemplateCurlyInString: cells are strings here.
import { describe, expect, it } from "vitest";
import { useSharedKernel } from "./kernels.js";

const kernel = useSharedKernel(`import { openArchive, pl } from "archive-frames";
const archive = await openArchive({ announce: false });`);

describe("the last expression", () => {
  it("is one result with its execution count", async () => {
    const { status, reply, messages, of } = await kernel.run("1 + 1");
    expect(status).toBe("ok");
    expect(of("execute_result")).toEqual([
      { execution_count: reply.execution_count, data: { "text/plain": "2" }, metadata: {} },
    ]);
    const types = messages.map(({ header }) => header.msg_type);
    expect(types).toEqual(["status", "execute_input", "execute_result", "status"]);
  });

  it.each([
    ["'text'", "text"],
    ["({ a: [1n, new Map([[1, 2]])] })", "{ a: [ 1n, Map(1) { 1 => 2 } ] }"],
    ["false", "false"],
    ["0", "0"],
    ["Promise.resolve(7)", "7"],
    ["(async () => 'later')()", "later"],
    ["({ then(resolve: (value: number) => void) { resolve(8) } })", "8"],
  ])("%s is displayed as %s", async (code, shown) => {
    expect(await kernel.value(code)).toBe(shown);
  });

  it.each(["null", "undefined", "void 0", "const nothing = 1", "Promise.resolve()", "Promise.resolve(null)", ""])(
    "%s shows nothing",
    async (code) => {
      const { status, of } = await kernel.run(code);
      expect(status).toBe("ok");
      expect(of("execute_result")).toEqual([]);
    },
  );

  it("uses the custom bundle of a value, even of a promise", async () => {
    const own = `({ [Symbol.for("Jupyter.display")]: () => ({ "text/html": "<i>own</i>" }), then: () => { throw new Error("awaited") } })`;
    const { value, error } = await kernel.run(own);
    expect(error).toBeUndefined();
    expect(value?.["text/html"]).toBe("<i>own</i>");
    expect(value?.["text/plain"]).toBeTypeOf("string");
  });
});

describe("frames", () => {
  it("lazy ones show their plan", async () => {
    expect(await kernel.value('archive.scan.mentions("climate")')).toMatch(/^SCAN mentions/);
  });

  it.each([
    ["a polars frame", 'await archive.bills("budget", { maxItems: 3 })', "billtitle"],
    ["a promise of one", 'archive.bills("budget", { maxItems: 3 })', "billtitle"],
    ["a series", 'pl.Series("numbers", [1, 2, 3])', "numbers"],
    ["a danfo frame", 'archive.bills("budget", { maxItems: 3, engine: "danfo" })', "billtitle"],
  ])("%s is displayed as HTML and text", async (_, code, column) => {
    const { value } = await kernel.run(code);
    expect(value?.["text/html"]).toContain("<table");
    expect(value?.["text/html"]).toContain(column);
    expect(value?.["text/plain"]).toContain(column);
  });
});

it("cell options of Quarto are comments, and only at the top", async () => {
  expect(await kernel.value("#| echo: false\n#| label: one\n\n'after options'")).toBe("after options");
  expect((await kernel.run("1;\n#| late")).error?.evalue).toMatch(/^2:1 - /);
});

describe("await", () => {
  it.each([
    ["const awaited = await Promise.resolve(1);", "awaited", "1"],
    ["const { a, b: [c] } = await Promise.resolve({ a: 1, b: [2] });", "a + c", "3"],
    ["let sum = 0; for await (const n of [1, Promise.resolve(2)]) sum += n;", "sum", "3"],
    ["let seen = 0; out: for await (const n of [1]) { seen = n; continue out }", "seen", "1"],
    ["let nine = 0;\nif (nine === 0) { await null }\nfor (const n of await [9]) nine = n;", "nine", "9"],
    ["const text = `${await 'x'}`;", "text", "x"],
    ["import { stat } from 'node:fs/promises';\nconst size = typeof (await stat('.')).size;", "size", "number"],
    ["const os = await import('node:os');", "typeof os.cpus", "function"],
  ])("%s", async (code, then, shown) => {
    await kernel.value(code);
    expect(await kernel.value(then)).toBe(shown);
  });
});

it("names can be redeclared with another type", async () => {
  await kernel.run("const again: number = 1;");
  await kernel.run("const again: string = 'two';");
  expect(await kernel.value("again.length")).toBe("3");
});

it.each([
  ["const x = { mindate, maxdate, n: 2 }; x", "{ mindate: 'a', maxdate: 'ab', n: 2 }"],
  ["await Promise.resolve(1); const y = { mindate }; y", "{ mindate: 'a' }"],
  ["const f = (mindate: number) => ({ mindate }); f(5)", "{ mindate: 5 }"],
  ["const g = ({ maxdate }: { maxdate: string }) => ({ maxdate, n }); g({ maxdate: 'q' })", "{ maxdate: 'q', n: 1 }"],
  ["({ n } = { n: 7 }); n", "7"],
])("a shorthand property may name a variable of an earlier cell: %s", async (code, shown) => {
  await kernel.run('const mindate = "a"; let n = 1; const maxdate = mindate + "b";');
  expect(await kernel.value(code)).toBe(shown);
});
