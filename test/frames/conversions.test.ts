import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { pl, saveFrame, toCsv, toDataFrame, toJsonl, ValidationError } from "../../src/index.js";
import { served } from "../client/clientTo.js";
import { temporaryFolder } from "../files/temporary.js";
import { runs } from "../scale.js";
import { startScriptedServer } from "../service/scriptedServer.js";

const folder = temporaryFolder();

/** Timestamps in microseconds: before and after 1970, whole and fractional. */
const MOMENTS = [
  -1, 0, 1, -1_500_000, -1_000_001, 1_714_185_335_123_456, 1_714_185_335_000_000, -62_135_596_800_000_000,
];
const moment = fc.oneof(fc.constantFrom(...MOMENTS), fc.integer({ min: -6e16, max: 2.5e17 }), fc.constant(null));
const float = fc.oneof(
  fc.constantFrom(1, 1.5, -0.25, 1e-7, 1e21, 0.1, 12345.678, null),
  fc.integer({ min: -1e6, max: 1e6 }).map((n) => n / 64),
);
const text = fc.oneof(
  fc.constantFrom("", null, "a,b", " x ", 'say "hi"', "two\nlines", "é", "=1", "\r", "null", "#"),
  fc.string({ unit: "grapheme" }),
);
const whole = fc.option(fc.integer({ min: -1e9, max: 1e9 }));

/** `2024-04-27T02:35:35.123456Z`, computed from microseconds with whole numbers only. */
function isoText(microseconds: number | null): string | null {
  if (microseconds === null) return null;
  const fraction = ((microseconds % 1e6) + 1e6) % 1e6;
  const seconds = new Date((microseconds - fraction) / 1000).toISOString().slice(0, 19);
  const digits = String(fraction).padStart(6, "0");
  if (fraction === 0) return `${seconds}Z`;
  return `${seconds}.${digits.endsWith("000") ? digits.slice(0, 3) : digits}Z`;
}

/** A float as a float: `1.0`, not `1`. */
const floatText = (value: number | null) =>
  value !== null && Number.isInteger(value) && Math.abs(value) < 1e15
    ? `${value}.0`
    : value === null
      ? null
      : String(value);

interface Sample {
  readonly at: number | null;
  readonly score: number | null;
  readonly text: string | null;
  readonly n: number | null;
}

function csvOf(rows: readonly Sample[]): string {
  const field = (value: string | null) =>
    value === null ? "" : value === "" || /[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
  const lines = rows.map(({ at, score, text: t, n }) => {
    const list = `[${floatText(score) ?? "null"}]`;
    const struct = `{"t":${JSON.stringify(t)}}`;
    return [isoText(at), floatText(score), t, n === null ? null : String(n), list, struct].map(field).join(",");
  });
  return ["at,score,text,n,list,struct", ...lines, ""].join("\r\n");
}

function jsonlOf(rows: readonly Sample[]): string {
  return rows
    .map(({ at, score, text: t, n }) => {
      const value = floatText(score) ?? "null";
      const iso = JSON.stringify(isoText(at));
      const words = JSON.stringify(t);
      return `{"at":${iso},"score":${value},"text":${words},"n":${n},"list":[${value}],"struct":{"t":${words}}}\n`;
    })
    .join("");
}

const SCHEMA = { at: pl.Int64, score: pl.Float64, text: pl.Utf8, n: pl.Int64 };
const frameOf = (rows: readonly Sample[]) =>
  pl
    .DataFrame(
      Object.fromEntries(Object.keys(SCHEMA).map((name) => [name, rows.map((row) => row[name as keyof Sample])])),
      { schema: SCHEMA },
    )
    .withColumns(pl.col("at").cast(pl.Datetime("us", "UTC")))
    .withColumns(
      pl.concatList([pl.col("score")]).alias("list"),
      pl.struct([pl.col("text").alias("t")]).alias("struct"),
    );

describe("a value has one text", () => {
  it("in toCsv, toJsonl and saveFrame, whatever the frame", async () => {
    const rows = fc.array(fc.record({ at: moment, score: float, text, n: whole }), { minLength: 1, maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(rows, async (samples) => {
        const frame = frameOf(samples);
        const [csv, jsonl] = [csvOf(samples), jsonlOf(samples)];
        expect(toCsv(frame)).toBe(csv);
        expect(toJsonl(frame)).toBe(jsonl);
        expect(readFileSync(await saveFrame(frame, join(folder, "a.csv")), "utf8")).toBe(csv);
        expect(readFileSync(await saveFrame(frame, join(folder, "a.jsonl")), "utf8")).toBe(jsonl);
      }),
      { numRuns: runs(6, 48), seed: 5 },
    );
  });

  it("in what a search saves and what its frame becomes", async () => {
    const texts = ["", "a, b", 'the "Act"', "two\nlines", " é "];
    const mentions = MOMENTS.map((at, n) => ({
      begintime: isoText(at),
      id: String(n),
      text: texts[n % texts.length],
      length: n === 3 ? null : n,
      score: n / 2,
    }));
    const { archive } = await served(
      startScriptedServer((_request, index) => ({
        body: index % 2 === 0 ? { cursor: "c", mentions } : { cursor: "c" },
      })),
    );
    const frame = await archive.mentions("x", { maxItems: 100 });
    expect(frame.getColumn("begintime").dtype.variant).toBe("Datetime");
    const saved = async (name: string) =>
      readFileSync(await archive.save("mentions", join(folder, name), { query: "x" }), "utf8");
    expect(toCsv(frame)).toBe(await saved("a.csv"));
    expect(readFileSync(await saveFrame(frame, join(folder, "b.csv")), "utf8")).toBe(toCsv(frame));
    for (const line of [await saved("a.jsonl"), toJsonl(frame)].map((all) => all.trim().split("\n"))) {
      expect(line.map((row) => JSON.parse(row))).toMatchObject(mentions);
    }
  });

  it("in rows with dates, nested ones too", () => {
    const rows = [{ at: new Date(-1500), by: { at: new Date(0) } }];
    expect(toCsv(rows)).toBe('at,by\r\n1969-12-31T23:59:58.500Z,"{""at"":""1970-01-01T00:00:00Z""}"\r\n');
    expect(toJsonl(rows)).toBe('{"at":"1969-12-31T23:59:58.500Z","by":{"at":"1970-01-01T00:00:00Z"}}\n');
    const frame = toDataFrame(rows);
    expect(toJsonl(frame)).toBe('{"at":"1969-12-31T23:59:58.500Z","by":"{\\"at\\":\\"1970-01-01T00:00:00Z\\"}"}\n');
  });
});

describe("values that no frame and no file keeps", () => {
  it.each<[string, unknown, string]>([
    ["a URL", [{ link: new URL("https://example.org") }], "URL"],
    ["a Map", [{ id: 1 }, { id: 2, by: { ids: new Map([[1, 2]]) } }], "Map"],
    ["a Set", [{ tags: ["a", new Set()] }], "Set"],
    ["a RegExp", [{ "a b": /x/ }], "RegExp"],
    ["a function", [{ f: () => 1 }], "function"],
    ["a symbol", [{ s: Symbol("x") }], "symbol"],
    ["bytes", [{ b: Buffer.from("x") }], "Uint8Array"],
    ["a Promise", [{ p: Promise.resolve(1) }], "Promise"],
    ["an item of a list", ["a", new Map()], "Map"],
  ])("%s is refused", (_what, rows, type) => {
    for (const convert of [toDataFrame, toCsv, toJsonl]) {
      expect(() => convert(rows)).toThrow(ValidationError);
      expect(() => convert(rows)).toThrow(new RegExp(`invalid data: .* is of type ${type}`));
    }
  });
});
