import { describe, expect, it, onTestFinished, vi } from "vitest";
import { pl, toDataFrame } from "../../../src/index.js";
import { type Chart, mentionsOverTime } from "../../../src/notebook/index.js";
import { provenance, setProvenance } from "../display/provenance.js";
import { valuesOf } from "./chartParts.js";

const subtitleOf = ({ spec }: Chart) => [(spec.title as { subtitle: string | string[] }).subtitle].flat().join("\n");
const labelsOf = ({ svg }: Chart) =>
  [...svg.matchAll(/<g class="mark-text role-axis-label".*?<\/g>/gs)].map(([group]) =>
    [...group.matchAll(/<text[^>]*>([^<]*)<\/text>/g)].map(([, label]) => label),
  );

const DAYS = ["2024-01-15T00:00:00Z", "2024-02-15T00:00:00Z", "2024-03-05T00:00:00Z"];
const step = (verb: string) => ({ steps: [{ verb, text: verb, rows: [9, 3] as const }] });
const CAPPED = { verdict: "capped", reason: "maxItems" } as const;

describe("mentions over time", () => {
  const mentions = (times: Array<string | null>, people: Array<string | null> = []) =>
    toDataFrame(
      times.map((begintime, at) => ({ id: `m${at}`, begintime, person: people[at] ?? null })),
      { operation: "mentions" },
    );
  const times = ["2024-01-31T23:59:59Z", "2024-02-01T00:00:00Z", "2024-02-29T12:00:00Z", "2023-12-31T10:00:00Z", null];

  it("are counted by UTC month, ignoring rows without a time", async () => {
    const made = await mentionsOverTime(mentions(times));
    expect(valuesOf(made).map(({ begin, end, mentions: n }) => [begin, end, n])).toEqual([
      ["2023-12-01", "2024-01-01", 1],
      ["2024-01-01", "2024-02-01", 1],
      ["2024-02-01", "2024-03-01", 2],
    ]);
    expect(subtitleOf(made)).toBe("4 mentions · 2023-12-31 to 2024-02-29 · 1 row without a timestamp omitted");
    onTestFinished(() => void vi.unstubAllEnvs());
    vi.stubEnv("TZ", "America/Los_Angeles");
    const texts = times.map((time) => time?.replace(/T(.*)Z/, " $1") ?? "5");
    const read = await mentionsOverTime(mentions(times).withColumns(pl.Series("begintime", texts, pl.Utf8)));
    expect(valuesOf(read)).toEqual(valuesOf(made));
    expect(made.svg).toContain(">Mentions by month</text>");
    expect(made.svg).toContain(">Jan 2024</text>");
  });

  it("are counted by other periods and columns", async () => {
    const years = await mentionsOverTime(mentions(times), { by: "year", title: "Years" });
    expect(valuesOf(years).map(({ begin, mentions: n }) => [begin, n])).toEqual([
      ["2023-01-01", 1],
      ["2024-01-01", 3],
    ]);
    expect(years.svg).toContain(">Years</text>");
    const programs = toDataFrame([{ date: "2024-03-03T00:00:00Z" }], { operation: "programsSearch" });
    const weeks = await mentionsOverTime(programs, { by: "week", column: "date" });
    expect(valuesOf(weeks).map(({ begin, end }) => [begin, end])).toEqual([["2024-02-26", "2024-03-04"]]);
  });

  it("are stacked by color, the most frequent group at the bottom and the remaining ones in grey", async () => {
    const names = "ABCDEFGHIJ".split("");
    const people = names.flatMap((name, at) => new Array<string>(20 - at).fill(name));
    const days = people.map(() => "2024-01-05T00:00:00Z");
    const made = await mentionsOverTime(mentions(days, people), { color: "person" });
    expect(valuesOf(made).map(({ group, from, to }) => [group, from, to])).toEqual([
      ["A", 0, 20],
      ["B", 20, 39],
      ["C", 39, 57],
      ["D", 57, 74],
      ["E", 74, 90],
      ["F", 90, 105],
      ["G", 105, 119],
      ["others", 119, 155],
    ]);
    const { color } = made.spec.encoding as { color: { scale: { domain: string[]; range: string[] } } };
    expect(color.scale.domain).toEqual([..."ABCDEFG".split(""), "others"]);
    expect(new Set(color.scale.range).size).toBe(8);
    expect(color.scale.range.at(-1)).toBe("#9a9a9a");
  });

  it("count zero where nothing was said, and have one label per period", async () => {
    const made = await mentionsOverTime(mentions(["2023-11-05T00:00:00Z", "2024-02-05T00:00:00Z"]));
    expect(valuesOf(made).map(({ begin, mentions: n }) => [begin, n])).toEqual([
      ["2023-11-01", 1],
      ["2023-12-01", 0],
      ["2024-01-01", 0],
      ["2024-02-01", 1],
    ]);
    expect(labelsOf(made)).toEqual([
      ["Nov 2023", "Dec 2023", "Jan 2024", "Feb 2024"],
      ["0", "1"],
    ]);
    const years = await mentionsOverTime(mentions(["2012-06-01T00:00:00Z", "2026-06-01T00:00:00Z"]), { by: "year" });
    expect(labelsOf(years)[0]).toEqual("2012 2014 2016 2018 2020 2022 2024 2026".split(" "));
    const weeks = await mentionsOverTime(mentions(["2024-03-03T00:00:00Z", "2024-03-04T00:00:00Z"]), { by: "week" });
    expect(labelsOf(weeks)[0]).toEqual(["26 Feb 2024", "04 Mar 2024"]);
  });

  it("are compared as one line per frame, named by its query", async () => {
    const frame = (query: string, days: string[]) =>
      setProvenance(mentions(days), provenance({ parameters: { query }, lastResponseAt: "2026-01-01T00:00:00Z" }));
    const made = await mentionsOverTime([
      frame("climate", ["2024-01-05T00:00:00Z", "2024-01-06T00:00:00Z"]),
      frame('"global warming"', ["2024-03-05T00:00:00Z"]),
    ]);
    expect(valuesOf(made).map(({ group, begin, mentions: n }) => [group, begin, n])).toEqual([
      ["climate", "2024-01-01", 2],
      ["climate", "2024-02-01", 0],
      ["climate", "2024-03-01", 0],
      ['"global warming"', "2024-01-01", 0],
      ['"global warming"', "2024-02-01", 0],
      ['"global warming"', "2024-03-01", 1],
    ]);
    expect(made.svg.match(/class="mark-line/g)).toHaveLength(2);
    expect(labelsOf(made)).toEqual([
      ["Jan 2024", "Feb 2024", "Mar 2024"],
      ["0", "1", "2"],
    ]);
    await expect(mentionsOverTime([])).rejects.toThrow("Give 1 to 7 frames");
    await expect(mentionsOverTime([mentions(times)], { color: "person" })).rejects.toThrow("invalid color");
  });

  it.each<[string, Parameters<typeof provenance>[0], string[], string[]?]>([
    [
      "the first and last period of dates within periods",
      { parameters: { mindate: "2024-01-10", maxdate: "2024-03-10" } },
      ["2024-01-01", "2024-03-01"],
    ],
    ["none of whole periods", { parameters: { mindate: "2024-01-01", maxdate: "2024-03-31" } }, []],
    ["the current period", { lastResponseAt: "2024-03-20T00:00:00Z" }, ["2024-03-01"]],
    ["the first period of a capped result, newest first", CAPPED, ["2024-01-01"], DAYS.toReversed()],
    ["the last period of a capped result, oldest first", CAPPED, ["2024-03-01"], DAYS],
    [
      "all of a capped result in no order",
      CAPPED,
      ["2024-01-01", "2024-02-01", "2024-03-01"],
      [...DAYS.slice(1), DAYS[0] as string],
    ],
    ["the first period of the newest rows", step("head"), ["2024-01-01"], DAYS.toReversed()],
    ["both ends of a piece", step("slice"), ["2024-01-01", "2024-03-01"], DAYS],
  ])("mark %s as partial", async (_, changes, partial, times = DAYS) => {
    const frame = mentions(times);
    const made = await mentionsOverTime(setProvenance(frame, provenance(changes)));
    expect(valuesOf(made).flatMap((bar) => (bar.partial ? [bar.begin] : []))).toEqual(partial);
    expect(subtitleOf(made).includes("pale: a month that the search covers only in part")).toBe(partial.length > 0);
    expect(made.svg.match(/opacity="0.45"/g) ?? []).toHaveLength(partial.length);
  });

  it("are refused if they span more periods than a chart can show", async () => {
    const span = mentions(["0001-01-01T00:00:00Z", "9999-01-01T00:00:00Z"]);
    await expect(mentionsOverTime(span, { by: "month" })).rejects.toThrow("more than 10,000 periods");
  });

  it("name the query and report an incomplete result", async () => {
    const frame = setProvenance(mentions(times.slice(0, 1)), provenance({ verdict: "capped", reason: "maxItems" }));
    expect(subtitleOf(await mentionsOverTime(frame))).toBe(
      "climate · 1 mention · 2024-01-31 to 2024-01-31 · capped by maxItems\npale: a month that the search covers only in part",
    );
  });

  it("are an empty chart for an empty frame", async () => {
    const warn = vi.spyOn(console, "warn").mockImplementation(() => undefined);
    const made = await mentionsOverTime(mentions([]));
    expect(warn.mock.calls).toEqual([]);
    warn.mockRestore();
    expect(valuesOf(made)).toEqual([]);
    expect(made.svg).toContain(">0 mentions</text>");
    expect(made.svg).toContain(">no rows</text>");
    expect(labelsOf(made)).toEqual([]);
  });

  it("are rejected without timestamps", async () => {
    const soon = mentionsOverTime(toDataFrame([{ begintime: "soon" }]));
    await expect(soon).rejects.toThrow('"begintime" contains no timestamps');
  });

  it.each([
    [{ column: "begintme" }, 'Did you mean "begintime"?'],
    [{ by: "months" }, 'Did you mean "month"?'],
    [{ colour: "person" }, "Did you mean color?"],
  ])("are rejected with %j", async (options, message) => {
    await expect(mentionsOverTime(mentions(times), options as object)).rejects.toThrow(message);
  });

  it("thin bars are outlined in their own color", async () => {
    const days = Array.from({ length: 900 }, (_, day) => new Date(Date.UTC(2022, 0, 1 + day)).toISOString());
    const stroke = ({ spec }: Chart) => (spec.mark as { stroke: string }).stroke;
    expect(stroke(await mentionsOverTime(mentions(days), { by: "day" }))).toBe("#0072b2");
    expect(stroke(await mentionsOverTime(mentions(days), { by: "month" }))).toBe("white");
  });
});
