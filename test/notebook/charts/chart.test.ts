import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { perPeriod, pl, provenanceOf, toDataFrame } from "../../../src/index.js";
import { safeLoader } from "../../../src/notebook/charts/vega.js";
import { type Chart, type ChartSpec, chart } from "../../../src/notebook.js";
import { displayBundle } from "../bundles.js";
import { PAYLOADS } from "../display/payloads.js";
import { provenance, setProvenance } from "../display/provenance.js";

const rows = [
  { id: 1, begintime: "2024-04-30T23:30:00Z", party: "Republican", n: 0.5, year: 2024 },
  { id: 2, begintime: "2024-05-01T00:30:00Z", party: "Democrat", n: 2, year: 2021 },
  { id: 3, begintime: null, party: null, n: null, year: 2021 },
];
const frame = toDataFrame(rows, { operation: "mentions" });
const bars: ChartSpec = { title: "Said", mark: "bar", x: "party", y: "count()" };
const valuesOf = ({ spec }: Chart) => (spec.data as { values: Array<Record<string, unknown>> }).values;
const labelsOf = ({ svg }: Chart) =>
  [...svg.matchAll(/<g class="mark-text role-axis-label".*?<\/g>/gs)].map(([group]) =>
    [...group.matchAll(/<text[^>]*>([^<]*)<\/text>/g)].map(([, label]) => label),
  );

beforeEach(() => void vi.spyOn(console, "warn").mockImplementation(() => undefined));
afterEach(() => {
  const warnings = vi.mocked(console.warn).mock.calls;
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  expect(warnings).toEqual([]);
});

describe("a chart", () => {
  it("is a picture in a cell and its data in a console, with its source", async () => {
    const made = await chart(setProvenance(frame.select("party", "n"), provenance()), bars);
    const bundle = displayBundle(made) ?? {};
    expect(Object.keys(bundle)).toEqual(["text/plain", "text/html"]);
    expect(bundle["text/plain"]).toMatch(
      /^Chart: Said · bar · 3 rows\n3 rows × 1 of 2 columns\nparty\nstr\nRepublican\n/,
    );
    const picture = `src="data:image/svg+xml;base64,${Buffer.from(made.svg).toString("base64")}" alt="Said · bar · 3 rows"`;
    expect(bundle["text/html"]).toContain(`<img ${picture}><div class="af-note">`);
    expect(made.svg).toMatch(/^<svg [^>]*xmlns="http:\/\/www\.w3\.org\/2000\/svg".*>Said<\/text>.*<\/svg>$/s);
    expect(provenanceOf(made)?.steps?.at(-1)?.verb).toBe("chart");
  });

  it("keeps the order of the frame, names groups without a name, and gives parties their colors", async () => {
    const made = await chart(frame, { ...bars, color: "party" });
    expect(labelsOf(made)[0]).toEqual(["Republican", "Democrat", "unknown"]);
    for (const color of ["#c4302b", "#0072b2", "#9a9a9a"]) expect(made.svg).toContain(`fill="${color}"`);
    const scale = { domain: ["Republican", "Democrat", "unknown"], range: ["red", "blue", "black"] };
    expect((await chart(frame, { ...bars, color: { field: "party", scale } })).svg).not.toContain("#c4302b");
  });

  it("draws columns by their dtypes: years and periods are no numbers", async () => {
    const { spec } = await chart(frame, { mark: "point", x: "begintime", y: "n", color: "party", row: "year" });
    const types = Object.values(spec.encoding as object).map(({ type }) => type);
    expect(types).toEqual(["temporal", "quantitative", "nominal", "ordinal"]);
    expect(labelsOf(await chart(frame, { mark: "bar", x: "year", y: "count()" }))[0]).toEqual(["2021", "2024"]);
    const months = frame.filter(pl.col("n").isNotNull()).withColumns(perPeriod("begintime", "month"));
    const made = await chart(months, { mark: "bar", x: "month", y: "n" });
    expect(made.svg.match(/aria-label="month: (?:Apr|May) 2024; n: [\d.]+"/g)).toHaveLength(2);
    expect(made.svg).toContain(">month</text>");
  });

  it("contains the named columns, timestamps as ISO 8601, NaN and infinity as null", async () => {
    const odd = frame.withColumns(pl.Series("n", [0.5, Number.NaN, Number.POSITIVE_INFINITY]));
    const made = await chart(odd, { mark: "point", x: "begintime", y: "n" });
    const times = ["2024-04-30T23:30:00.000Z", "2024-05-01T00:30:00.000Z", null];
    expect(valuesOf(made)).toEqual(times.map((begintime, at) => ({ begintime, n: [0.5, null, null][at] })));
    expect(made.svg).toContain(">1 row without begintime is not drawn</tspan>");
    expect(made.svg).toContain(">2 rows without n are not drawn</tspan>");
    const long = await chart(toDataFrame([{ id: 9007199254740993n }, { id: 5 }]), { mark: "bar", x: "id:Q" });
    expect(valuesOf(long)).toEqual([{ id: "9007199254740993" }, { id: "5" }]);
  });

  it("leaves the specification unchanged and is byte-for-byte reproducible", async () => {
    const spec = Object.freeze({ ...bars, config: Object.freeze({ axis: Object.freeze({ labelAngle: 30 }) }) });
    const first = await chart(frame, spec);
    await chart(frame, { mark: "area", x: "n", y: "id", color: "party" });
    expect((await chart(frame, spec)).svg).toBe(first.svg);
    for (const text of ['stroke="#e4e4e4"', "rotate(30)"]) expect(first.svg).toContain(text);
  });

  it("shows times in UTC by default, whatever the time zone, also those of text", async () => {
    const zoned = frame.withColumns(pl.col("begintime").cast(pl.Datetime("us", "Asia/Tokyo")).alias("zoned"));
    const texts = ["2024-01-31T23:59:00", "2024-01-31 00:30:00", "2024-01-31"];
    const all = zoned.withColumns(pl.Series("texttime", texts));
    const drawn = async (TZ: string, spec: ChartSpec) => {
      vi.stubEnv("TZ", TZ);
      return (await chart(all, spec)).svg;
    };
    for (const [spec, isUtc, label] of [
      [{ mark: "bar", x: "yearmonth(begintime)", y: "count()" }, true, "Apr 2024"],
      [{ mark: "point", x: "zoned", y: "n", tooltip: "begintime" }, true, "zoned"],
      [{ mark: "bar", x: "yearmonthdate(texttime):O", y: "count()" }, true, "Jan 31, 2024; Count of Records: 3"],
      [{ mark: "bar", x: { field: "begintime", timeUnit: { unit: "yearmonth", utc: false } } }, false, "2024"],
    ] as const) {
      const svg = await drawn("America/Los_Angeles", spec);
      expect(svg).toContain(label);
      expect(svg === (await drawn("Asia/Tokyo", spec))).toBe(isUtc);
    }
  });

  it("is what Vega-Lite draws of the written encodings, in layers and lists, too", async () => {
    const encoding = { x: { field: "party", type: "nominal", sort: null }, y: { aggregate: "count" } };
    const { svg } = await chart(frame, { title: "Said", mark: "bar", encoding });
    expect((await chart(frame, bars)).svg).toBe(svg);
    expect((await chart(frame, { title: "Said", mark: "bar", encoding: { x: "party" }, y: "count()" })).svg).toBe(svg);
    const mean = await chart(frame, { layer: [{ mark: "bar", x: "party", y: "mean(n)", tooltip: ["party", "n:Q"] }] });
    expect(mean.svg).toContain(">Mean of n</text>");
    const events = { values: [{ date: "2024-04-15", label: "A law" }] };
    const rule = { data: events, mark: "rule", encoding: { x: { field: "date", type: "temporal" } } };
    const marked = await chart(frame, { layer: [{ mark: "bar", x: "yearmonth(begintime)", y: "count()" }, rule] });
    expect(marked.svg.match(/class="mark-rule role-mark.*?<line/s)).not.toBeNull();
    const faceted = await chart(frame, { facet: { field: "party" }, spec: { mark: "bar", x: "year", y: "count()" } });
    expect(faceted.svg).toContain(">Democrat</text>");
  });

  it("without rows says so, and why", async () => {
    const { svg } = await chart(setProvenance(frame.head(0), provenance({ rows: 0 })), bars);
    expect(svg).toMatch(/>no rows<.*>mentions (?:"climate" )?· 0 rows/s);
    expect(svg).toContain(">Said</text>");
    expect(svg).not.toContain("role-axis");
  });
});

describe("a chart is rejected", () => {
  const lookup = { lookup: "id", from: { data: { url: "x.csv" }, key: "id", fields: ["a"] } };
  const numbers = (length: number) => pl.DataFrame({ n: Array.from({ length }, (_, n) => n) });
  const named = pl.DataFrame([pl.Series("constructor", [1, 2], pl.Float64), pl.Series("a.b", [1, 2], pl.Float64)]);
  const percent = { field: "n", type: "quantitative", axis: { format: "%q %b" } };

  it.each<[why: string, spec: unknown, message: string, of?: unknown]>([
    ["has data", { ...bars, data: { url: "https://evil.example/x.json" } }, "Leave data out"],
    ["loads data", { layer: [{ data: { url: "file:///etc/passwd" }, mark: "bar" }] }, "charts load nothing"],
    ["loads data", { ...bars, transform: [lookup] }, "charts load nothing"],
    ["loads images", { mark: "image", encoding: { url: { field: "party" } } }, "it has images"],
    ["names an unknown column", { mark: "bar", x: "partty" }, 'Did you mean "party"?'],
    ["misspells a computed one", { transform: [{ calculate: "1", as: "one" }], mark: "bar", x: "on" }, "one"],
    ["has an empty channel", { mark: "bar", x: ":Q" }, "invalid x: "],
    ["has no mark", { x: "party" }, 'Give one, for example mark: "bar"'],
    ["is no specification", undefined, "Give a Vega-Lite specification"],
    ["draws no times as time", { mark: "bar", x: "yearmonth(party)" }, '"party" holds no times'],
    ["makes vega log an error", { ...bars, x: percent }, "vega reports"],
    ["has a name of JavaScript", { mark: "bar", x: "constructor" }, "rename the column first", named],
    ["has a name that is a path", { mark: "bar", x: "a.b" }, "rename the column first", named],
    ["has too many rows", { mark: "bar", x: "n" }, "500,001 rows. Give at most 500,000", numbers(500_001)],
    ["has too many marks", { mark: "point", x: "n", y: "n" }, "Draw fewer marks", numbers(30_000)],
  ])("if it %s: %j", async (_why, spec, message, of = frame) => {
    await expect(chart(of as typeof frame, spec as ChartSpec)).rejects.toMatchObject({
      name: "ValidationError",
      message: expect.stringContaining(message),
    });
  });

  it("but may name columns that it computes", async () => {
    await chart(frame, { transform: [{ calculate: "datum.n * 2", as: "m" }], mark: "bar", x: "m:Q" });
    await chart(frame, { transform: [{ fold: ["n", "id"] }], mark: "bar", x: "key:N", y: "value:Q" });
  });
});

it("a vega warning reaches the author of the specification", async () => {
  await chart(frame, { mark: "bar", x: "n", shape: "party" });
  expect(vi.mocked(console.warn).mock.calls.splice(0).flat().join(" ")).toMatch(/^chart: .*shape/);
});

describe("hostile text in a chart", () => {
  const text = toDataFrame(PAYLOADS.map((payload, n) => ({ payload, n })));
  const spec = {
    title: { text: PAYLOADS, subtitle: PAYLOADS },
    mark: "bar",
    x: "n",
    y: { field: "payload", title: PAYLOADS.join(" ") },
    color: { field: "payload", legend: { symbolLimit: 99 } },
    href: "payload",
    tooltip: "payload",
    encoding: { description: { field: "payload" } },
  };

  it("is well-formed XML, without illegal characters", async () => {
    const { svg, description } = await chart(text, spec);
    expect(svg).not.toMatch(/(?![\n\t])[\p{Cc}\p{Cs}\u202a-\u202e\u2066-\u2069]/u);
    expect(description).not.toMatch(/\p{Cc}/u);
    const tags = new Set([...svg.matchAll(/<(\w+)/g)].map(([, tag]) => tag));
    expect([...tags].sort()).toEqual(["a", "g", "line", "path", "rect", "svg", "text", "tspan"]);
    expect(svg.replace(/"[^"]*"/g, "")).not.toMatch(/<[^>]* on\w+=/);
  });

  it("links only to http, https and mailto, and loads nothing", async () => {
    const links = (
      "https://a.example/?x=1&y=2¦http://b.example¦mailto:a@b.example¦javascript:alert(1)¦ JavaScript:alert(1)¦" +
      "data:text/html,x¦file:///etc/passwd¦//c.example¦d.html¦vbscript:x"
    ).split("¦");
    const linked = toDataFrame(links.map((link, n) => ({ link, n })));
    const { svg } = await chart(linked, { mark: "point", x: "n", href: "link" });
    const targets = [...svg.matchAll(/<a\b([^>]*)>/g)].map(([, attributes]) => /"(.*)"/.exec(attributes ?? "")?.[1]);
    expect(targets.slice(0, 3)).toEqual(["https://a.example/?x=1&amp;y=2", "http://b.example", "mailto:a@b.example"]);
    expect(targets.slice(3)).toEqual(new Array(7).fill(undefined));
    expect(await safeLoader.sanitize("https://a.example/x.png", { context: "image" })).toEqual({});
  });
});
