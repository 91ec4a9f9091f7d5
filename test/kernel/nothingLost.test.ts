// biome-ignore-all lint/suspicious/noTemplateCurlyInString: cells are strings here.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ScriptedServer, startScriptedServer } from "../service/scriptedServer.js";
import { useSharedKernel } from "./kernels.js";

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
  await kernel.value(`import { ArchiveClient } from "archive-frames";
const live = new ArchiveClient({ apiKey: "test", baseUrl: ${JSON.stringify(server.baseUrl)}, maxRetries: 0 });`);
});
afterAll(() => server[Symbol.asyncDispose]());

describe("a failed cell", () => {
  it("keeps what it assigned before the failure, with its types", async () => {
    const trace = await kernel.trace(`import { basename } from "node:path";
interface Pair { left: number }
class Counter { count = 2 }
const first = await live.bills("one"), plain = 5;
const { left: taken, ...others }: Pair & { right: string } = { left: 3, right: "r" };
const failed = await live.bills("bad");
const later = 1;`);
    expect(trace).toMatch(/^APIError /);
    expect(
      await kernel.value(
        "const pair: Pair = { left: first.height };\n`${pair.left} ${plain} ${taken} ${others.right}`",
      ),
    ).toBe("1 5 3 r");
    expect(await kernel.value("`${new Counter().count} ${basename('a/b')} ${later}`")).toBe("2 b undefined");
    expect(await kernel.told("const wrong: string = plain;")).toContain(
      "Type 'number' is not assignable to type 'string'",
    );
  });

  it("keeps the earlier value of what it did not assign", async () => {
    await kernel.run("const kept = 4; let both = 'old'; import { posix } from 'node:path';");
    await kernel.run("const both = 2; const kept: number = (() => { throw new Error('no') })(); const posix = 1;");
    expect(await kernel.value("kept.toFixed(1) + both.toFixed(2) + (posix as any).sep")).toBe("4.02.00/");
    // Also if the last expression, a promise, fails.
    await kernel.run("const early = 8;\nPromise.reject(new Error('late'))");
    expect(await kernel.value("early")).toBe("8");
  });
});

describe("rows that no variable has", () => {
  it("are in lastResult() after an interrupt", async () => {
    const before = server.requests.length;
    const cell = kernel.begin(
      'const some = await live.bills("one");\nconst all = await live.bills("hang", { maxItems: 9 });',
    );
    await server.arrived(before + 3);
    await kernel.interrupt();
    // The timeout of the request would end it, too, but long after this test.
    await server.quiet();
    const { error } = await cell.done;
    expect(error).toMatchObject({ ename: "InterruptedError", evalue: "The cell was interrupted." });
    expect(error?.traceback.at(-1)).toBe(
      "The rows fetched so far are in lastResult().frame of the client. Run the cell again to resume a save or a corpus.",
    );
    expect(await kernel.value("`${some.height} ${live.lastResult()!.rows}`")).toBe("1 1");
  });

  it("are not mentioned if variables have them", async () => {
    expect(await kernel.trace('const had = await live.bills("fine");\nawait live.bills("bad");')).not.toContain(
      "rows fetched",
    );
  });
});
