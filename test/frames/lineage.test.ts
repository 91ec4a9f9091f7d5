import { mkdtemp } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import ts from "typescript";
import { afterAll, describe, expect, it } from "vitest";
import { lineageOf } from "../../src/frames/lineage/derived.js";
import { EFFECTS } from "../../src/frames/lineage/step.js";
import {
  concat,
  type LazyFrame,
  type Lineage,
  openArchive,
  type PolarsFrame,
  type Provenance,
  pl,
  provenanceOf,
  type Step,
  toDataFrame,
  toRecords,
  where,
} from "../../src/index.js";
import { runProcess } from "../runProcess.js";
import { runs } from "../scale.js";
import { allOf } from "../scan/pagedServer.js";

const queries = ["climate", "budget", "energy"];
const archive = await openArchive({ announce: false });
afterAll(() => archive.close());
const frames = await Promise.all(queries.map((query) => archive.mentions(query, { maxItems: 30, limit: 15 })));

/** What is expected: the query of the source or the inputs, and the verbs since. */
interface Model {
  readonly origin: string | readonly Model[];
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

const plain = pl
  .DataFrame({ personid: [6153, 6291], side: ["left", "right"] })
  .withColumn(pl.col("personid").cast(pl.Int64));
const ids = pl.DataFrame({ id: ["x", "y"] });
const joinedBy = (how: string) => ({ verb: "join", effect: "joined", arguments: { on: "personid", how } }) as const;
const shifted = { verb: "shift", effect: "columns", arguments: { periods: 1 } } as const;

/** Methods that return no frame, or one that is not made of the rows. */
const NO_VERBS = new Set(
  (
    "inner toRecords toObject toJSON toString toHTML toSeries toStruct toDataResource rows row getColumn getColumns findIdxByName fold " +
    "frameEqual hashRows isDuplicated isEmpty isUnique nChunks map serialize writeCSV writeJSON writeParquet writeAvro writeIPC " +
    "writeIPCStream sinkCSV sinkParquet sinkNdJson sinkIpc describePlan describeOptimizedPlan"
  ).split(" "),
);

/** The methods of an interface of polars, by its declarations. */
function polarsMethods(name: "DataFrame" | "LazyDataFrame"): string[] {
  const bin = dirname(createRequire(import.meta.url).resolve("nodejs-polars"));
  const path = join(bin, name === "DataFrame" ? "dataframe.d.ts" : "lazy/dataframe.d.ts");
  const program = ts.createProgram([path], { skipLibCheck: true, types: [] });
  const checker = program.getTypeChecker();
  const found: string[] = [];
  program.getSourceFile(path)?.forEachChild((node) => {
    if (!ts.isInterfaceDeclaration(node) || node.name.text !== name) return;
    for (const property of checker.getTypeAtLocation(node).getProperties()) {
      const isMethod = checker.getTypeOfSymbol(property).getCallSignatures().length > 0;
      if (isMethod && !property.name.startsWith("__")) found.push(property.name);
    }
  });
  return found;
}

const chains = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant("verb" as const), verb: fc.constantFrom(...VERBS) }),
    fc.record({ kind: fc.constant("lazy" as const), verbs: fc.array(fc.constantFrom(...VERBS), { maxLength: 4 }) }),
    fc.record({ kind: fc.constantFrom("join" as const, "concat" as const), other: fc.nat(2), head: fc.boolean() }),
  ),
  { maxLength: 8 },
);

const modelOf = (lineage: Lineage | undefined): Model => ({
  origin: lineage?.inputs?.map(modelOf) ?? lineage?.sources[0]?.parameters.query ?? "",
  steps: (lineage?.steps ?? []).map(({ verb, effect }) => `${verb}:${effect}`),
});
const equal = (a: Model, b: Model) => JSON.stringify(a) === JSON.stringify(b);
/** The inputs after frames were combined: equal ones count once, and those of rounds before go on. */
const combined = (left: Model, right: Model, step: string): Model => {
  const goesOn = typeof left.origin !== "string" && step.startsWith("concat") && left.steps.join() === step;
  const inputs = [...(goesOn ? (left.origin as readonly Model[]) : [left]), right];
  const distinct = inputs.filter((each, at) => inputs.findIndex((one) => equal(one, each)) === at);
  const [only] = distinct as [Model];
  if (distinct.length === 1 && typeof only.origin === "string") return { ...only, steps: [...only.steps, step] };
  return { origin: distinct, steps: [step] };
};
const rowsOf = (frame: PolarsFrame) => provenanceOf(frame)?.steps?.at(-1)?.rows;

describe("the provenance of derived frames", () => {
  it("is that of a model, for any chain of verbs, joins and lazy frames", async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(2), chains, async (start, chain) => {
        let frame = frames[start] as PolarsFrame;
        let model: Model = { origin: queries[start] as string, steps: [] };
        const did = ({ name, effect }: Verb) => {
          if (!SILENT.has(name)) model = { ...model, steps: [...model.steps, `${name}:${effect}`] };
        };
        for (const each of chain) {
          if (each.kind === "verb") {
            const before = frame.height;
            frame = each.verb.apply(frame);
            did(each.verb);
            if (!SILENT.has(each.verb.name)) expect(rowsOf(frame)).toEqual([before, frame.height]);
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
            const right: Model = { origin: queries[each.other] as string, steps };
            model = combined(model, right, `${each.kind}:joined`);
          }
        }
        expect(modelOf(lineageOf(provenanceOf(frame) as Provenance))).toEqual(model);
        expect(pl.DataFrame.isDataFrame(frame)).toBe(true);
      }),
      { numRuns: runs(50, 3000), seed: 33 },
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
    expect(both.inputs).toEqual([
      { sources: [one], steps: [] },
      { sources: [provenanceOf(climate)], steps: [] },
    ]);
  });

  const cases: [string, (frame: PolarsFrame) => unknown, readonly Omit<Step, "rows">[]][] = [
    [
      "groups",
      (f) => f.groupBy("person").len(),
      [{ verb: "groupBy", effect: "summary", arguments: { by: ["person"], function: "len" } }],
    ],
    [
      "aggregates",
      (f) => f.groupBy("person", "personid").agg(pl.col("length").sum().alias("n"), pl.len()),
      [
        {
          verb: "groupBy",
          effect: "summary",
          arguments: {
            by: ["person", "personid"],
            function: "agg",
            aggregates: ["sum of length as n", "the number of rows"],
          },
        },
      ],
    ],
    [
      "heads of groups",
      (f) => f.groupBy("person").head(1),
      [{ verb: "groupBy", effect: "rows", arguments: { by: ["person"], function: "head" } }],
    ],
    [
      "pivots of groups",
      (f) => f.groupBy("person").pivot("programid", "length").sum(),
      [{ verb: "groupBy", effect: "summary", arguments: { by: ["person"], function: "sum" } }],
    ],
    [
      "pivots",
      (f) => f.pivot("length", { index: "person", on: "programid", aggregateFunc: "sum" }),
      [
        {
          verb: "pivot",
          effect: "summary",
          arguments: { values: "length", index: "person", on: "programid", aggregateFunc: "sum" },
        },
      ],
    ],
    [
      "unpivots",
      (f) => f.unpivot("id", "text"),
      [{ verb: "unpivot", effect: "shape", arguments: { index: "id", on: "text" } }],
    ],
    [
      "descriptions",
      (f) => f.select("length").describe(),
      [
        { verb: "select", effect: "columns", arguments: { columns: ["length"] } },
        { verb: "describe", effect: "summary" },
      ],
    ],
    [
      "parts",
      (f) => f.partitionBy("person")[0],
      [{ verb: "partitionBy", effect: "rows", arguments: { by: "person" } }],
    ],
    [
      "columns beside it",
      (f) => f.hstack([pl.Series("x", [...Array(f.height).keys()])]),
      [{ verb: "hstack", effect: "columns", arguments: { columns: ["x"] } }],
    ],
    [
      "conditions",
      (f) => f.filter(where({ length: { gt: 60 }, begintime: { from: "2024-03", until: "2024" }, text: /tax|levy/i })),
      [
        {
          verb: "filter",
          effect: "rows",
          arguments: {
            predicate:
              'length > 60 and begintime + 0 >= 2024-03-01 and begintime + 0 < 2025-01-01 and text matches "(?i)tax|levy"',
          },
        },
      ],
    ],
    ["the same verb twice", (f) => f.shift(1).shift(1), [shifted, shifted]],
    ["rows of a table joined to it", (f) => plain.join(f, { on: "personid", how: "inner" }), [joinedBy("inner")]],
    ["rows of the frame joined to a table", (f) => f.join(plain, { on: "personid", how: "left" }), [joinedBy("left")]],
    [
      "rows below a plain frame",
      (f) => ids.vstack(f.select("id")),
      [
        { verb: "select", effect: "columns", arguments: { columns: ["id"] } },
        { verb: "vstack", effect: "joined" },
      ],
    ],
    ["records", (f) => toDataFrame(toRecords(f.head(2))), [{ verb: "head", effect: "rows", arguments: { length: 2 } }]],
  ];
  it.each(cases)("follows %s", (_name, derive, steps) => {
    const found = provenanceOf(derive(frames[0] as PolarsFrame))?.steps;
    expect(found?.map(({ rows: _rows, ...step }) => step)).toEqual(steps);
  });

  type Combine = (a: PolarsFrame, b: PolarsFrame) => unknown;
  const combinations: [string, Combine, string][] = [
    ["pl.concat", (a, b) => pl.concat([a, b]), "concat"],
    ["pl.concat of lazy frames", (a, b) => pl.concat([a.lazy(), b.lazy()]), "concat"],
    ["pl.concat with a plain frame", (a, b) => pl.concat([ids, a, b], { how: "diagonal" }), "concat"],
    ["vstack", (a, b) => a.vstack(b), "vstack"],
    ["a lazy join", (a, b) => a.lazy().join(b.lazy(), { on: "id" }).collectSync(), "join"],
  ];
  it.each(combinations)("has the inputs of %s, each with its own steps", (_name, combine, verb) => {
    const [a, b] = frames as [PolarsFrame, PolarsFrame];
    const { inputs, steps, sources } = provenanceOf(combine(a.head(5), b)) ?? {};
    expect(sources).toEqual([provenanceOf(a), provenanceOf(b)]);
    expect(inputs?.map((input) => input.steps.map((step) => step.verb))).toEqual([["head"], []]);
    expect(steps?.map((step) => step.verb)).toEqual([verb]);
  });

  it("changes with a frame that is extended in place", () => {
    const [a, b] = frames as [PolarsFrame, PolarsFrame];
    const whole = a.clone();
    whole.extend(b);
    expect(provenanceOf(whole)).toMatchObject({ rows: 60, inputs: [{ steps: [] }, { steps: [] }] });
    expect(provenanceOf(a)?.rows).toBe(30);
    const empty = a.select("id").head(0);
    empty.extend(ids);
    expect(rowsOf(empty)).toEqual([0, 2]);
  });

  it("does not take a capped search for the complete one that began alike", async () => {
    const cached = await openArchive({
      announce: false,
      cache: { dir: await mkdtemp(join(tmpdir(), "lineage-")), maxAge: 3600 },
    });
    const capped = await cached.mentions("inflation", { maxItems: 20, limit: 20 });
    const whole = await cached.mentions("inflation", { maxItems: 100_000, limit: 20 });
    await cached.close();
    expect([provenanceOf(capped)?.verdict, provenanceOf(whole)?.verdict]).toEqual(["capped", "complete"]);
    const both = provenanceOf(capped.vstack(whole));
    expect([both?.verdict, both?.sources?.length]).toEqual(["capped", 2]);
  });

  it("knows every method of the frames of polars: each is a verb, or makes no frame of the rows", () => {
    const methods = [...polarsMethods("DataFrame"), ...polarsMethods("LazyDataFrame")];
    expect(methods.length).toBeGreaterThan(100);
    expect([...new Set(methods)].filter((name) => !EFFECTS.has(name) && !NO_VERBS.has(name))).toEqual([]);
  });

  it("has the verbs of a scan", async () => {
    const scan = archive.scan.mentions("climate").filter(length()).groupBy("person").agg(pl.col("length").sum());
    expect(modelOf(lineageOf(provenanceOf(await scan.collect({ maxItems: 30 })) as Provenance))).toEqual({
      origin: "climate",
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

it.each([
  ["a frame", pl.DataFrame({ n: [1, 2] })],
  ["a lazy frame", pl.DataFrame({ n: [1, 2] }).lazy()],
])("a comparison of JavaScript is no filter of %s, with or without provenance", (_what, frame) => {
  const condition = ((pl.col("n") as unknown as number) > 1) as never;
  expect(() => frame.filter(condition)).toThrow(
    'invalid predicate: false. Give an expression, for example filter(pl.col("length").gt(60)).',
  );
});
