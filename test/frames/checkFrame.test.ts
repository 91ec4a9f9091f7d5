import { describe, expect, it } from "vitest";
import { agreement, codebook, codingPage, sampleRows } from "../../src/coding/index.js";
import {
  ArchiveClient,
  concat,
  countSpeakers,
  methodsOf,
  pl,
  provenanceOf,
  saveFrame,
  sql,
  toCsv,
  toDataFrame,
  toJsonl,
  toRecords,
  valueCounts,
  valuesOf,
} from "../../src/index.js";
import { withMembers } from "../../src/members/index.js";
import { chart, mentionsOverTime } from "../../src/notebook.js";
import { collocations, compare, keyness, kwic, rates, reairings, terms } from "../../src/text/index.js";

const book = codebook({ stance: ["yes", "no"] });
const frame = pl.DataFrame({ text: ["a"] });
const client = new ArchiveClient({ apiKey: "test", baseUrl: "http://127.0.0.1:9/" });

/** Functions that take a frame, each called with a value that is none. */
const ENTRIES: Readonly<Record<string, (value: never) => unknown>> = {
  agreement: (value) => agreement(value, { book }),
  "agreement without a codebook": (value) => agreement(value),
  sampleRows: (value) => sampleRows(value, { rows: 10 }),
  codingPage: (value) => codingPage(value, book, "never/"),
  countSpeakers,
  methodsOf,
  saveFrame: (value) => saveFrame(value, "never.csv"),
  withPeople: (value) => client.withPeople(value),
  withPrograms: (value) => client.withPrograms(value),
  mentionsOverTime: async (value) => mentionsOverTime(value),
  collocations: (value) => collocations(value),
  compare: (value) => compare(value, "a", { by: "person", groups: ["a", "b"], baseline: "own rows" }),
  valueCounts: (value) => valueCounts(value, "person"),
  valuesOf: (value) => valuesOf(value, "person"),
  withMembers: (value) => withMembers(value),
  chart: (value) => chart(value, { mark: "bar" }),
  kwic: (value) => kwic(value, "a"),
  rates: (value) => rates(value, "a", { baseline: "own rows" }),
  terms: (value) => terms(value),
  keyness: (value) => keyness(value, value),
  reairings: (value) => reairings(value),
};

describe.each(Object.entries(ENTRIES))("%s", (_, call) => {
  const told = async (value: unknown) => {
    try {
      await call(value as never);
    } catch (error) {
      return `${(error as Error).name}: ${(error as Error).message}`;
    }
    return "no error";
  };

  it("says that it got undefined, null, a number or a promise", async () => {
    expect(await told(undefined)).toMatch(/^ValidationError: invalid \w+: undefined\. Give /);
    expect(await told(null)).toMatch(/^ValidationError: invalid \w+: null\. Give /);
    expect(await told(5)).toMatch(/^ValidationError: invalid \w+: 5\. Give /);
    expect(await told(Promise.resolve(frame))).toMatch(
      /^ValidationError: invalid \w+: it is a promise\. Put await before it\.$/,
    );
  });
});

it.each(Object.entries({ provenanceOf, toRecords, toDataFrame, toCsv, toJsonl }))(
  "%s, which takes any value, refuses a promise",
  (_, call) => {
    expect(() => (call as (value: unknown) => unknown)(Promise.resolve(frame))).toThrow(
      /^invalid \w+: it is a promise\. Put await before it\.$/,
    );
  },
);

const WRITERS = new Set(["methodsOf", "saveFrame"]);

it.each([
  ...Object.entries(ENTRIES).filter(([name]) => !WRITERS.has(name)),
  ["concat", (value: never) => concat([value])] as const,
  ["sql", (value: never) => sql("select 1", { value })] as const,
  ["speechesOnBill", (value: never) => client.speechesOnBill(value)] as const,
])("%s refuses a danfo frame, and says how to convert it", async (_, call) => {
  const danfo = toDataFrame([{ text: "a", personid: 1, programid: 1 }], { engine: "danfo" });
  await expect((async () => call(danfo as never))()).rejects.toThrow(
    /^invalid \w+: it is a danfo frame\. Convert it to polars first: toDataFrame\(frame\)\.$/,
  );
});
