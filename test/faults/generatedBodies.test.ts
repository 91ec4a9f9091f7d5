import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { type ArchiveClient, ArchiveError } from "../../src/index.js";
import { clientTo } from "../client/clientTo.js";
import { expectSameFrame } from "../frames/expectSameFrame.js";
import { cutRows, pagesOf } from "../frames/pages.js";
import { runs } from "../scale.js";
import { allOf } from "../scan/pagedServer.js";
import { startScriptedServer } from "../service/scriptedServer.js";

let bodies: readonly string[] = [];
let asked = 0;
const server = await startScriptedServer(() => ({ body: bodies[asked++] ?? '{"cursor":"end"}' }));
const archive = clientTo(server, { progress: false, concurrency: 1 });
afterAll(async () => {
  await archive.close();
  await server.close();
});

/** A client of a service that responds with these bodies in order. */
function clientOf(...all: readonly string[]): ArchiveClient {
  bodies = all;
  asked = 0;
  return archive;
}

const NAMES = "__proto__ constructor hasOwnProperty then toString valueOf length id text begintime personid".split(" ");
const ODD_NAMES = [
  ...'¦ ¦a.b¦*¦^.*$¦0¦-1¦NaN¦height¦height_¦columns¦rows¦a¦b¦x"id¦\u0000¦\n¦"¦\\¦é¦😀'.split("¦"),
  "\ud800",
  "\udc00x",
];
const name = fc.oneof(
  fc.constantFrom(...NAMES),
  fc.constantFrom(...ODD_NAMES, "x".repeat(300)),
  fc.string({ unit: "binary", maxLength: 5 }),
);

/** Numbers in every JSON notation, exactly representable or not. */
const EXACT = "9007199254740991 9007199254740992 9007199254740993 -9007199254740993".split(" ");
const LONG_NUMBERS = "9223372036854775807 9223372036854775808 -9223372036854775808 -9223372036854775809".split(" ");
const numbers = fc.oneof(
  fc.constantFrom(..."0 -0 0.0 1E5 1e-400 1e400 -1e400".split(" "), ...EXACT, ...LONG_NUMBERS),
  fc.bigInt({ min: -(2n ** 80n), max: 2n ** 80n }).map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => JSON.stringify(value)),
);
const TEXTS =
  "\u0000¦\u001f¦\u007f¦\u2028¦\ufeff¦\ufffe¦=1+1¦2024-02-30¦2024-02-29T00:00:00Z¦null¦9007199254740993".split("¦");
const strings = fc
  .oneof(fc.string({ unit: "binary" }), fc.constantFrom(...TEXTS, "\ud800", "\udfffx"))
  .map((text) => JSON.stringify(text));
const deep = fc
  .integer({ min: 1, max: 450 })
  .chain((depth) =>
    fc.constantFrom(`${"[".repeat(depth)}${"]".repeat(depth)}`, `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`),
  );
const { value: json } = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    { weight: 3, arbitrary: strings },
    { weight: 3, arbitrary: numbers },
    { weight: 2, arbitrary: fc.constantFrom("null", "true", "false", "{}", "[]") },
    { weight: 1, arbitrary: fc.array(tie("value"), { maxLength: 3 }).map((items) => `[${items.join()}]`) },
    { weight: 1, arbitrary: fc.array(fc.tuple(name, tie("value")), { maxLength: 3 }).map(objectJson) },
    { weight: 1, arbitrary: deep },
  ),
}));

/** A JSON object; member names may repeat. */
function objectJson(members: ReadonlyArray<readonly [string, string]>): string {
  return `{${members.map(([key, value]) => `${JSON.stringify(key)}:${value}`).join()}}`;
}

// All rows differ, because equal rows count as duplicates.
const rowsJson = fc.uniqueArray(fc.array(fc.tuple(name, json), { maxLength: 6 }).map(objectJson), {
  maxLength: 6,
  selector: (row) => JSON.stringify(JSON.parse(row)),
});
const pageJson = (rows: readonly string[], cursor: string) => `{"cursor":"${cursor}","mentions":[${rows.join()}]}`;

describe("any rows, through the client", () => {
  it("any split into pages gives the same frame, for every kind of call", async () => {
    // Unique ids keep rows from counting as duplicates.
    await fc.assert(
      fc.asyncProperty(cutRows(rowsJson), async ({ rows, cuts }) => {
        const own = rows.map((row, at) => (row === "{}" ? `{"id":"${at}"}` : `${row.slice(0, -1)},"id":"${at}"}`));
        const pages = pagesOf(own, cuts).filter((page) => page.length > 0);
        const chain = pages.map((page, at) => pageJson(page, `c${at + 1}`));
        const whole = await clientOf(pageJson(own, "c1")).mentions("x", { maxItems: 1000 });
        expectSameFrame(await clientOf(...chain).mentions("x", { maxItems: 1000 }), whole);
        expectSameFrame(
          await clientOf(...chain)
            .scan.mentions("x")
            .collect(),
          whole,
        );
        expect(whole.height).toBe(rows.length);
        const records = clientOf(...chain).iterRecords("mentions", { query: "x" });
        expect(await allOf(records)).toEqual(JSON.parse(`[${own.join()}]`));
      }),
      { numRuns: runs(15, 5000) },
    );
  });
});

describe("any body", () => {
  const broken = fc.oneof(
    json,
    fc.string({ unit: "binary" }),
    fc.array(fc.tuple(name, json), { minLength: 2, maxLength: 2 }).map(objectJson),
    fc
      .tuple(fc.constantFrom("mentions", "people", "bills", "programs", "cursor", "__proto__"), json)
      .map((member) => objectJson([member, ["cursor", '"c"']])),
    // A page that is truncated or has one byte changed.
    fc.tuple(rowsJson, fc.nat(), fc.string({ unit: "binary", maxLength: 1 })).map(([rows, at, char]) => {
      const page = pageJson(rows, "c");
      const place = at % page.length;
      return page.slice(0, place) + char + page.slice(place + (at % 2));
    }),
    fc.tuple(rowsJson, fc.nat()).map(([rows, at]) => pageJson(rows, "c").slice(0, at % pageJson(rows, "c").length)),
  );

  it("gives a result or a typed error, and always an error if it is not JSON", async () => {
    // Rows beyond maxItems are not parsed, so invalid JSON there goes unnoticed; the returned rows are still right.
    const asks: Array<[boolean, () => Promise<unknown>]> = [
      [true, () => archive.mentions("x")],
      [true, () => archive.mentions("x", { format: "json" })],
      [false, () => archive.mentions("x", { format: "records", maxItems: 5 })],
      [true, () => archive.people("x", { format: "csv" })],
      [true, () => archive.person(1)],
      [true, () => archive.program(1, { format: "json" })],
      [false, () => archive.scan.programsSearch("x").head(3).collect()],
    ];
    await fc.assert(
      fc.asyncProperty(broken, fc.constantFrom(...asks), async (body, [strict, ask]) => {
        clientOf(body);
        const outcome = await ask().then(
          () => "result",
          (error: unknown) => error,
        );
        if (outcome !== "result") expect(outcome).toBeInstanceOf(ArchiveError);
        else if (strict) expect(isJson(body), JSON.stringify(body)).toBe(true);
      }),
      { numRuns: runs(50, 20_000) },
    );
  });
});

function isJson(text: string): boolean {
  try {
    JSON.parse(
      Buffer.from(text)
        .toString()
        .replace(/^\ufeff/, ""),
    );
    return true;
  } catch {
    return false;
  }
}
