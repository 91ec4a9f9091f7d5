import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { ArchiveClient, ArchiveError, saveFrame, toDataFrame, ValidationError } from "../../src/index.js";
import { notebookHtml, runNotebook } from "../../src/notebook/index.js";
import { readNotebook, writeNotebook } from "../../src/notebook/notebookFormat.js";
import { clientTo } from "../client/clientTo.js";
import { temporaryFolder } from "../files/temporary.js";
import { runs } from "../scale.js";
import { KEY } from "../service/helpers.js";
import { startScriptedServer } from "../service/scriptedServer.js";

const root = temporaryFolder();
const server = await startScriptedServer(() => ({ body: '{"mentions":[{"id":"1"}],"cursor":"c"}' }));
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
const ODD = [
  Number.NaN,
  Number.POSITIVE_INFINITY,
  -0,
  2 ** 53,
  1e308,
  "",
  " ",
  "\u0000",
  "\ud800",
  "../..",
  Symbol("s"),
  () => 1,
];
const odd = fc.oneof(anything, fc.constantFrom(...ODD, "a\r\nx-api-key: b"), fc.string({ unit: "binary" }));
const NAMES =
  "query limit page cursor mindate maxdate videotype personid format engine maxItems signal __proto__ constructor toString Query querry";
const names = fc.constantFrom(...NAMES.split(" "));
const options = fc.array(fc.tuple(names, odd), { maxLength: 4 }).map((entries) => Object.fromEntries(entries));

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
    await fc.assert(
      fc.asyncProperty(odd, options, async (first, given) => {
        const before = server.requests.length;
        const copy = { ...given };
        const result = await outcome(() => archive.mentions(first as string, given as never));
        expect(given).toEqual(copy);
        if (result instanceof ValidationError) expect(server.requests).toHaveLength(before);
        for (const { url, headers } of server.requests.slice(before)) {
          expect(url).toMatch(/^\/mentions\?[!-~]*$/);
          expect(headers["x-api-key"]).toBeDefined();
          if (typeof first === "string")
            expect(new URL(url, "http://x").searchParams.get("query")).toBe(
              first.toWellFormed().trim() === "" ? null : first.toWellFormed(),
            );
        }
      }),
      { numRuns: runs(60, 20_000) },
    );
  });

  it("of lookups stay within their path segment", async () => {
    await fc.assert(
      fc.asyncProperty(odd, async (id) => {
        const before = server.requests.length;
        await outcome(() => archive.person(id as string));
        await outcome(() => archive.program(id as string));
        for (const { url } of server.requests.slice(before)) expect(url).toMatch(/^\/(people|programs)\/[^/?#]+$/);
      }),
      { numRuns: runs(50, 10_000) },
    );
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
      (_first, given) => new ArchiveClient(given),
      (first, given) => new ArchiveClient({ apiKey: KEY, baseUrl: first, ...(given as object) }),
    ];
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...entries), odd, options, async (entry, first, given) => {
        await outcome(() => entry(first as never, given as never));
      }),
      { numRuns: runs(60, 20_000) },
    );
  });
});

describe("any destination", () => {
  it("gives a complete file below its directory or a typed error, and leaves nothing else", async () => {
    const frame = toDataFrame([{ id: 1 }]);
    const part = fc.oneof(
      fc.string({ unit: "binary", maxLength: 12 }),
      fc.constantFrom(...". .. ~ a/b a\\b con %2e%2e a.csv. -o \u0000".split(" "), "x".repeat(300), "\ud800", " "),
    );
    let at = 0;
    await fc.assert(
      fc.asyncProperty(part, fc.constantFrom("csv", "jsonl", "parquet"), async (filename, format) => {
        const folder = join(root, `to${at++}`);
        mkdirSync(join(folder, "in"), { recursive: true });
        const result = await outcome(() => saveFrame(frame, join(folder, "in"), { filename, format: format as "csv" }));
        const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
        if (result instanceof ArchiveError) {
          expect(result).toSatisfy((error) => error instanceof ValidationError || error instanceof ArchiveError);
          expect(files).toEqual(["in"]);
        } else {
          // The directory, the file, and the datapackage.json that describes it.
          expect(files).toHaveLength(3);
          expect(readFileSync(result as string).length).toBeGreaterThan(0);
          expect(String(result).startsWith(join(folder, "in"))).toBe(true);
        }
      }),
      { numRuns: runs(10, 3000) },
    );
  });
});

describe("any notebook", () => {
  const value = fc.oneof(
    fc.jsonValue(),
    fc.constantFrom("code", "markdown", "raw", ["a\n", "b"], "<script>", null, [null], [1]),
  );
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
  const notebook = some("", {
    nbformat: fc.constantFrom(4, 4, 4, 3, "4", null),
    nbformat_minor: fc.oneof(fc.constant(5), value),
    cells: fc.oneof(fc.array(cell, { maxLength: 4 }), value),
    metadata: fc.oneof(fc.constant({}), value),
  });

  it("is read, written and reported unchanged, or rejected with a typed error", async () => {
    const path = join(root, "any.ipynb");
    await fc.assert(
      fc.asyncProperty(notebook, async (any) => {
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
      }),
      { numRuns: runs(60, 20_000) },
    );
  });
});
