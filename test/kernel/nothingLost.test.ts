// biome-ignore-all lint/suspicious/noTemplateCurlyInString: cells are strings here.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ScriptedServer, startScriptedServer } from "../service/scriptedServer.js";
import { START, useSharedKernel } from "./kernels.js";

const kernel = useSharedKernel();
let server: ScriptedServer;

/** Answers by query: "bad" fails, "hang" hangs after one page of two, all others have one row. */
beforeAll(async () => {
  server = await startScriptedServer(({ url }) => {
    const parameters = new URL(url, "http://service").searchParams;
    const query = parameters.get("query");
    const cursor = query === "hang" ? "next" : undefined;
    if (query === "bad") return { status: 400, body: { error: { message: "mindate is unknown", code: 17 } } };
    if (parameters.has("cursor")) return { hang: true };
    return { body: { bills: [{ id: 1, billtitle: query }], cursor } };
  });
  const { error } = await kernel.run(`import { readFile } from "node:fs/promises";
import { ArchiveClient } from "archive-frames";
const live = new ArchiveClient({ apiKey: "test", baseUrl: ${JSON.stringify(server.baseUrl)}, maxRetries: 0 });`);
  expect(error).toBeUndefined();
}, START);
afterAll(() => server[Symbol.asyncDispose]());

/** The traceback as plain text. */
async function trace(code: string): Promise<string> {
  const { error } = await kernel.run(code);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the color of the name
  return error?.traceback.join("\n").replace(/\u001b\[\d+m/g, "") ?? "";
}

async function value(code: string): Promise<string | undefined> {
  const { value: bundle, error } = await kernel.run(code);
  return bundle?.["text/plain"] ?? error?.evalue;
}

describe("a failed cell", () => {
  it("keeps what it assigned before the failure, with its types", async () => {
    const { error } = await kernel.run(`import { basename } from "node:path";
interface Pair { left: number }
class Counter { count = 2 }
const first = await live.bills("one"), plain = 5;
const { left: taken, ...others }: Pair & { right: string } = { left: 3, right: "r" };
const counter = new Counter();
const failed = await live.bills("bad");
const later = 1;`);
    expect(error?.ename).toBe("APIError");
    expect(
      await value("const pair: Pair = { left: first.height };\n`${pair.left} ${plain} ${taken} ${others.right}`"),
    ).toBe("1 5 3 r");
    expect(await value("`${counter.count} ${new Counter().count} ${basename('a/b')}`")).toBe("2 2 b");
    expect(await value("const wrong: string = plain;")).toContain("Type 'number' is not assignable to type 'string'");
    for (const name of ["failed", "later"]) expect(await value(name)).toContain(`Cannot find name '${name}'`);
  });

  it("keeps the earlier value and type of what it did not assign", async () => {
    await kernel.run("const kept: number = 4; let both = 'old'; import { posix } from 'node:path';");
    await kernel.run("const both = 2; const kept: string = (() => { throw new Error('no') })(); const posix = 1;");
    expect(await value("kept.toFixed(1) + both.toFixed(2) + posix.sep")).toBe("4.02.00/");
  });

  it("keeps what a last expression that fails did not touch", async () => {
    await kernel.run("const early = 8;\nPromise.reject(new Error('late'))");
    expect(await value("early")).toBe("8");
  });
});

describe("an error of the service or a file", () => {
  it("points to the await that failed, with a readable body", async () => {
    const text = await trace(`const a = await live.bills("a");
const b = await live.bills("b");
  const c = await live.bills("bad", { maxItems: 5 });
const d = await live.bills("d");`);
    expect(text).toMatch(
      /^APIError \(HTTP_ERROR\): GET \/bills failed with status 400: the request was rejected \("mindate is unknown"\)\. .*\n\n {2}3 \| {3}const c = await live\.bills\("bad", \{ maxItems: 5 \}\);\n {4}\| {13}\^\n\n {4}at async cell \d+:3:13$/,
    );
  });

  it.each([
    ['await null;\nlive.bills("bad")', "2:1"],
    [
      'const rows = [];\nfor await (const row of live.iterRecords("bills", { query: "bad" })) rows.push(await row);',
      "2:1",
    ],
    ["for await (const each of [1, 2]) {\n  await null;\n  if (each === 2) await readFile('/nowhere/x');\n}", "3:19"],
    ['async function inner() {\n  return live.bills("bad");\n}\nawait inner();', "4:1"],
    ['const both = await Promise.all([live.bills("a"), live.bills("bad")]);', "1:14"],
  ])("in %j points to %s", async (code, position) => {
    expect(await trace(code)).toMatch(new RegExp(`\\n {4}at async cell \\d+:${position}(?:\\n|$)`));
  });
});

describe("rows that no variable has", () => {
  it("of parallel calls are in results()", async () => {
    const text = await trace('const pair = await Promise.all([live.bills("fine"), live.bills("bad")]);');
    expect(text).toMatch(/\n\nThe rows fetched so far are in results\(\) of the client: bills 1\.$/);
    expect(await value('live.results().find(({ query }) => query === "fine")!.frame.getColumn("id").toArray()')).toBe(
      "[ 1 ]",
    );
  });

  it("of an interrupted cell are in lastResult()", async () => {
    const before = server.requests.length;
    const cell = kernel.begin(
      'const some = await live.bills("one");\nconst all = await live.bills("hang", { maxItems: 9 });',
    );
    await server.arrived(before + 3);
    kernel.client.interrupt();
    const { error } = await cell.done;
    expect(error).toMatchObject({ ename: "InterruptedError", evalue: "The cell was interrupted." });
    expect(error?.traceback.join("\n")).toMatch(
      /at async cell \d+:2:13\n\nThe rows fetched so far are in lastResult\(\) of the client: bills 1\.$/,
    );
    expect(await value("`${some.height} ${live.lastResult()!.rows}`")).toBe("1 1");
  });

  it("are not mentioned if variables have them", async () => {
    expect(await trace('const had = await live.bills("fine");\nawait live.bills("bad");')).not.toContain(
      "rows fetched",
    );
  });
});
