import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
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

interface Verb {
  readonly name: string;
  /** Lazy frames have the same verb, except those marked as eager. */
  apply(frame: PolarsFrame): PolarsFrame;
  readonly isEager?: true;
}

const on = { on: "id", how: "left" } as const;
const length = () => pl.col("length").gt(0);
/** Verbs that keep the columns, so that any of them can follow. */
const VERBS: readonly Verb[] = [
  { name: "filter", apply: (f) => f.filter(length()) },
  { name: "head", apply: (f) => f.head(20) },
  { name: "slice", apply: (f) => f.slice(0, 20) },
  { name: "sample", apply: (f) => f.sample(1), isEager: true },
  { name: "unique", apply: (f) => f.unique("id") },
  { name: "sort", apply: (f) => f.sort("id") },
  { name: "withColumns", apply: (f) => f.withColumns(length().alias("x")) },
  { name: "rename", apply: (f) => f.rename({ text: "text" }), isEager: true },
  { name: "select", apply: (f) => f.select(pl.col("*")) },
  { name: "groupBy", apply: (f) => f.groupBy("id").agg(pl.exclude("id").first()) },
  { name: "clone", apply: (f) => f.clone(), isEager: true },
  { name: "vstack", apply: (f) => f.vstack(f), isEager: true },
];
/** Verbs without a step. */
const SILENT = new Set(["clone"]);

const plain = pl
  .DataFrame({ personid: [6153, 6291], side: ["left", "right"] })
  .withColumn(pl.col("personid").cast(pl.Int64));
const ids = pl.DataFrame({ id: ["x", "y"] });

const chains = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant("verb" as const), verb: fc.constantFrom(...VERBS) }),
    fc.record({ kind: fc.constant("lazy" as const), verbs: fc.array(fc.constantFrom(...VERBS), { maxLength: 4 }) }),
    fc.record({ kind: fc.constantFrom("join" as const, "concat" as const), other: fc.nat(2), head: fc.boolean() }),
  ),
  { maxLength: 8 },
);

const verbsOf = (result: unknown) => provenanceOf(result)?.steps?.map(({ verb }) => verb) ?? [];
const textsOf = (result: unknown) => provenanceOf(result)?.steps?.map(({ text }) => text) ?? [];
const rowsOf = (frame: PolarsFrame) => provenanceOf(frame)?.steps?.at(-1)?.rows;
const isSubsequence = (part: readonly string[], whole: readonly string[]) => {
  let at = 0;
  for (const name of whole) if (name === part[at]) at++;
  return at === part.length;
};

describe("the provenance of derived frames", () => {
  it("has each source and each verb of any chain of verbs, joins and lazy frames, in order", async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(2), chains, async (start, chain) => {
        let frame = frames[start] as PolarsFrame;
        const sources = new Set([queries[start]]);
        const done: string[] = [];
        let others = 0;
        for (const each of chain) {
          const before = frame.height;
          if (each.kind === "verb") {
            frame = each.verb.apply(frame);
            if (!SILENT.has(each.verb.name)) done.push(each.verb.name);
            if (!SILENT.has(each.verb.name)) expect(rowsOf(frame)).toEqual([before, frame.height]);
          } else if (each.kind === "lazy") {
            let lazy = frame.lazy();
            for (const verb of each.verbs.filter(({ isEager }) => !isEager)) {
              lazy = verb.apply(lazy as unknown as PolarsFrame) as unknown as LazyFrame;
              done.push(verb.name);
            }
            frame = each.verbs.length % 2 === 0 ? await lazy.collect() : lazy.collectSync();
          } else {
            const whole = frames[each.other] as PolarsFrame;
            const other = each.head ? whole.head(5) : whole;
            if (each.kind === "join") frame = frame.join(other.select("id"), on);
            else frame = concat([frame, other], { how: "diagonal" });
            others += Number(each.head) + Number(each.kind === "join");
            sources.add(queries[each.other]);
            done.push(each.kind);
          }
        }
        const verbs = verbsOf(frame);
        // Rounds of a loop that appends are one step.
        const main = done.filter((verb, at) => verb !== "concat" || done[at - 1] !== "concat");
        expect(isSubsequence(main, verbs), `${main} in ${verbs}`).toBe(true);
        expect(verbs.length).toBeLessThanOrEqual(done.length + others);
        if (others === 0 && !done.includes("concat")) expect(verbs).toEqual(done);
        const found = provenanceOf(frame)?.sources ?? [provenanceOf(frame) as Provenance];
        expect(found.map(({ parameters }) => parameters.query).sort()).toEqual([...sources].sort());
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
    expect(Object.isFrozen(both)).toBe(true);
  });

  const cases: [string, (frame: PolarsFrame) => unknown, readonly string[]][] = [
    ["groups", (f) => f.groupBy("person").len(), ["grouped by person (len)"]],
    [
      "aggregates",
      (f) => f.groupBy("person", "personid").agg(pl.col("length").sum().alias("n"), pl.len()),
      ['grouped by person, personid (col("length").sum().alias("n"), len())'],
    ],
    ["heads of groups", (f) => f.groupBy("person").head(1), ["grouped by person (head, 1)"]],
    ["descriptions", (f) => f.select("length").describe(), ["reduced to length", "passed to describe"]],
    ["parts", (f) => f.partitionBy("person")[0], ["passed to partitionBy (person)"]],
    [
      "conditions",
      (f) => f.filter(where({ length: { gt: 60 }, person: { not: null } })),
      ["filtered by { length: { gt: 60 }, person: { not: null } }"],
    ],
    ["sorts", (f) => f.sort("id", true), ["sorted by id, descending"]],
    ["defaults", (f) => f.head().unique(), ["cut to the first 5 rows", "deduplicated"]],
    ["samples", (f) => f.sample({ n: 3, seed: 7 }), ["sampled at random (n 3, seed 7)"]],
    ["the same verb twice", (f) => f.shift(1).shift(1), ["passed to shift (1)", "passed to shift (1)"]],
    [
      "rows of a table joined to it",
      (f) => plain.join(f, { on: "personid", how: "inner" }),
      ["joined with other rows (on personid, how inner)"],
    ],
    ["records", (f) => toDataFrame(toRecords(f.head(2))), ["cut to the first 2 rows"]],
  ];
  it.each(cases)("follows %s", (_name, derive, texts) => {
    expect(textsOf(derive(frames[0] as PolarsFrame))).toEqual(texts);
  });

  type Combine = (a: PolarsFrame, b: PolarsFrame) => unknown;
  const combinations: [string, Combine, string][] = [
    ["pl.concat", (a, b) => pl.concat([a, b]), "concat"],
    ["pl.concat of lazy frames", (a, b) => pl.concat([a.lazy(), b.lazy()]), "concat"],
    ["pl.concat with a plain frame", (a, b) => pl.concat([ids, a, b], { how: "diagonal" }), "concat"],
    ["a lazy join", (a, b) => a.lazy().join(b.lazy(), { on: "id" }).collectSync(), "join"],
  ];
  it.each(combinations)("has the steps of both frames of %s before it", (_name, combine, verb) => {
    const [a, b] = frames as [PolarsFrame, PolarsFrame];
    const result = combine(a.head(5), b.tail(9));
    expect(provenanceOf(result)?.sources).toEqual([provenanceOf(a), provenanceOf(b)]);
    expect(verbsOf(result)).toEqual(["head", "tail", verb]);
  });

  it("changes with a frame that is extended in place", () => {
    const [a, b] = frames as [PolarsFrame, PolarsFrame];
    const whole = a.clone();
    whole.extend(b);
    expect(provenanceOf(whole)).toMatchObject({ rows: 60, steps: [{ verb: "extend", rows: [30, 60] }] });
    expect(provenanceOf(a)?.rows).toBe(30);
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

  it("has the verbs of a scan", async () => {
    const scan = archive.scan.mentions("climate").filter(length()).groupBy("person").agg(pl.col("length").sum());
    const found = await scan.collect({ maxItems: 30 });
    expect(textsOf(found)).toEqual([
      'filtered by [(col("length")) > (0.0)]',
      'grouped by person (col("length").sum())',
    ]);
    expect(provenanceOf(found)?.sources?.length).toBe(1);
  });

  it("counts batches of one scan as one source, and appending as one step", async () => {
    const scan = archive.scan.mentions("climate", { limit: 10 }).filter(length());
    const batches = await allOf(scan.batches({ batchSize: 10, maxItems: 30 }));
    let whole = batches[0] as PolarsFrame;
    for (const batch of batches.slice(1)) whole = concat([whole, batch.head(9)]);
    const { sources, rows } = provenanceOf(whole) ?? {};
    expect([batches.length > 2, sources?.length, rows]).toEqual([true, 1, 30]);
    expect(verbsOf(whole)).toEqual(["filter", "head", "concat"]);
    // Each batch lost another number of rows: the step names none rather than those of one batch.
    const some = concat(batches.map((batch, at) => batch.head(9 - at).sort("id")));
    expect(provenanceOf(some)?.steps?.find(({ verb }) => verb === "sort")?.rows).toBeUndefined();
  });

  it.each([
    ["other columns", [ids, ids.rename({ id: "a" })], { how: undefined }, /^invalid frames: .*how: "diagonal"/s],
    [
      "other types",
      [ids, pl.DataFrame({ id: [1] })],
      { how: "diagonal" },
      /Cast it to one type first, .*pl\.col\("id"\)/,
    ],
    ["no frames", [], undefined, /^invalid frames: .*how: "diagonal"/s],
    ["a misspelled option", [ids, ids], { hw: "diagonal" }, 'invalid option of concat: "hw". Did you mean how?'],
  ])("concat says what to type for %s", (_name, given: PolarsFrame[], options, message) => {
    expect(() => concat(given, options as never)).toThrow(message);
  });

  it("takes an option that is undefined or null for one that is absent", () => {
    for (const how of [undefined, null]) expect(concat([ids, ids], { how } as never).height).toBe(2 * ids.height);
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
