import { describe, expect, it } from "vitest";
import { toDataFrame } from "../../../src/index.js";
import { chartTable } from "../../../src/notebook/charts/drawChart.js";
import { chart, displayBundle } from "../../../src/notebook/index.js";

describe("the text of a chart", () => {
  it("is its data, for viewers that do not show the picture", async () => {
    const frame = toDataFrame([
      { year: "2024", passages: 788, other: 1 },
      { year: "2025", passages: 5, other: 1 },
    ]);
    const spec = { title: "T", mark: "bar", encoding: { x: { field: "year" }, y: { field: "passages" } } };
    const made = await chart(frame, spec);
    expect(displayBundle(made)?.["text/plain"]).toBe(
      "Chart: T · bar · 2 rows\nyear  passages\n2024       788\n2025         5",
    );
    const long = await chart(
      toDataFrame(Array.from({ length: 41 }, (_, at) => ({ year: `${at}`, passages: at }))),
      spec,
    );
    expect(displayBundle(long)?.["text/plain"]).toBe("Chart: T · bar · 41 rows");
  });

  it("leaves out empty columns and further rows, and escapes what controls a terminal", () => {
    const [header, row] = chartTable([{ a: "\u001b]0;x", b: "", n: null }], ["a", "b", "n"]).split("\n");
    expect(header?.trim()).toBe("a");
    expect(row).not.toContain("\u001b");
    const rows = Array.from({ length: 42 }, (_, n) => ({ n }));
    expect(chartTable(rows, ["n"]).split("\n").slice(-2)).toEqual(["39", "… 2 more rows"]);
    expect(chartTable([], ["n"])).toBe("");
  });
});
