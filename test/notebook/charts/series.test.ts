import { describe, expect, it } from "vitest";
import { pl, toDataFrame } from "../../../src/index.js";
import { type Chart, chart, estimates, mentionsOverTime, ratesOverTime } from "../../../src/notebook/index.js";
import { rates } from "../../../src/text/index.js";
import { mentions } from "../../text/frames.js";
import { provenance, setProvenance } from "../display/provenance.js";
import { type ChartSpec, valuesOf } from "./chartParts.js";

const encodingOf = ({ spec }: Chart) => spec.encoding as Record<string, Record<string, unknown>>;
const fillsOf = ({ svg }: Chart) => new Set(svg.match(/#[0-9a-f]{6}/g));

const frame = toDataFrame(
  [
    { begintime: "2024-04-30T23:30:00Z", party: "Democrat", length: 30, share: 0.133, year: 2024 },
    { begintime: "2024-05-01T00:30:00Z", party: "Republican", length: 90, share: 0.25, year: 2024 },
    { begintime: "2023-05-01T00:30:00Z", party: "Independent", length: 10, share: 0.5, year: 2023 },
  ],
  { operation: "mentions" },
);

describe("Altair's shorthand", () => {
  it.each<[string, ChartSpec]>([
    ["length:Q", { field: "length", type: "quantitative" }],
    ["length", { field: "length", type: "quantitative" }],
    ["party", { field: "party", type: "nominal" }],
    ["party:O", { field: "party", type: "ordinal" }],
    ["begintime", { field: "begintime", type: "temporal" }],
    ["mean(length):Q", { field: "length", aggregate: "mean", type: "quantitative" }],
    ["count()", { aggregate: "count", type: "quantitative" }],
    ["yearmonth(begintime)", { field: "begintime", timeUnit: "utcyearmonth", type: "temporal" }],
  ])("%s is what Vega-Lite writes out", async (text, written) => {
    const { scale, axis, ...y } = encodingOf(await chart(frame, { mark: "point", y: text, x: "party" })).y ?? {};
    expect(y).toEqual(written);
  });

  it("draws what the specification draws, in layers, lists and beside an encoding, too", async () => {
    const long = {
      mark: "bar",
      encoding: { x: { field: "party", type: "nominal" }, y: { aggregate: "count", type: "quantitative" } },
    };
    const { svg } = await chart(frame, long);
    expect((await chart(frame, { mark: "bar", x: "party", y: "count()" })).svg).toBe(svg);
    expect((await chart(frame, { mark: "bar", encoding: { x: "party" }, y: "count()" })).svg).toBe(svg);
    const layered = await chart(frame, {
      layer: [{ mark: "bar", x: "party", y: "count()", tooltip: ["party", "count()"] }],
    });
    expect(layered.svg).toContain(">Democrat</text>");
  });

  it.each<[ChartSpec, string]>([
    [{ mark: "bar", x: "partty" }, 'Did you mean "party"?'],
    [{ mark: "bar", x: "mean(lenght):Q" }, 'Did you mean "length"?'],
    [{ mark: "bar", x: "party:X" }, 'invalid x: "party:X". Give a column'],
    [{ mark: "bar", x: ":Q" }, "Give a column"],
    [{ x: "party" }, 'Give one, for example mark: "bar"'],
    [{ transform: [{ calculate: "1", as: "one" }], mark: "bar", x: "on" }, 'Did you mean "one"?'],
  ])("refuses %j", async (spec, message) => {
    const refusal = { name: "ValidationError", message: expect.stringContaining(message) };
    await expect(chart(frame, spec)).rejects.toMatchObject(refusal);
  });

  it("names columns that the specification computes", async () => {
    await chart(frame, { transform: [{ fold: ["length", "share"] }], mark: "bar", x: "key:N", y: "value:Q" });
  });
});

describe("numbers on axes", () => {
  it("are percent for shares, unless there is a format", async () => {
    const { svg } = await chart(frame, { mark: "bar", x: "party", y: "share" });
    expect(svg).toContain(">50%</text>");
    const y = { field: "share", type: "quantitative", axis: { format: ".1f" } };
    const given = await chart(frame, { mark: "bar", x: "party", y });
    expect(given.svg).toContain(">0.5</text>");
  });

  it("are years as people write them", async () => {
    for (const type of ["", ":O", ":T"]) {
      const { svg } = await chart(frame, { mark: "bar", x: `year${type}`, y: "count()" });
      expect(svg).toContain(">2024</text>");
      expect(svg).not.toMatch(/>2,024<|>1970<|2024-01-01/);
    }
  });
});

describe("groups and events", () => {
  it("parties have their colors, others the palette", async () => {
    const made = await chart(frame, { mark: "bar", x: "party", y: "length", color: "party" });
    for (const color of ["#0072b2", "#c4302b", "#e69f00"]) expect(fillsOf(made)).toContain(color);
    const options = { colors: { Democrat: "#123456" }, labels: { Republican: "GOP" } };
    const own = await chart(frame, { mark: "bar", x: "party", y: "length", color: "party" }, options);
    expect(fillsOf(own)).toContain("#123456");
    expect(own.svg).toContain(">GOP</text>");
    expect(fillsOf(own)).toContain("#c4302b");
    const other = await chart(frame, { mark: "bar", x: "party", y: "length", color: "year:N" });
    expect(fillsOf(other)).not.toContain("#c4302b");
  });

  it("events are labelled rules on charts over time, and only there", async () => {
    const events = [
      { date: "2024-05-01", label: "A law" },
      { date: new Date("2023-12-01"), label: "A & B" },
    ];
    const said = mentions([
      { text: "tax", begintime: "2024-01-15T00:00:00Z", person: "A", programid: 1 },
      { text: "tax", begintime: "2024-06-15T00:00:00Z", person: "B", programid: 1 },
    ]);
    for (const made of [
      await chart(frame, { mark: "line", x: "yearmonth(begintime)", y: "count()" }, { events }),
      await mentionsOverTime(said, { events }),
      await mentionsOverTime([said, said], { events }),
      await ratesOverTime(await rates(said, "tax", { by: "month", cluster: "person" }), { events }),
    ]) {
      expect(made.svg.match(/stroke-dasharray="4,3"/g)).toHaveLength(2);
      expect(made.svg).toContain(">A &amp; B</text>");
      expect(made.svg.match(/role-axis"/g)?.length).toBeLessThanOrEqual(4);
    }
    await expect(chart(frame, { mark: "bar", x: "party", y: "count()" }, { events })).rejects.toThrow("They need time");
    await expect(mentionsOverTime(said, { events: [{ date: "soon", label: "x" }] })).rejects.toThrow("invalid date");
    const misspelled = { events: [{ date: "2024-01-01", lable: "x" } as never] };
    await expect(mentionsOverTime(said, misspelled)).rejects.toThrow("label");
  });

  it("a chart without rows says so, and why", async () => {
    const found = setProvenance(toDataFrame([], { operation: "mentions" }), provenance({ rows: 0 }));
    const { svg } = await chart(found, { mark: "bar", x: "person", y: "count()" });
    expect(svg).toContain(">no rows</text>");
    expect(svg).toMatch(/>mentions "climate" · 0 rows, complete · /);
    expect(svg).not.toContain("role-axis");
  });
});

describe("estimates", () => {
  const table = toDataFrame([
    { party: "Democrat", pattern: "tax", count: 4, denominator: 100, rate: 13.3456, low: 10, high: 17 },
    { party: "Republican", pattern: "tax", count: 2, denominator: 100, rate: 5, low: 4, high: 6 },
  ]);

  it("are a dot and an interval for each row, named by what differs", async () => {
    const made = await estimates(table, { unit: "per 10,000 words" });
    expect(valuesOf(made).map(({ row, rate }) => [row, rate])).toEqual([
      ["Democrat", 13.3456],
      ["Republican", 5],
    ]);
    expect(fillsOf(made)).toContain("#c4302b");
    expect(made.svg).toContain(">per 10,000 words</text>");
    expect(String(made.svg)).toContain(">Democrat</text>");
  });

  it("say shares in percent, and a long sentence in lines", async () => {
    const share = table.withColumns(pl.lit(0.25).alias("rate"), pl.lit(0.2).alias("low"), pl.lit(0.3).alias("high"));
    const { svg } = await estimates(share, { unit: "share of passages" });
    expect(svg).toContain(">25%</text>");
    expect((await estimates(share, { unit: "per passage" })).svg).not.toContain("%</text>");
    const sentence = `It differs ${"by so much ".repeat(20)}${"x".repeat(90)}.`;
    const said = table.head(1).withColumns(pl.lit(sentence).alias("sentence"));
    const { subtitle } = (await estimates(said)).spec.title as { subtitle: string[] };
    expect(subtitle.every((line) => line.length <= 75)).toBe(true);
    expect(subtitle.join("").replaceAll(" ", "")).toBe(sentence.replaceAll(" ", ""));
  });

  it("take other columns, and refuse a frame without any", async () => {
    const difference = toDataFrame([{ pattern: "tax", difference: -0.2, low: -0.4, high: 0.1 }]);
    expect(valuesOf(await estimates(difference)).map(({ row }) => row)).toEqual(["tax"]);
    await expect(estimates(frame)).rejects.toThrow("missing columns low, high");
    await expect(estimates(toDataFrame([{ low: 1, high: 2 }]))).rejects.toThrow("it has no estimates");
  });
});
