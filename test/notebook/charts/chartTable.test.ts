import { describe, expect, it } from "vitest";
import { toDataFrame } from "../../../src/index.js";
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
    const unknown = await chart(
      toDataFrame([
        { year: "2024", passages: null },
        { year: null, passages: 5 },
      ]),
      spec,
    );
    expect(displayBundle(unknown)?.["text/plain"]).toMatch(/\n2024\nunknown {2,}5$/);
    const hostile = await chart(toDataFrame([{ year: "\u001b]0;x", passages: 1 }]), spec);
    expect(displayBundle(hostile)?.["text/plain"]).not.toContain("\u001b");
    const long = await chart(
      toDataFrame(Array.from({ length: 41 }, (_, at) => ({ year: `${at}`, passages: at }))),
      spec,
    );
    expect(displayBundle(long)?.["text/plain"]).toBe("Chart: T · bar · 41 rows");
  });
});
