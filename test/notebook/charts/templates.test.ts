import { describe, expect, it } from "vitest";
import { pl, toDataFrame } from "../../../src/index.js";
import {
  type Chart,
  type ChartSpec,
  chart,
  estimates,
  mentionsOverTime,
  ratesOverTime,
} from "../../../src/notebook.js";
import { rates } from "../../../src/text/index.js";
import { mentions } from "../../text/frames.js";
import { provenance, setProvenance } from "../display/provenance.js";

const subtitleOf = ({ title }: ChartSpec) => (title as { subtitle: string[] }).subtitle;
/** What each mark says, for screen readers. */
const marksOf = ({ svg }: Chart) =>
  [...svg.matchAll(/aria-label="([^"]*)" role="graphics-symbol"/g)].map(([, label]) => label);

const DAYS = ["2024-01-15T00:00:00Z", "2024-02-15T00:00:00Z", "2024-03-05T00:00:00Z"];
const step = (verb: string) => ({ steps: [{ verb, text: verb, rows: [9, 3] as const }] });
const CAPPED = { verdict: "capped", reason: "maxItems" } as const;
const at = (times: Array<string | null>) =>
  toDataFrame(times.map((begintime, id) => ({ id: `m${id}`, begintime, person: id % 2 ? "B" : null })));

describe("mentions over time", () => {
  const times = ["2024-01-31T23:59:59Z", "2024-02-01T00:00:00Z", "2024-02-29T12:00:00Z", "2023-12-31T10:00:00Z", null];
  const frame = at(times);

  it("are counted by UTC period, and rows without a time are named", async () => {
    const made = await chart(frame, mentionsOverTime(frame));
    expect(marksOf(made).map((label) => /: (\w+ \d+); mentions: (\d)/.exec(label ?? "")?.slice(1))).toEqual([
      ["Jan 2024", "1"],
      ["Feb 2024", "2"],
      ["Dec 2023", "1"],
    ]);
    expect(made.svg).toContain(">Mentions by month</text>");
    expect(made.svg).toContain("1 row without begintime is not drawn");
    const years = await chart(frame, mentionsOverTime(frame, { by: "year", title: "Years", color: "person" }));
    expect(marksOf(years)).toHaveLength(3);
    expect(years.svg).toContain(">unknown</text>");
  });

  it.each<[string, Parameters<typeof provenance>[0], string[], string[]?]>([
    ["both ends within periods", { parameters: { mindate: "2024-01-10", maxdate: "2024-03-10" } }, ["Jan", "Mar"]],
    ["none of whole periods", { parameters: { mindate: "2024-01-01", maxdate: "2024-03-31" } }, []],
    ["the current period", { lastResponseAt: "2024-03-20T00:00:00Z" }, ["Mar"]],
    ["the first period of a capped result, newest first", CAPPED, ["Jan"], DAYS.toReversed()],
    ["the last period of a capped result, oldest first", CAPPED, ["Mar"], DAYS],
    ["all of a capped result in no order", CAPPED, ["Feb", "Mar", "Jan"], [...DAYS.slice(1), DAYS[0] as string]],
    ["both ends of a piece", step("slice"), ["Jan", "Mar"], DAYS],
  ])("draw pale %s", async (_, changes, pale, days = DAYS) => {
    const part = setProvenance(at(days), provenance(changes));
    const spec = mentionsOverTime(part);
    const { svg } = await chart(part, spec);
    const marks = [...svg.matchAll(/: (\w+) \d+; mentions: 1"[^>]* opacity="0.45"/g)].map(([, month]) => month);
    expect(marks).toEqual(pale);
    expect(subtitleOf(spec).includes("pale: a month that the search covers only in part")).toBe(pale.length > 0);
    expect(subtitleOf(spec).includes("capped by maxItems")).toBe(changes === CAPPED);
  });

  it("begin and end with the days that the search asked for", () => {
    const parameters = { query: "climate", mindate: "2023-11-01", maxdate: "2024-06-30" };
    const spec = mentionsOverTime(setProvenance(at(DAYS), provenance({ parameters })));
    const domain = ["2023-11-01", "2024-07-01"].map(Date.parse);
    expect(spec).toMatchObject({ title: { subtitle: ["climate"] }, encoding: { x: { scale: { domain } } } });
  });

  it.each([
    [{ column: "begintme" }, 'Did you mean "begintime"?'],
    [{ column: "person" }, '"person" holds no times'],
    [{ color: "persn" }, 'Did you mean "person"?'],
  ])("are rejected with %j", (options, message) => {
    expect(() => mentionsOverTime(frame, options as object)).toThrow(message);
  });
});

it("rates over time are a line with its interval for each group, with gaps where nobody spoke", async () => {
  const frame = mentions([
    { text: "tax tax tea", begintime: "2024-01-15T00:00:00Z", person: "A", programid: 1 },
    { text: "tea", begintime: "2024-03-15T00:00:00Z", person: "B", programid: 1 },
    { text: "tax", begintime: "2024-03-16T00:00:00Z", person: "A", programid: 2 },
  ]);
  const byPerson = await rates(frame, "tax", { by: ["month", "person"], cluster: "person" });
  const made = await chart(byPerson, ratesOverTime(byPerson, { unit: "per 10,000 words" }));
  // Behind an area and a line for each person.
  const points = marksOf(made).slice(4);
  expect(points.map((label) => /(\w+ \d+); .*person: (\w)/.exec(label ?? "")?.slice(1))).toEqual([
    ["Jan 2024", "A"],
    ["Mar 2024", "A"],
    ["Mar 2024", "B"],
  ]);
  expect(made.svg).toContain(">per 10,000 words</text>");
  const options = { per: "mention", baseline: "own rows", cluster: "person" } as const;
  const two = await rates(frame, ["tax", "tea"], { ...options, by: ["year", "person"] });
  const { svg } = await chart(two, ratesOverTime(two, { unit: "share of passages" }));
  expect(svg).toContain(">A · tax</text>");
  expect(svg).toContain(">100%</text>");
});

it("estimates are a dot and an interval for each row, named by what differs", async () => {
  const table = toDataFrame([
    { party: "Democrat", pattern: "tax", count: 4, rate: 13.3456, low: 10, high: 17 },
    { party: "Republican", pattern: "tax", count: 2, rate: 5, low: 4, high: 6 },
  ]);
  const { svg } = await chart(table, estimates(table, { unit: "per 10,000 words" }));
  expect(svg.match(/>(?:Democrat|Republican)<\/text>/g)).toHaveLength(2);
  for (const color of ["#0072b2", "#c4302b"]) expect(svg).toContain(color);
  expect(svg).toContain(">per 10,000 words</text>");
  const both = table.withColumns(pl.Series("pattern", ["tax", null]));
  expect((await chart(both, estimates(both))).svg).toContain(">Republican · unknown</text>");
  const difference = toDataFrame([{ pattern: "tax", difference: -0.2, low: -0.4, high: 0.1 }]);
  expect((await chart(difference, estimates(difference))).svg).toContain(">tax</text>");
});

it("templates refuse frames that are not what they draw", () => {
  const low = toDataFrame([{ low: 1, high: 2, rate: 1, count: 1 }]);
  expect(() => ratesOverTime(low)).toThrow("invalid frame: it has no period.");
  expect(() => ratesOverTime(low.drop("rate"))).toThrow("missing columns rate");
  expect(() => estimates(low.drop("low"))).toThrow("missing columns low");
  expect(() => estimates(low.drop("rate"))).toThrow("it has no estimates");
});
