import fc from "fast-check";
import * as vega from "vega";
import * as vegaLite from "vega-lite";
import { describe, expect, it } from "vitest";
import { toDataFrame } from "../../../src/index.js";
import { type Chart, chart } from "../../../src/notebook/index.js";

interface Item {
  readonly items?: readonly Item[];
  readonly marktype?: string;
  readonly role?: string;
  readonly fill?: string;
  readonly stroke?: string;
  readonly datum?: { readonly [name: string]: unknown };
  readonly bounds?: { readonly x1: number; readonly x2: number; readonly y1: number; readonly y2: number };
}

/** What is drawn: the items of marks, and the colors of the legend. */
async function sceneOf({ spec }: Chart) {
  const { spec: compiled } = vegaLite.compile(structuredClone(spec) as never, {});
  const view = new vega.View(vega.parse(compiled as never), { renderer: "none" }) as unknown as {
    runAsync(): Promise<{ scenegraph(): { readonly root: Item } }>;
  };
  const { root } = (await view.runAsync()).scenegraph();
  const marks: Item[] = [];
  const legend = new Set<string>();
  const visit = (item: Item, isMark: boolean, isLegend: boolean) => {
    const mark = isMark || item.role === "mark";
    const symbol = isLegend || item.role === "legend-symbol";
    if (item.items === undefined && mark) marks.push(item);
    if (item.items === undefined && symbol) for (const color of [item.fill, item.stroke]) if (color) legend.add(color);
    for (const child of item.items ?? []) visit(child, mark && child.marktype !== "group", symbol);
  };
  visit(root, false, false);
  return { marks, legend };
}

const party = fc.constantFrom("Democrat", "Republican", "Green", null, "");
const row = fc.record({
  party,
  state: fc.option(fc.constantFrom(..."ABCDEFGHIJKL")),
  chamber: fc.option(fc.boolean()),
  length: fc.option(fc.integer({ min: 1, max: 900 })),
  begintime: fc.option(fc.integer({ min: 0, max: 700 }).map((day) => new Date(Date.UTC(2023, 0, 1 + day)))),
});

const SHORTHANDS = [
  { mark: "bar", x: "count()", y: "party" },
  { mark: "bar", x: "yearmonth(begintime)", y: "count()", places: ["begintime"] },
  { mark: "bar", x: "party:O", y: "sum(length):Q", places: ["length"] },
  { mark: "arc", theta: "count()" },
  { mark: "point", x: "length", y: "state", places: ["length"] },
  { mark: "circle", x: "begintime:T", y: "length:Q", places: ["begintime", "length"] },
  { mark: "tick", x: "length", y: "chamber:N", places: ["length"] },
  { mark: "rect", x: "state", y: "party" },
] as const;

describe("a picture", () => {
  it("shows each row that has a place, with an area and a color of the legend", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(row, { minLength: 1, maxLength: 30 }),
        fc.constantFrom(...SHORTHANDS),
        fc.constantFrom("color", "fill"),
        fc.constantFrom("party", "state", "chamber:N"),
        async (
          rows,
          { places = [], ...shorthand }: (typeof SHORTHANDS)[number] & { places?: readonly string[] },
          channel,
          by,
        ) => {
          const all = [...rows, { ...rows[0], length: 5, begintime: new Date(0) }] as typeof rows;
          const frame = toDataFrame(all as object[]);
          const made = await chart(frame, { ...shorthand, [channel]: by });
          const { marks, legend } = await sceneOf(made);
          const placed = all.filter((each) => places.every((place) => each[place as "length"] !== null));
          const field = by.split(":")[0] as "party";
          // Each combination of values that the chart tells apart has a mark.
          const shown = marks.filter(({ bounds: box }) => box !== undefined && box.x2 > box.x1 && box.y2 > box.y1);
          for (const each of placed)
            expect(
              shown.some(
                ({ datum }) => datum?.[field] === (each[field] === "" ? "unknown" : (each[field] ?? "unknown")),
              ),
            ).toBe(true);
          for (const { fill, stroke } of shown) {
            const color = channel === "color" && shorthand.mark === "point" ? stroke : fill;
            expect(legend).toContain(color);
          }
          if (placed.length < all.length && shorthand.mark !== "bar") expect(made.svg).toContain("not drawn");
        },
      ),
      { numRuns: 60 },
    );
  });
});
