import { beforeAll, describe, expect, it } from "vitest";
import { builtKernel, type Content, START, useKernel } from "./kernels.js";

const kernel = useKernel(builtKernel());

beforeAll(async () => {
  const { error } = await kernel.run(`import { pl } from "archive-frames";
import { prompt, secret } from "archive-frames/notebook";
const frame = pl.DataFrame({ person: ["a", "b"], votes: [1, 2] });
const list = Array.from({ length: 1000 }, (_, at) => at), word = "word".repeat(1000), nothing = null;
const hostile = { get name(): string { throw new Error("getter"); }, [Symbol.for("nodejs.util.inspect.custom")]() { throw new Error("format"); } };
const twice = (value: number) => value * 2;`);
  expect(error).toBeUndefined();
}, START);

describe("debug requests", () => {
  let seq = 0;
  const debug = (command: string, parameters: Content = {}) =>
    kernel.client.request(
      "debug_request",
      { type: "request", seq: ++seq, command, arguments: parameters },
      undefined,
      "control",
    );

  it("are announced, and start and end as JupyterLab sends them", async () => {
    expect(kernel.client.info).toMatchObject({ debugger: true, supported_features: ["debugger"] });
    const started = async () => ((await debug("debugInfo")).body as Content).isStarted;
    expect(await debug("debugInfo")).toMatchObject({
      type: "response",
      command: "debugInfo",
      success: true,
      body: { isStarted: false, breakpoints: [], stoppedThreads: [], richRendering: true, hashMethod: "Murmur2" },
    });
    expect(await debug("initialize", { clientID: "jupyterlab" })).toMatchObject({ success: true, request_seq: seq });
    const events: unknown[] = [];
    await kernel.client.request(
      "debug_request",
      { type: "request", seq: ++seq, command: "attach", arguments: {} },
      ({ header, content }) => header.msg_type === "debug_event" && events.push(content.event),
      "control",
    );
    expect(events).toEqual(["initialized"]);
    expect(await started()).toBe(true);
    expect(await debug("configurationDone")).toMatchObject({ success: true });
    await debug("disconnect", { restart: false });
    expect(await started()).toBe(false);
  });

  it("list the variables: frames with shape and types, values short, imports not at all", async () => {
    const { variables } = (await debug("inspectVariables")).body as { variables: Array<Record<string, string>> };
    expect(variables.map(({ name, type, value }) => [name, type, value])).toEqual([
      ["frame", "DataFrame", "2 rows × 2 columns: person str, votes f64"],
      ["hostile", expect.any(String), "(cannot be displayed)"],
      ["list", "Array", expect.stringMatching(/^\[ 0, 1, 2.* \]$/)],
      ["nothing", "null", "null"],
      ["twice", "function", "[Function: twice]"],
      ["word", "string", expect.stringMatching(/^'wordword.{190}…$/)],
    ]);
  });

  it("show a frame as its table", async () => {
    const { body } = await debug("richInspectVariables", { variableName: "frame", frameId: 0 });
    const { data } = body as { data: Record<string, string> };
    expect(data["text/html"]).toContain("<table");
    expect(data["text/plain"]).toMatch(/^2 rows × 2 columns/);
  });

  it.each([
    ["richInspectVariables", { variableName: "constructor" }, "No variable constructor."],
    ["richInspectVariables", {}, "No variable undefined."],
    ["dumpCell", { code: "1" }, "does not support dumpCell: it has no breakpoints"],
  ])("refuse %s %j", async (command, parameters, message) => {
    expect(await debug(command, parameters)).toMatchObject({
      success: false,
      message: expect.stringContaining(message),
    });
  });
});

describe("user expressions", () => {
  const evaluate = async (expressions: Content, code = "") =>
    (await kernel.run(code, { user_expressions: expressions })).reply.user_expressions as Record<string, Content>;

  it("are evaluated after the cell, with its variables", async () => {
    expect(
      await evaluate({ a: "later + 1", b: "await Promise.resolve(null)", c: "twice(4)" }, "const later = 2;"),
    ).toEqual({
      a: { status: "ok", data: { "text/plain": "3" }, metadata: {} },
      b: { status: "ok", data: { "text/plain": "null" }, metadata: {} },
      c: { status: "ok", data: { "text/plain": "8" }, metadata: {} },
    });
    expect((await evaluate({ a: "frame" })).a).toMatchObject({
      data: { "text/html": expect.stringContaining("<table") },
    });
  });

  it("fail without failing the cell", async () => {
    const { reply, of } = await kernel.run("1", {
      user_expressions: { a: "(() => { throw new RangeError('far') })()", b: "const x = 1", c: "", d: 5, e: "2" },
    });
    expect(reply).toMatchObject({
      status: "ok",
      user_expressions: {
        a: { status: "error", ename: "RangeError", evalue: "far" },
        b: { status: "error", ename: "TypeScriptError" },
        c: { status: "error", evalue: "The expression is empty." },
        d: { status: "error", evalue: "The expression is empty." },
        e: { status: "ok", data: { "text/plain": "2" } },
      },
    });
    expect(of("error")).toEqual([]);
  });

  it.each([
    ["a syntax error", "1 +* 2", "1:4 - Expression expected."],
    ["a type error in a second line", "1 +\n  missing", "2:3 - Cannot find name 'missing'."],
    ["an unclosed bracket", "twice(4", "1:8 - ')' expected."],
    ["a thrown error", "(() => { throw new RangeError('far') })()", "cell 1:16"],
    ["a thrown error in a second line", "1 +\n(() => { throw new RangeError('far') })()", "cell 2:16"],
    ["a rejection", "[1,\n  await Promise.reject('no')]", "cell 2:3"],
  ])("name the position of %s as it was typed", async (_, expression, position) => {
    const { a } = await evaluate({ a: expression });
    const traceback = (a as { traceback: string[] }).traceback.join("\n").replace(/cell \d+:/g, "cell ");
    expect(traceback).toContain(position);
    const [line = 0, column = 0] = (/(\d+):(\d+)/.exec(position) ?? []).slice(1).map(Number);
    const typed = expression.split("\n")[line - 1];
    expect(traceback).toContain(`  ${line} | ${typed}\n    | ${" ".repeat(column - 1)}^`);
  });

  it("are not evaluated after a failure", async () => {
    const { reply } = await kernel.run("throw new Error('no')", { user_expressions: { a: "1" } });
    expect(reply).toMatchObject({ status: "error" });
    expect(reply.user_expressions).toBeUndefined();
  });
});

describe("prompts", () => {
  it.each(["prompt", "secret"])("without a front end, %s says what to do", async (name) => {
    const { error } = await kernel.run(`await ${name}("ARCHIVE_API_KEY")`);
    expect(error?.traceback[0]).toContain("(NO_INPUT)");
    expect(error?.evalue).toContain(
      "set the environment variable ARCHIVE_API_KEY and write process.env.ARCHIVE_API_KEY",
    );
  });

  it("say if the front end has no stdin channel", async () => {
    const { error } = await kernel.run('await prompt("name")', { allow_stdin: true });
    expect(error?.evalue).toContain("has not connected its stdin channel");
  });

  it("need a text", async () => {
    expect((await kernel.run('await prompt("")', { allow_stdin: true })).error?.evalue).toContain("invalid text");
  });
});
