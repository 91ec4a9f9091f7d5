import { readFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { pl, toDataFrame } from "../../../src/index.js";
import { safeLoader } from "../../../src/notebook/charts/vega.js";
import { displayBundle } from "../../../src/notebook/display/displayBundle.js";
import { chart } from "../../../src/notebook/index.js";
import { CHROMIUM, domOf, newPage } from "../display/chromium.js";
import { PAYLOADS } from "../display/payloads.js";
import { type ChartSpec, valuesOf } from "./chartParts.js";

const rows = [
  { id: 1, begintime: "2024-04-30T23:30:00Z", person: "Ann", n: 0.5 },
  { id: 2, begintime: "2024-05-01T00:30:00Z", person: "Bob", n: 2 },
  { id: 3, begintime: null, person: null, n: null },
];
const frame = toDataFrame(rows, { operation: "mentions" });
const bars: ChartSpec = { title: "Said", mark: "bar", encoding: { x: { field: "person" }, y: { aggregate: "count" } } };

const spies = ["log", "warn", "error", "info"] as const;
beforeEach(() => {
  for (const name of spies) vi.spyOn(console, name).mockImplementation(() => undefined);
});
afterEach(() => {
  const said = spies.flatMap((name) => vi.mocked(console[name]).mock.calls);
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  expect(said).toEqual([]);
});

describe("a chart", () => {
  it("is an image for every viewer, plus a specification for viewers that support it", async () => {
    const made = await chart(frame, bars);
    const bundle = displayBundle(made);
    expect(Object.keys(bundle ?? {})).toEqual([
      "text/plain",
      // Not image/svg+xml, nor HTML or Markdown: nbconvert 6.5 would prefer these to the PNG, and strip SVG to its text.
      "application/vnd.archive-frames.svg+xml",
      "image/png",
      "application/vnd.vegalite.v5+json",
    ]);
    expect(bundle?.["text/plain"]).toMatch(/^Chart: Said · bar · 3 rows\n/);
    expect(bundle?.["application/vnd.archive-frames.svg+xml"]).toBe(made.svg);
    expect(bundle?.["application/vnd.vegalite.v5+json"]).toEqual(made.spec);
    expect(made.svg).toMatch(/^<svg [^>]*xmlns="http:\/\/www\.w3\.org\/2000\/svg".*<\/svg>$/s);
    expect(made.svg).toContain('fill="white"');
    expect(made.svg).toContain(">Said</text>");
    expect(made.svg).toContain(">Ann</text>");
  });

  it("contains the named columns, timestamps as ISO 8601, NaN and infinity as null", async () => {
    const spec = { mark: "point", encoding: { x: { field: "begintime", type: "temporal" }, y: { field: "n" } } };
    const odd = frame.withColumns(pl.Series("n", [0.5, Number.NaN, Number.POSITIVE_INFINITY]));
    expect(valuesOf(await chart(odd, spec))).toEqual([
      { begintime: "2024-04-30T23:30:00Z", n: 0.5 },
      { begintime: "2024-05-01T00:30:00Z", n: null },
      { begintime: null, n: null },
    ]);
    const ids = { mark: "bar", encoding: { x: { field: "id" } } };
    const long = toDataFrame([{ id: 9007199254740993n }, { id: 5 }, { id: null }]);
    expect(valuesOf(await chart(long, ids))).toEqual([{ id: "9007199254740993" }, { id: "5" }, { id: null }]);
    expect(valuesOf(await chart(toDataFrame([{ id: 5 }]), ids))).toEqual([{ id: 5 }]);
    expect(valuesOf(await chart(frame, { mark: "bar", encoding: { y: { aggregate: "count" } } }))).toHaveLength(3);
    const tags = toDataFrame([{ tags: ["a", "b"] }]);
    const flat = { transform: [{ flatten: ["tags"] }], mark: "bar", encoding: { x: { field: "tags" } } };
    expect(valuesOf(await chart(tags, flat))).toEqual([{ tags: ["a", "b"] }]);
  });

  it("leaves the specification unchanged and is byte-for-byte reproducible", async () => {
    const spec = Object.freeze({ ...bars, config: Object.freeze({ axis: Object.freeze({ labelAngle: 30 }) }) });
    const before = JSON.stringify(spec);
    const first = await chart(frame, spec);
    await chart(frame, {
      mark: "area",
      encoding: { x: { field: "n" }, y: { field: "id" }, color: { field: "person" } },
    });
    expect((await chart(frame, spec)).svg).toBe(first.svg);
    expect(JSON.stringify(spec)).toBe(before);
    expect(first.spec.config).toMatchObject({ axis: { labelAngle: 30, gridColor: "#e4e4e4" } });
  });

  it("shows times in UTC by default, whatever the time zone", async () => {
    const months = {
      mark: "bar",
      encoding: { x: { field: "begintime", timeUnit: "yearmonth" }, y: { aggregate: "count" } },
    };
    const points = { mark: "point", encoding: { x: { field: "begintime", type: "temporal" }, y: { field: "n" } } };
    const local = { mark: "bar", encoding: { x: { field: "begintime", timeUnit: { unit: "yearmonth", utc: false } } } };
    const drawn: string[][] = [];
    for (const zone of ["America/Los_Angeles", "Asia/Tokyo"]) {
      vi.stubEnv("TZ", zone);
      drawn.push(await Promise.all([months, points, local].map(async (spec) => (await chart(frame, spec)).svg)));
    }
    expect(drawn[0]?.slice(0, 2)).toEqual(drawn[1]?.slice(0, 2));
    expect(drawn[0]?.[2]).not.toBe(drawn[1]?.[2]);
  });
});

it.each(["by.name", "tags[0]", "O'Rourke", 'say "hi"'])("a column may be called %s", async (name) => {
  const frame = toDataFrame([{ n: 1 }]).withColumns(pl.lit("Ann").alias(name), pl.lit(2).alias(`${name}.2`));
  const x = { field: name, type: "nominal" };
  for (const [y, title] of [
    [{ aggregate: "mean", field: `${name}.2` }, `Mean of ${name}.2`],
    [{ field: `${name}.2`, bin: true, type: "quantitative" }, `${name}.2 (binned)`],
  ]) {
    const { svg } = await chart(frame, { mark: "bar", encoding: { x, y } });
    expect(svg).toMatch(/>Ann<\/text>/);
    expect(svg).toContain(`>${name}</text>`);
    expect(svg).toContain(`>${title}</text>`);
  }
});

describe("a chart is rejected", () => {
  const lookup = { lookup: "id", from: { data: { url: "x.csv" }, key: "id", fields: ["a"] } };
  const long = toDataFrame(Array.from({ length: 50_001 }, (_, n) => ({ n })));
  const named = pl.DataFrame([pl.Series("constructor", [1, 2], pl.Float64), pl.Series("a\\b", [1, 2], pl.Float64)]);
  const numbers = { mark: "bar", encoding: { x: { field: "n" } } };
  const percent = { x: { field: "n", axis: { format: "%q %b" } } };

  it.each<[why: string, spec: unknown, message: string, of?: unknown]>([
    ["loads data", { ...bars, data: { url: "https://evil.example/x.json" } }, "Leave data out"],
    ["loads data", { layer: [{ data: { url: "file:///etc/passwd" }, mark: "bar" }] }, "data from a URL"],
    ["loads data", { ...bars, transform: [lookup] }, "data from a URL"],
    ["loads images", { mark: "image", encoding: { url: { field: "person" } } }, "it has images"],
    ["loads images", { layer: [{ mark: { type: "image", url: "https://evil.example/x.png" } }] }, "it has images"],
    ["has options of the viewer", { ...bars, usermeta: { embedOptions: {} } }, "it has usermeta"],
    ["names an unknown column", { mark: "bar", encoding: { x: { field: "persn" } } }, 'Did you mean "person"?'],
    ["is no specification", undefined, "Give a Vega-Lite specification"],
    ["is no specification", [], "Give a Vega-Lite specification"],
    ["is of no frame", bars, "Give a frame", [{ a: 1 }]],
    ["is of no frame", bars, "it is a promise. Put await before it.", Promise.resolve(frame)],
    ["makes vega log an error", { ...bars, encoding: percent }, "vega reports"],
    ["makes vega log an error", { mark: "bars", encoding: bars.encoding }, "vega reports"],
    ["has a name of JavaScript", { mark: "bar", x: "constructor", y: "count()" }, "rename the column first", named],
    ["has a name of JavaScript", { mark: "bar", x: "mean(__proto__)" }, "rename the column first", named],
    ["has a name with a backslash", { mark: "bar", x: "a\\b" }, "rename the column first", named],
    ["has too many rows", numbers, "invalid frame: 50,001 rows. Give at most 50,000: group and count first", long],
  ])("if it %s: %j", async (_why, spec, message, of = frame) => {
    await expect(chart(of as typeof frame, spec as ChartSpec)).rejects.toMatchObject({
      name: "ValidationError",
      message: expect.stringContaining(message),
    });
  });

  it("but may name a column that it computes", async () => {
    const transform = [{ calculate: "datum.n * 2", as: "m" }];
    await chart(frame, { transform, mark: "bar", encoding: { x: { field: "m" } } });
  });
});

it("a vega warning reaches the author of the specification", async () => {
  await chart(frame, { mark: "bar", encoding: { x: { field: "n" }, shape: { field: "person" } } });
  const warn = vi.mocked(console.warn);
  expect(warn.mock.calls.flat().join(" ")).toMatch(/^chart: .*shape/);
  warn.mockClear();
});

describe("hostile text in a chart", () => {
  const text = toDataFrame(PAYLOADS.map((payload, n) => ({ payload, n })));
  const spec = {
    title: { text: PAYLOADS, subtitle: PAYLOADS },
    mark: "bar",
    encoding: {
      x: { field: "n", type: "quantitative" },
      y: { field: "payload", title: PAYLOADS.join(" ") },
      color: { field: "payload", legend: { symbolLimit: 99 } },
      href: { field: "payload" },
      tooltip: { field: "payload" },
      description: { field: "payload" },
    },
  };

  it.skipIf(CHROMIUM === undefined)("creates only drawing elements in the page", async () => {
    const { svg } = await chart(text, spec);
    const dom = await domOf(await newPage(), [svg]);
    expect(dom.hacked).toBe(false);
    expect(dom.astray).toEqual([]);
    const tags = new Set(dom.pieces[0]?.map(({ tag }) => tag));
    expect([...tags].sort()).toEqual(["a", "g", "line", "path", "rect", "svg", "text", "tspan"]);
    const attributes = dom.pieces[0]?.flatMap((element) => Object.keys(element.attributes));
    expect(attributes?.filter((name) => name.startsWith("on"))).toEqual([]);
    expect(dom.texts[0]).toContain("<script>window.hacked=1</script>");
  });

  it("is well-formed XML, without illegal characters", async () => {
    const { svg, description } = await chart(text, spec);
    expect(svg).not.toMatch(/(?![\n\t])[\p{Cc}\p{Cs}\u202a-\u202e\u2066-\u2069]/u);
    expect(description).not.toMatch(/\p{Cc}/u);
  });

  it("links only to http, https and mailto", async () => {
    const links = (
      "https://a.example/?x=1&y=2¦http://b.example¦mailto:a@b.example¦javascript:alert(1)¦ JavaScript:alert(1)¦" +
      "data:text/html,x¦file:///etc/passwd¦//c.example¦d.html¦vbscript:x"
    ).split("¦");
    const frameOfLinks = toDataFrame(links.map((link, n) => ({ link, n })));
    const { svg } = await chart(frameOfLinks, {
      mark: "point",
      encoding: { x: { field: "n" }, href: { field: "link" } },
    });
    expect([...svg.matchAll(/<a\b([^>]*)>/g)].map(([, attributes]) => attributes?.trim())).toEqual([
      'xlink:href="https://a.example/?x=1&amp;y=2"',
      'xlink:href="http://b.example"',
      'xlink:href="mailto:a@b.example"',
      ...new Array(7).fill(""),
    ]);
  });

  it("loads nothing", async () => {
    for (const way of [safeLoader.load, safeLoader.http, safeLoader.file])
      await expect(way()).rejects.toThrow("charts load nothing");
    expect(await safeLoader.sanitize("https://a.example/x.png", { context: "image" })).toEqual({});
  });
});

it("package.json allows no vega whose expressions can run arbitrary code (CVE-2025-59840, mended in 6.2.0)", () => {
  const { dependencies } = JSON.parse(readFileSync("package.json", "utf8"));
  const [, major, minor] = /^\^(\d+)\.(\d+)/.exec(dependencies.vega) ?? [];
  expect(Number(major) * 100 + Number(minor)).toBeGreaterThanOrEqual(602);
});
