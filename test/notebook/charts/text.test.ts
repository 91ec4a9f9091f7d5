import { describe, expect, it } from "vitest";
import { toDataFrame } from "../../../src/index.js";
import { displayBundle } from "../../../src/notebook/display/displayBundle.js";
import { chart, ratesOverTime } from "../../../src/notebook/index.js";
import { rates } from "../../../src/text/index.js";
import { mentions } from "../../text/frames.js";
import { valuesOf } from "./chartParts.js";

const frame = mentions([
  { text: "tax tax tea", begintime: "2024-01-15T00:00:00Z", person: "A", programid: 1 },
  { text: "tea", begintime: "2024-03-15T00:00:00Z", person: "B", programid: 1 },
  { text: "tax", begintime: "2024-03-16T00:00:00Z", person: "A", programid: 2 },
]);

describe("charts of text", () => {
  it("show rates with their intervals, a line per group, and gaps where nobody spoke", async () => {
    const made = await ratesOverTime(await rates(frame, "tax", { by: ["month", "person"], cluster: "person" }), {
      unit: "per 10,000 words",
    });
    expect(valuesOf(made).map(({ line, time, count, rate }) => [line, time, count, rate === null])).toEqual([
      ["A", "2024-01", 2, false],
      ["B", "2024-01", 0, true],
      ["A", "2024-02", 0, true],
      ["B", "2024-02", 0, true],
      ["A", "2024-03", 1, false],
      ["B", "2024-03", 0, false],
    ]);
    expect(made.svg).toContain("per 10,000 words");
    expect(made.svg).toContain(">Jan 2024</text>");
    await expect(ratesOverTime(await rates(frame, "tax", { cluster: "person" }))).rejects.toThrow(
      "invalid frame: it has no period.",
    );
    await expect(ratesOverTime(frame)).rejects.toThrow("missing columns pattern, count");
  });
});

it("the text of a chart is its data, for viewers that do not show the picture", async () => {
  const spec = { title: "T", mark: "bar", encoding: { x: { field: "year" }, y: { field: "passages" } } };
  const textOf = async (rows: object[]) => displayBundle(await chart(toDataFrame(rows), spec))?.["text/plain"];
  const rows = [
    { year: "2024", passages: 788, other: 1 },
    { year: "2025", passages: 5, other: 1 },
  ];
  expect(await textOf(rows)).toBe("Chart: T · bar · 2 rows\nyear  passages\n2024       788\n2025         5");
  const unknown = { year: null, passages: 5 };
  expect(await textOf([{ year: "2024", passages: null }, unknown])).toMatch(/\n2024\nunknown {2,}5$/);
  expect(await textOf([{ year: "\u001b]0;x", passages: 1 }])).not.toContain("\u001b");
  const long = Array.from({ length: 41 }, (_, at) => ({ year: `${at}`, passages: at }));
  expect(await textOf(long)).toBe("Chart: T · bar · 41 rows");
});
