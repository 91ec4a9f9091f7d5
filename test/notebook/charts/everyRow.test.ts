import fc from "fast-check";
import { expect, it } from "vitest";
import { toDataFrame } from "../../../src/index.js";
import { type ChartSpec, chart } from "../../../src/notebook.js";

const row = fc.record({
  party: fc.constantFrom("Democrat", "Republican", "Green", null, ""),
  state: fc.option(fc.constantFrom(..."ABCDEFGHIJKL")),
  chamber: fc.option(fc.boolean()),
  length: fc.option(fc.integer({ min: 1, max: 900 })),
  begintime: fc.option(fc.integer({ min: 0, max: 700 }).map((day) => new Date(Date.UTC(2023, 0, 1 + day)))),
});

/** Specifications, with the columns that a row needs to have a place. */
const SPECS = [
  { mark: "bar", x: "count()", y: "party", places: [] },
  { mark: "bar", x: "yearmonth(begintime)", y: "count()", places: ["begintime"] },
  { mark: "bar", x: "party:O", y: "sum(length):Q", places: ["length"] },
  { mark: "arc", theta: "count()", places: [] },
  { mark: "point", x: "length", y: "state", places: ["length"] },
  { mark: "circle", x: "begintime:T", y: "length:Q", places: ["begintime", "length"] },
] satisfies Array<ChartSpec & { places: string[] }>;

/** The colors of the marks by what they say for screen readers, and those of the legend. */
function drawn(svg: string) {
  const [, legend = ""] = svg.split('class="mark-group role-legend"');
  const marks = [...svg.matchAll(/aria-label="([^"]*)" role="graphics-symbol" aria-roledescription="[^"]*"([^>]*)>/g)];
  const colorOf = (attributes = "") => /(?:fill|stroke)="(#\w+)"/.exec(attributes)?.[1];
  return { legend, marks: marks.map(([, label = "", attributes]) => ({ label, color: colorOf(attributes) })) };
}

it("a picture shows each row that has a place, named if it has no group, in a color of the legend", async () => {
  const rows = fc.array(row, { minLength: 1, maxLength: 30 });
  const colors = fc.constantFrom("party", "state", "chamber:N");
  const property = fc.asyncProperty(
    rows,
    fc.constantFrom(...SPECS),
    colors,
    async (some, { places, ...spec }, color) => {
      const all: Array<Record<string, unknown>> = [...some, { ...some[0], length: 5, begintime: new Date(0) }];
      const { svg } = await chart(toDataFrame(all), { ...spec, color });
      const { marks, legend } = drawn(svg);
      const field = color.split(":")[0] as string;
      const placed = all.filter((each) => places.every((place) => each[place] !== null));
      for (const each of placed) {
        const value = each[field] === "" ? "unknown" : (each[field] ?? "unknown");
        expect(marks.some(({ label }) => label.includes(`${field}: ${value}`))).toBe(true);
      }
      for (const mark of marks) expect(legend).toContain(mark.color);
      if (placed.length < all.length && spec.mark !== "bar") expect(svg).toContain("not drawn");
    },
  );
  await fc.assert(property, { numRuns: 60 });
});
