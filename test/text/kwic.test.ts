import { describe, expect, it } from "vitest";
import { pl, toDataFrame } from "../../src/index.js";
import { kwic } from "../../src/text/index.js";
import { displayBundle } from "../notebook/bundles.js";
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
    [[1], "tax", "Give polars frames: toDataFrame(rows) makes one."],
    [texts("x"), "x", "Did you mean window?", { windows: 3 }],
    [texts("x"), "x", "missing columns party", { by: "party" }],
    [texts("x"), "x", "missing columns moth. Did you mean month?", { by: "moth" }],
  ])("refuses %j, %j: %s", async (source, pattern, message, options) => {
    await expect(kwic(source as never, pattern as never, options)).rejects.toThrow(message);
  });
});
