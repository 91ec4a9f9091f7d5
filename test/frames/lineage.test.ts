import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import {
  concat,
  type LazyFrame,
  openArchive,
  type PolarsFrame,
  type Provenance,
  pl,
  provenanceOf,
  type Step,
  toDataFrame,
  toRecords,
} from "../../src/index.js";
import { runProcess } from "../runProcess.js";
import { runs } from "../scale.js";
import { allOf } from "../scan/pagedServer.js";

const queries = ["climate", "budget", "energy"];
const archive = await openArchive({ announce: false });
afterAll(() => archive.close());
const frames = await Promise.all(queries.map((query) => archive.mentions(query, { maxItems: 30, limit: 15 })));

/** What is expected: the queries of the sources in order, and the verbs. */
interface Model {
  readonly sources: readonly string[];
  readonly steps: readonly string[];
}

interface Verb {
  readonly name: string;
  readonly effect: Step["effect"];
  /** Lazy frames have the same verb, except those marked as eager. */
  apply(frame: PolarsFrame): PolarsFrame;
  readonly isEager?: true;
}

const on = { on: "id", how: "left" } as const;
const length = () => pl.col("length").gt(0);
/** Verbs that keep the columns, so that any of them can follow. */
const VERBS: readonly Verb[] = [
  { name: "filter", effect: "rows", apply: (f) => f.filter(length()) },
  { name: "head", effect: "rows", apply: (f) => f.head(20) },
  { name: "tail", effect: "rows", apply: (f) => f.tail(20) },
  { name: "slice", effect: "rows", apply: (f) => f.slice(0, 20) },
  { name: "sample", effect: "rows", apply: (f) => f.sample(1), isEager: true },
  { name: "unique", effect: "rows", apply: (f) => f.unique("id") },
  { name: "sort", effect: "order", apply: (f) => f.sort("id") },
  { name: "withColumns", effect: "columns", apply: (f) => f.withColumns(length().alias("x")) },
  { name: "rename", effect: "columns", apply: (f) => f.rename({ text: "text" }), isEager: true },
  { name: "select", effect: "columns", apply: (f) => f.select(pl.col("*")) },
  { name: "groupBy", effect: "summary", apply: (f) => f.groupBy("id").agg(pl.exclude("id").first()) },
  { name: "clone", effect: "columns", apply: (f) => f.clone(), isEager: true },
  { name: "vstack", effect: "joined", apply: (f) => f.vstack(f), isEager: true },
];
/** Verbs without a step. */
const SILENT = new Set(["clone"]);

const chains = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant("verb" as const), verb: fc.constantFrom(...VERBS) }),
    fc.record({ kind: fc.constant("lazy" as const), verbs: fc.array(fc.constantFrom(...VERBS), { maxLength: 4 }) }),
    fc.record({ kind: fc.constantFrom("join" as const, "concat" as const), other: fc.nat(2), head: fc.boolean() }),
  ),
  { maxLength: 8 },
);

const shown = ({ verb, effect, other }: Step): string =>
  `${verb}:${effect}${other === undefined ? "" : `[${other.map(shown).join(" ")}]`}`;
const modelOf = (provenance: Provenance | undefined): Model => ({
  sources: (provenance?.sources ?? (provenance === undefined ? [] : [provenance])).map(
    ({ parameters }) => parameters.query ?? "",
  ),
  steps: (provenance?.steps ?? []).map(shown),
});
/** Equal steps in a row count once, as `vstack` in a loop does. */
const add = (steps: readonly string[], step: string) => (steps.at(-1) === step ? steps : [...steps, step]);

describe("the provenance of derived frames", () => {
  it("is that of a model, for any chain of verbs, joins and lazy frames", async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(2), chains, async (start, chain) => {
        let frame = frames[start] as PolarsFrame;
        let model: Model = { sources: [queries[start] as string], steps: [] };
        const did = ({ name, effect }: Verb) => {
          if (!SILENT.has(name)) model = { ...model, steps: add(model.steps, `${name}:${effect}`) };
        };
        for (const each of chain) {
          if (each.kind === "verb") {
            frame = each.verb.apply(frame);
            did(each.verb);
          } else if (each.kind === "lazy") {
            let lazy = frame.lazy();
            for (const verb of each.verbs.filter(({ isEager }) => !isEager)) {
              lazy = verb.apply(lazy as unknown as PolarsFrame) as unknown as LazyFrame;
              did(verb);
            }
            frame = each.verbs.length % 2 === 0 ? await lazy.collect() : lazy.collectSync();
          } else {
            const whole = frames[each.other] as PolarsFrame;
            const other = each.head ? whole.head(5) : whole;
            if (each.kind === "join") frame = frame.join(other.select("id"), on);
            else frame = concat([frame, other], { how: "diagonal" });
            const steps = [...(each.head ? ["head:rows"] : []), ...(each.kind === "join" ? ["select:columns"] : [])];
            const step = `${each.kind}:joined${steps.length === 0 ? "" : `[${steps.join(" ")}]`}`;
            const sources = [...new Set([...model.sources, queries[each.other] as string])];
            model = { sources, steps: add(model.steps, step) };
          }
        }
        expect(modelOf(provenanceOf(frame))).toEqual(model);
        expect(pl.DataFrame.isDataFrame(frame)).toBe(true);
      }),
      { numRuns: runs(120, 3000), seed: 33 },
    );
  });

  it("is what it was for a frame that was not derived", () => {
    const [climate] = frames;
    expect(provenanceOf(climate)).not.toHaveProperty("sources");
    expect(provenanceOf(climate)).not.toHaveProperty("steps");
    expect(provenanceOf(climate?.clone())).toBe(provenanceOf(climate));
    expect(provenanceOf(pl.DataFrame({ a: [1] }).head(1))).toBeUndefined();
  });

  it("sums several sources, with the worst verdict and the parameters they share", async () => {
    const [climate] = frames as [PolarsFrame];
    const all = await archive.mentions("inflation", { maxItems: 10_000, videotype: "Speech" });
    const one = provenanceOf(all) as Provenance;
    const both = provenanceOf(concat([all, climate], { how: "diagonal" })) as Provenance;
    expect(one.verdict).toBe("complete");
    expect(both).toMatchObject({ operation: "mentions", verdict: "capped", rows: one.rows + 30, cursor: null });
    expect(both.parameters).toEqual({});
    expect(both.sources).toEqual([one, provenanceOf(climate)]);
  });

  const cases: [string, (frame: PolarsFrame) => unknown, readonly Step[]][] = [
    ["groups", (f) => f.groupBy("person").len(), [{ verb: "groupBy", effect: "summary", detail: "person" }]],
    ["heads of groups", (f) => f.groupBy("person").head(1), [{ verb: "groupBy", effect: "rows", detail: "person" }]],
    [
      "pivots of groups",
      (f) => f.groupBy("person").pivot("programid", "length").sum(),
      [{ verb: "groupBy", effect: "summary", detail: "person" }],
    ],
    [
      "pivots",
      (f) => f.pivot("length", { index: "person", on: "programid", aggregateFunc: "sum" }),
      [{ verb: "pivot", effect: "summary", detail: "length, index person, on programid, aggregateFunc sum" }],
    ],
    ["unpivots", (f) => f.unpivot("id", "text"), [{ verb: "unpivot", effect: "shape", detail: "id, text" }]],
    [
      "descriptions",
      (f) => f.select("length").describe(),
      [
        { verb: "select", effect: "columns", detail: "length" },
        { verb: "describe", effect: "summary" },
      ],
    ],
    ["parts", (f) => f.partitionBy("person")[0], [{ verb: "partitionBy", effect: "rows", detail: "person" }]],
    [
      "columns beside it",
      (f) => f.hstack([pl.Series("x", [...Array(f.height).keys()])]),
      [{ verb: "hstack", effect: "columns" }],
    ],
    [
      "expressions",
      (f) => f.filter(pl.col("length").gt(60)),
      [{ verb: "filter", effect: "rows", detail: '[(col("length")) > (60.0)]' }],
    ],
    [
      "pl.concat",
      (f) => pl.concat([f, f.head(2)]),
      [{ verb: "vstack", effect: "joined", other: [{ verb: "head", effect: "rows", detail: "2" }] }],
    ],
    ["records", (f) => toDataFrame(toRecords(f.head(2))), [{ verb: "head", effect: "rows", detail: "2" }]],
  ];
  it.each(cases)("follows %s", (_name, derive, steps) => {
    expect(provenanceOf(derive(frames[0] as PolarsFrame))?.steps).toEqual(steps);
  });

  it("has the verbs of a scan", async () => {
    const scan = archive.scan.mentions("climate").filter(length()).groupBy("person").agg(pl.col("length").sum());
    expect(modelOf(provenanceOf(await scan.collect({ maxItems: 30 })))).toEqual({
      sources: ["climate"],
      steps: ["filter:rows", "groupBy:summary"],
    });
  });

  it("counts batches of one scan as one source", async () => {
    const scan = archive.scan.mentions("climate", { limit: 10 });
    const batches = await allOf(scan.batches({ batchSize: 10, maxItems: 30 }));
    const { sources, rows } = provenanceOf(concat(batches)) ?? {};
    expect([batches.length, sources?.length, rows]).toEqual([3, 1, 30]);
  });

  it.each([
    ["other columns", [pl.DataFrame({ a: [1] }), pl.DataFrame({ a: [1], b: [2] })]],
    ["other types", [pl.DataFrame({ a: [1] }), pl.DataFrame({ a: ["x"] })]],
    ["no frames", []],
  ])("concat says what to type for %s", (_name, given: PolarsFrame[]) => {
    expect(() => concat(given)).toThrow(/^invalid frames: .*how: "diagonal"/s);
  });

  it("keeps no frame in memory, neither the original nor what was made from it", async () => {
    const script = `
      import { openArchive, pl, provenanceOf, toDataFrame, toRecords } from "${new URL("../../dist/index.js", import.meta.url)}";
      const archive = await openArchive({ announce: false });
      const references = [];
      let kept;
      const derive = async () => {
        const original = toDataFrame(toRecords(await archive.mentions("climate")));
        const groups = original.groupBy("person");
        const lazy = original.lazy().head(3);
        kept = original.head(2);
        for (const value of [original, groups, groups.len(), lazy, await lazy.collect(), kept.join(original, { on: "id" })])
          references.push(new WeakRef(value));
      };
      await derive();
      for (let round = 0; round < 5; round++) {
        await new Promise((resolve) => setImmediate(resolve));
        gc();
      }
      console.log(provenanceOf(kept).steps.length, references.filter((each) => each.deref() !== undefined).length);
      await archive[Symbol.asyncDispose]();`;
    const parameters = ["--expose-gc", "--input-type=module", "--eval", script];
    const { stdout, stderr } = await runProcess(process.execPath, parameters);
    expect([stdout.trim(), stderr]).toEqual(["1 0", ""]);
  });
});
