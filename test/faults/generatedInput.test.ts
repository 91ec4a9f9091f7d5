import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { ArchiveError, saveFrame, toDataFrame, ValidationError } from "../../src/index.js";
import { notebookHtml, runNotebook } from "../../src/notebook.js";
import { clientTo } from "../client/clientTo.js";
import { temporaryFolder } from "../files/temporary.js";
import { readNotebook, writeNotebook } from "../notebook/notebookFiles.js";
import { runs } from "../scale.js";
import { startScriptedServer } from "../service/scriptedServer.js";

const root = temporaryFolder();
const PAGE = '{"mentions":[{"id":"1"}],"cursor":"c"}';
let body = PAGE;
const server = await startScriptedServer(() => ({ body }));
const archive = clientTo(server, { progress: false });
afterAll(async () => {
  await archive.close();
  await server.close();
});

const anything = fc.anything({
  withBigInt: true,
  withDate: true,
  withMap: true,
  withNullPrototype: true,
  withTypedArray: true,
  withObjectString: true,
});
const ODD = [Number.NaN, -0, 2 ** 53, 1e308, "", " ", "\u0000", "\ud800", "../..", Symbol("s"), () => 1];
const odd = fc.oneof(anything, fc.constantFrom(...ODD, "a\r\nx-api-key: b"), fc.string({ unit: "binary" }));
const NAMES =
  "query limit page cursor mindate maxdate videotype personid format engine maxItems signal __proto__ constructor toString Query querry";
const options = fc
  .array(fc.tuple(fc.constantFrom(...NAMES.split(" ")), odd), { maxLength: 4 })
  .map((entries) => Object.fromEntries(entries));

/** The result of a call, or its error, which must be an ArchiveError. */
async function outcome(call: () => unknown): Promise<unknown> {
  try {
    return await call();
  } catch (error) {
    expect(error).toBeInstanceOf(ArchiveError);
    return error;
  }
}

describe("any arguments", () => {
  it("of a call are sent unchanged, or rejected before any request", async () => {
    const property = fc.asyncProperty(odd, options, async (query, given) => {
      const before = server.requests.length;
      const copy = { ...given };
      const result = await outcome(() => archive.mentions(query as string, given as never));
      expect(given).toEqual(copy);
      const sent = server.requests.slice(before);
      if (result instanceof ValidationError) expect(sent).toEqual([]);
      for (const { url, headers } of sent) {
        expect(url).toMatch(/^\/mentions\?[!-~]*$/);
        expect(headers["x-api-key"]).toBeDefined();
        const text = typeof query === "string" && query.trim() !== "" ? query.toWellFormed() : null;
        if (typeof query === "string") expect(new URL(url, "http://x").searchParams.get("query")).toBe(text);
      }
    });
    await fc.assert(property, { numRuns: runs(60, 20_000) });
  });

  it("of lookups stay within their path segment", async () => {
    const property = fc.asyncProperty(odd, async (id) => {
      const before = server.requests.length;
      for (const operation of ["person", "program"] as const) await outcome(() => archive[operation](id as string));
      for (const { url } of server.requests.slice(before)) expect(url).toMatch(/^\/(people|programs)\/[^/?#]+$/);
    });
    await fc.assert(property, { numRuns: runs(50, 10_000) });
  });

  it("of every other function give a result or a typed error", async () => {
    const entries: Array<(first: never, given: never) => unknown> = [
      (first, given) => archive.people(first, given),
      (first, given) => archive.programsSearch(first, given),
      (first, given) => archive.iterRecords(first, given),
      (first, given) => archive.scan.mentions(first, given).explain(),
      (first) => archive.scan.mentions("x").head(first).explain(),
      (first, given) => archive.explainSpeechesOnBill(first, given),
      (first, given) => archive.save(first, join(root, "never.csv"), given),
    ];
    const property = fc.asyncProperty(fc.constantFrom(...entries), odd, options, async (entry, first, given) => {
      await outcome(() => entry(first as never, given as never));
    });
    await fc.assert(property, { numRuns: runs(60, 20_000) });
  });
});

it("any body gives a result or a typed error, and always an error if it is not JSON", async () => {
  const cut = fc.tuple(fc.nat(PAGE.length), fc.string({ unit: "binary", maxLength: 1 }), fc.nat(1));
  const bodies = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.json(),
    fc.tuple(fc.constantFrom("mentions", "people", "cursor", "__proto__"), fc.json()).map(([n, v]) => `{"${n}":${v}}`),
    cut.map(([at, char, dropped]) => PAGE.slice(0, at) + char + PAGE.slice(at + dropped)),
  );
  const calls: Array<() => Promise<unknown>> = [
    () => archive.mentions("x"),
    () => archive.mentions("x", { format: "json" }),
    () => archive.people("x", { format: "csv" }),
    () => archive.person(1),
    () => archive.program(1, { format: "json" }),
  ];
  const property = fc.asyncProperty(bodies, fc.constantFrom(...calls), async (text, call) => {
    body = text;
    if ((await outcome(call)) instanceof ArchiveError) return;
    expect(() => JSON.parse(text.toWellFormed().replace(/^\ufeff/, "")), JSON.stringify(text)).not.toThrow();
  });
  await fc.assert(property, { numRuns: runs(100, 20_000) }).finally(() => {
    body = PAGE;
  });
});

it("any destination gives a complete file below its directory or a typed error, and leaves nothing else", async () => {
  const frame = toDataFrame([{ id: 1 }]);
  const names = fc.oneof(
    fc.string({ unit: "binary", maxLength: 12 }),
    fc.constantFrom(...". .. ~ a/b a\\b con %2e%2e a.csv. -o \u0000".split(" "), "x".repeat(300), "\ud800", " "),
  );
  let at = 0;
  const formats = fc.constantFrom("csv" as const, "jsonl" as const, "parquet" as const);
  const property = fc.asyncProperty(names, formats, async (filename, format) => {
    const folder = join(root, `to${at++}`);
    mkdirSync(join(folder, "in"), { recursive: true });
    const result = await outcome(() => saveFrame(frame, join(folder, "in"), { filename, format }));
    const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
    if (result instanceof ArchiveError) {
      expect(files).toEqual(["in"]);
      return;
    }
    // The directory, the file, and the datapackage.json that describes it.
    expect(files).toHaveLength(3);
    expect(readFileSync(result as string).length).toBeGreaterThan(0);
    expect(String(result).startsWith(join(folder, "in"))).toBe(true);
  });
  await fc.assert(property, { numRuns: runs(10, 3000) });
});

it("any notebook is read, written and reported unchanged, or rejected with a typed error", async () => {
  const value = fc.oneof(fc.jsonValue(), fc.constantFrom("code", "markdown", "raw", "<script>", null, [null], ["a\n"]));
  /** An object with some of these members; those that are not given may be anything. */
  const some = (members: string, given: Readonly<Record<string, fc.Arbitrary<unknown>>>) => {
    const any = Object.fromEntries(members.split(" ").map((member) => [member, value]));
    return fc.oneof(value, fc.record({ ...any, ...given }, { requiredKeys: [] }));
  };
  const output = some("text data name ename evalue traceback metadata", {
    output_type: fc.constantFrom("stream", "display_data", "execute_result", "error", 1),
  });
  const outputs = fc.array(output, { maxLength: 3 });
  const cell = fc.oneof(
    some("cell_type source metadata attachments execution_count id", { outputs: fc.oneof(value, outputs) }),
    fc.record({
      cell_type: fc.constantFrom("code", "markdown"),
      source: fc.string(),
      metadata: fc.constant({}),
      outputs,
    }),
  );
  const notebook = some("metadata", {
    nbformat: fc.constantFrom(4, 4, 4, 3, "4", null),
    nbformat_minor: fc.oneof(fc.constant(5), value),
    cells: fc.oneof(fc.array(cell, { maxLength: 4 }), value),
    metadata: fc.oneof(fc.constant({}), value),
  });
  const path = join(root, "any.ipynb");
  const property = fc.asyncProperty(notebook, async (any) => {
    writeFileSync(path, JSON.stringify(any));
    const html = await outcome(() => notebookHtml(JSON.parse(JSON.stringify(any))));
    if (typeof html === "string") expect(html).not.toMatch(/<script/i);
    const read = await outcome(() => readNotebook(path));
    if (read instanceof ArchiveError) {
      expect(await outcome(() => runNotebook(any as never))).toBeInstanceOf(ArchiveError);
      return;
    }
    writeNotebook(path, read as never);
    const first = readFileSync(path, "utf8");
    writeNotebook(path, readNotebook(path));
    expect(readFileSync(path, "utf8")).toBe(first);
  });
  await fc.assert(property, { numRuns: runs(60, 20_000) });
});
