import { describe, expect, it } from "vitest";
import { setProvenance } from "../../src/frames/provenanceOf.js";
import { concat, pl, toDataFrame } from "../../src/index.js";
import { displayBundle } from "../../src/notebook/display/displayBundle.js";

import { kwic, rates, stopwords, terms } from "../../src/text/index.js";
import { provenance } from "../notebook/display/provenance.js";
import { warningsOf } from "../util/warningsOf.js";
import { mentions, texts } from "./frames.js";

const row = { begintime: "2024-03-05T10:00:00Z", person: "Ann Lee", programid: 7 };

describe("kwic", () => {
  it("gives the words around a phrase, where it is said, and by whom", async () => {
    const text = ">> WE MUST ACT ON CLI-\nMATE\nCHANGE, MR. PRESIDENT, [APPLAUSE] AND ON CLIMATE-CHANGE NOW.";
    const frame = await kwic(mentions([{ ...row, text }]), "climate change", { window: 3, by: ["month", "programid"] });
    expect(frame.columns.join()).toBe("id,begintime,person,month,programid,pattern,left,keyword,right,offset");
    const found = frame.toRecords();
    expect(found.map(({ left, keyword, right }) => [left, keyword, right])).toEqual([
      ["MUST ACT ON", "CLI- MATE CHANGE", ", MR. PRESIDENT,"],
      ["[APPLAUSE] AND ON", "CLIMATE-CHANGE", "NOW."],
    ]);
    expect(found.map(({ offset }) => text.slice(offset as number).slice(0, 3))).toEqual(["CLI", "CLI"]);
    expect(found[0]).toMatchObject({ id: "m0", person: "Ann Lee", programid: 7, pattern: "climate change" });
    expect(frame.getColumn("month").cast(pl.Utf8).toArray()[0]).toBe("2024-03-01");
  });

  it("finds regular expressions in the caption as it is, and every match once", async () => {
    const frame = await kwic(texts("Tax a tax, TAX", null, ""), [/tax/, /T(?=A)/gy, "tax"], { window: 0 });
    expect(frame.toRecords().map(({ pattern, keyword, offset }) => [pattern, keyword, offset])).toEqual([
      ["/tax/", "tax", 6],
      ["/T(?=A)/gy", "T", 11],
      ["tax", "Tax", 0],
      ["tax", "tax", 6],
      ["tax", "TAX", 11],
    ]);
  });

  it("is aligned in notebooks, with the keyword marked", async () => {
    const frame = await kwic(texts("<b>one</b> two tax three"), "tax", { window: 2 });
    const cells = '<td class="af-num">&lt;b&gt;one&lt;/b&gt; two</td><td><strong>tax</strong></td><td>three</td>';
    expect(displayBundle(frame)?.["text/html"]).toContain(cells);
    const long = await kwic(texts(`${"word ".repeat(40)}END tax`), "tax", { window: 40 });
    // What is next to the keyword stays visible.
    expect(displayBundle(long)?.["text/html"]).toMatch(/>…[^<]*END<\/td><td><strong>tax/);
    expect(displayBundle(long)?.["text/plain"]).toMatch(/…[^\n]*END {2}tax/);
  });

  it("ends a regular expression that backtracks forever, with an error", async () => {
    const refusal = /backtracks too long\. Avoid repetitions within repetitions/;
    await expect(kwic(texts("a".repeat(50)), /^(?:a+)+!$/)).rejects.toThrow(refusal);
  });

  it.each<[unknown, unknown, string, object?]>([
    [42, "tax", "invalid source: 42"],
    [Promise.resolve(), "tax", "it is a promise. Put await before it."],
    [toDataFrame([{ id: 1 }]), "tax", "invalid source: missing columns text."],
    [texts("x"), "", 'invalid pattern: "". Give a phrase with words'],
    [texts("x"), [], "invalid patterns: []"],
    [texts("x"), ["a", "a"], "Give every pattern once."],
    [[1], "tax", "Give polars frames only."],
    [texts("x"), "x", "Did you mean window?", { windows: 3 }],
    [texts("x"), "x", "missing columns party", { by: "party" }],
    [texts("x"), "x", "missing columns moth. Did you mean month?", { by: "moth" }],
  ])("refuses %j, %j: %s", async (source, pattern, message, options) => {
    await expect(kwic(source as never, pattern as never, options)).rejects.toThrow(message);
  });
});

describe("terms", () => {
  const frame = mentions([
    { text: "The tax cut. The TAX cut!", person: "A" },
    { text: "a tax on tea", person: "B" },
    { text: null, person: "B" },
  ]);

  it("are counted with their totals, in words and mentions", async () => {
    const counted = (await terms(frame)).toRecords();
    expect(counted[0]).toEqual({ term: "tax", n: 1, count: 3, mentions: 2, total: 10 });
    expect(counted.reduce((sum, { count }) => sum + (count as number), 0)).toBe(10);
  });

  it("of two words never cross a sentence, and neither begin nor end with a stop word", async () => {
    const counted = await terms(frame, { ngrams: [2, 3], stopwords: ["THE", "on"] });
    expect(counted.toRecords().map(({ term, n, count, total }) => [term, n, count, total])).toEqual([
      ["tax cut", 2, 2, 7],
      ["a tax", 2, 1, 7],
      ["tax on tea", 3, 1, 4],
    ]);
  });

  it("are counted by column and period", async () => {
    const counted = await terms(frame, { by: "person", min: 2 });
    expect(counted.toRecords().map(({ person, term, count, total }) => [person, term, count, total])).toEqual([
      ["A", "cut", 2, 6],
      ["A", "tax", 2, 6],
      ["A", "the", 2, 6],
    ]);
  });

  it("have a list of English stop words", () => {
    expect(stopwords()).toEqual(expect.arrayContaining(["the", "of", "and", "is"]));
    expect(stopwords()).toHaveLength(108);
    expect(stopwords()).not.toContain("tax");
  });
});

describe("rates", () => {
  const frame = mentions([
    { text: "tax tax tea", begintime: "2024-01-15T00:00:00Z", length: 1800, person: "A" },
    { text: "no such word at all in it", begintime: "2024-04-15T00:00:00Z", length: 3600, person: "B" },
  ]);
  const values = (result: pl.DataFrame) => result.toRecords().map(({ begin, ...rest }) => Object.values(rest));

  it("have counts, denominators and Garwood's intervals", async () => {
    const result = (await rates(frame, "tax", { per: 1000 })).toRecords()[0];
    expect(result).toMatchObject({ pattern: "tax", count: 2, denominator: 10, rate: 200 });
    // Garwood (1936): 0.242 to 7.22 for a count of 2.
    expect(result?.low).toBeCloseTo(24.2, 1);
    expect(result?.high).toBeCloseTo(722.5, 0);
  });

  it("per hour and per mention use seconds and rows", async () => {
    expect(values(await rates(frame, "tax", { per: "hour" }))[0]?.slice(0, 4)).toEqual(["tax", 2, 1.5, 2 / 1.5]);
    const shares = (await rates(frame, "tax", { per: "mention" })).toRecords()[0];
    // Wilson (1927) for 1 of 2, worked by hand: 0.0945 to 0.9055.
    expect(shares).toMatchObject({ count: 1, denominator: 2, rate: 0.5 });
    expect(shares?.low).toBeCloseTo(0.0945, 4);
    expect(shares?.high).toBeCloseTo(0.9055, 4);
  });

  it("per hour leave out the matches of rows without a length, in whichever frame they have none", async () => {
    const open = concat([frame, mentions([{ id: "m2", text: "tax tax tax tax", person: "C" }])]);
    const lengths = pl.Series("length", ["1800", "3600", "unknown"], pl.Utf8);
    const codes = new Set<string>();
    for (const [source, baseline] of [
      [open],
      [open.withColumns(lengths)],
      [open, open],
      [open, frame],
      [open.drop("length"), open],
    ] as const) {
      const { result, warnings } = await warningsOf(() => rates(source, "tax", { per: "hour", baseline }));
      expect(values(result)[0]?.slice(0, 4)).toEqual(["tax", 2, 1.5, 2 / 1.5]);
      for (const [code] of warnings) codes.add(String(code));
    }
    expect(codes).toEqual(new Set(["NO_LENGTH", "NOT_IN_BASELINE"]));
  });

  it("contain every period, those without speech without a rate", async () => {
    const result = await rates(frame, "tax", { by: "month", per: 10 });
    const months = result.getColumn("month").cast(pl.Utf8).toArray();
    expect(
      result.toRecords().map(({ count, denominator, rate, low }, at) => [months[at], count, denominator, rate, low]),
    ).toEqual([
      ["2024-01-01", 2, 3, expect.closeTo(6.667, 3), expect.any(Number)],
      ["2024-02-01", 0, 0, null, null],
      ["2024-03-01", 0, 0, null, null],
      ["2024-04-01", 0, 7, 0, 0],
    ]);
    expect((await rates(frame, "tax", { by: ["person", "month"] })).height).toBe(8);
  });

  it("refuse the rows of a search without a baseline", async () => {
    const searched = setProvenance(mentions([{ text: "tax" }]), provenance({ parameters: { query: "tax" } }));
    await expect(rates(searched, "tax")).rejects.toThrow('the rows of a search for "tax", chosen for what they say');
    await expect(rates(searched, "tax", { baseline: searched })).rejects.toThrow('the same search for "tax"');
    const own = await rates(searched, "tax", { baseline: "own rows" });
    expect(own.toRecords()).toMatchObject([{ count: 1, denominator: 1 }]);
    const other = await rates(searched, "tax", { baseline: frame, per: 10 });
    expect(other.toRecords()).toMatchObject([{ count: 1, denominator: 10, rate: 1 }]);
    const capped = setProvenance(mentions([{ text: "tax" }]), provenance({ verdict: "capped", reason: "maxItems" }));
    const refusal = "invalid source: it is capped (maxItems), not complete";
    await expect(rates(capped, "tax", { baseline: frame })).rejects.toThrow(refusal);
  });

  it.each([
    [{ per: 0 }, "invalid per: 0"],
    [{ per: "day" }, 'invalid per: "day"'],
    [{ confidence: 1 }, "invalid confidence: 1"],
    [{ baseline: "rows" }, 'invalid baseline: "rows"'],
    [{ by: ["month", "month"] }, "Give every column once."],
  ])("refuse %j", async (options, message) => {
    await expect(rates(frame, "tax", options as never)).rejects.toThrow(message);
  });
});

it("refuses danfo frames, and says how to convert them", async () => {
  const danfo = toDataFrame([{ text: "one tax" }], { engine: "danfo" });
  await expect(kwic(danfo as never, "tax")).rejects.toThrow(
    "invalid source: it is a danfo frame. Convert it to polars first: toDataFrame(frame).",
  );
  expect((await kwic(toDataFrame(danfo), "tax")).height).toBe(1);
});
