import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { pl, toDataFrame, toRecords } from "../../src/index.js";
import { rates } from "../../src/text/index.js";
import { dateWindows, PERIODS, periodName, periodOf } from "../../src/util/period.js";
import { mention, served } from "../client/clientTo.js";
import { startScriptedServer } from "../service/scriptedServer.js";

it.each([
  ["quarter", "2024-03-31", "2024-01-01", "2024-04-01", "2024-Q1"],
  ["quarter", "2023-12-01", "2023-10-01", "2024-01-01", "2023-Q4"],
  ["congress", "2023-01-02", "2021-01-03", "2023-01-03", "117"],
  ["congress", "2023-01-03", "2023-01-03", "2025-01-03", "118"],
  ["congress", "1934-05-05", "1933-03-04", "1935-01-03", "73"],
] as const)("the %s of %s", (period, day, begin, end, name) => {
  expect(periodOf(Date.parse(`${day}T23:59:59Z`), period)).toEqual({ begin, end });
  expect(periodName(begin, period)).toBe(name);
});

it("windows of a range follow each other, whatever the period", () => {
  const day = fc
    .date({ min: new Date("1990-01-01"), max: new Date("2030-01-01"), noInvalidDate: true })
    .map((date) => date.toISOString().slice(0, 10));
  fc.assert(
    fc.property(day, fc.integer({ min: 0, max: 900 }), fc.constantFrom(...PERIODS), (mindate, days, period) => {
      const maxdate = new Date(Date.parse(mindate) + days * 86_400_000).toISOString().slice(0, 10);
      const windows = dateWindows(mindate, maxdate, period);
      expect([windows[0]?.mindate, windows.at(-1)?.maxdate]).toEqual([mindate, maxdate]);
      expect(new Set(windows.map(({ name }) => name)).size).toBe(windows.length);
      windows.slice(1).forEach((window, at) => {
        expect(Date.parse(window.mindate) - Date.parse(windows[at]?.maxdate ?? "")).toBe(86_400_000);
      });
    }),
  );
});

const DAYS = ["2020-12-31", "2021-01-02", "2021-01-03", "2022-07-01", "2025-01-03", "2025-01-04"];

describe("rows by Congress", () => {
  const frame = toDataFrame(
    DAYS.map((day, at) => mention(at, { begintime: `${day}T12:00:00Z`, text: "the climate" })),
    { operation: "mentions" },
  );

  it("have its number in rates, the empty ones included", async () => {
    const table = await rates(frame, "climate", { by: "congress", baseline: "own rows" });
    expect(String(table.getColumn("congress").dtype)).toBe(String(pl.Int64));
    expect(toRecords(table).map(({ congress, count }) => [congress, count])).toEqual([
      [116, 2],
      [117, 2],
      [118, 0],
      [119, 2],
    ]);
  });

  it("are dated by quarter in rates", async () => {
    const table = await rates(frame.head(3), "climate", { by: "quarter", baseline: "own rows" });
    expect(toRecords(table).map(({ quarter, count }) => [quarter, count])).toEqual([
      [new Date("2020-10-01"), 1],
      [new Date("2021-01-01"), 2],
    ]);
  });

  it("are counted by its number", async () => {
    const { archive } = await served(startScriptedServer(() => ({ body: { cursor: "x" } })));
    const counted = async (days: object, by: "congress" | "quarter") => {
      const table = await archive.count("mentions", "x", { ...days, by });
      return table.getColumn(by).toArray();
    };
    expect(await counted({ mindate: "2020-12-31", maxdate: "2025-01-03" }, "congress")).toEqual([116, 117, 118, 119]);
    expect((await counted({ congress: 117 }, "quarter")).slice(-2)).toEqual(["2022-Q4", "2023-Q1"]);
  });
});
