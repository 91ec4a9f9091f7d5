import fc from "fast-check";
import { afterAll, expect, it } from "vitest";
import { sampleRows } from "../../src/coding/index.js";
import { methodsOf, openArchive, pl, sql, valueCounts } from "../../src/index.js";
import { rates } from "../../src/text/index.js";
import { runs } from "../scale.js";
import { warningsOf } from "../util/warningsOf.js";

const archive = await openArchive({ announce: false, progress: false });
afterAll(() => archive.close());
const days = { mindate: "2021-01-01", maxdate: "2024-12-31" };
const COLUMNS = ["id", "text", "length", "personid", "begintime"];

/** A frame, with what a paragraph about it has to say: phrases in order, those of searches first, and numbers. */
interface Study {
  readonly frame: pl.DataFrame;
  readonly searches: readonly string[];
  readonly phrases: readonly string[];
  readonly numbers: readonly number[];
  /** The sources and steps that went into it. */
  readonly used: readonly string[];
}

const many = (count: number, what = "row") => `${count.toLocaleString("en-US")} ${what}${count === 1 ? "" : "s"}`;

/** A result, with the phrases and numbers of its own. */
function source(
  name: string,
  frame: pl.DataFrame,
  searches: string[],
  numbers: number[],
  phrases: string[] = [],
): Study {
  const kept = frame.select(...COLUMNS);
  return { frame: kept, searches, phrases, numbers: [...numbers, kept.height], used: [name] };
}

async function sources(): Promise<readonly Study[]> {
  const { result } = await warningsOf(async () => {
    const all = await archive.mentions("the", { ...days, maxItems: 20_000 });
    const capped = await archive.mentions("energy", { ...days, maxItems: 7 });
    const sample = await archive.sample("mentions", "the", { ...days, rows: 60, seed: 31, pages: 6 });
    return { all, capped, sample };
  });
  const { all, capped, sample } = result;
  const pagesOf = (frame: pl.DataFrame) => new Set(frame.getColumn("page").toArray()).size;
  return [
    source("all", all, [`mentions for "the"`, `${many(all.height)} (SHA`, "is complete"], []),
    source("capped", capped, ['mentions for "energy"', "7 rows", "is not complete (capped by maxItems)"], []),
    source(
      "sample",
      sample,
      ['mentions for "the"', `Of its ${many(all.height)}, 60 were drawn at random with the seed 31`],
      [all.height, 60, 31, pagesOf(sample)],
    ),
  ];
}

type Change = (study: Study) => Study | Promise<Study>;

/** A study after one more step. */
function then(
  { frame, searches, phrases, numbers, used }: Study,
  next: pl.DataFrame,
  phrase: string,
  more: number[] = [],
): Study {
  return {
    frame: next,
    searches,
    phrases: [...phrases, phrase],
    numbers: [...numbers, frame.height, next.height, ...more],
    used: [...used, phrase],
  };
}

const step = fc.oneof(
  fc.integer({ min: 10, max: 60 }).map<Change>((above) => (study) => {
    return then(study, study.frame.filter(pl.col("length").gt(above)), `filtered by [(col("length")) > (${above}.0)]`, [
      above,
    ]);
  }),
  fc.integer({ min: 2, max: 90 }).map<Change>((rows) => (study) => {
    return then(study, study.frame.head(rows), `cut to the first ${many(rows)}`, [rows]);
  }),
  fc.constant<Change>((study) => then(study, study.frame.sort("length"), "sorted by length")),
  fc.constant<Change>((study) => then(study, study.frame.unique("text"), "deduplicated by text")),
  fc.integer({ min: 10, max: 60 }).map<Change>((above) => async (study) => {
    const query = `select * from t where length > ${above}`;
    return then(study, await sql(query, { t: study.frame }), `queried with ${query}`, [above]);
  }),
  fc
    .record({ rows: fc.integer({ min: 4, max: 30 }), seed: fc.integer({ min: 2, max: 9 }) })
    .map<Change>((given) => (study) => {
      if (study.frame.height < 40 || /sample/.test(study.used.join(" "))) return study;
      const sample = sampleRows(study.frame, given).select(...COLUMNS);
      return then(study, sample, `sampled at random with the seed ${given.seed}`, [given.seed]);
    }),
);

type Combine = (studies: readonly Study[]) => Promise<readonly [pl.DataFrame, string]>;

const combine = fc.constantFrom<Combine>(
  async (all) => [pl.concat(all.map(({ frame }) => frame)), "combined"],
  async ([one, ...others]) => [others.reduce((sum, { frame }) => sum.vstack(frame), (one as Study).frame), "combined"],
  async ([one, two]) => [
    (one as Study).frame.join((two as Study).frame.select("id").unique("id"), { on: "id", how: "semi" }),
    "joined with other rows (on id, how semi)",
  ],
  async (all) => {
    const [one, two] = all as [Study, Study];
    const given = { baseline: two.frame, cluster: false } as const;
    const shares = await rates(one.frame, "cost", given).catch((error: { message: string }) => {
      // The same search, and one that is not complete, are no baseline.
      expect(error.message).toMatch(/^invalid (?:baseline|source):/);
      return undefined;
    });
    const phrase = 'counted as rates per 10,000 words of "cost", with other speech as the baseline';
    return shares === undefined ? [pl.concat(all.map(({ frame }) => frame)), "combined"] : [shares, phrase];
  },
  async ([one, two]) => {
    const query = "select a.* from a semi join b using (personid)";
    return [await sql(query, { a: (one as Study).frame, b: (two as Study).frame }), `queried with ${query}`];
  },
);

/** What is counted in the end. */
const method = fc.constantFrom<Change>(
  (study) => study,
  (study) => then(study, study.frame.groupBy("personid").agg(pl.col("length").sum()), "grouped by personid"),
  (study) => then(study, valueCounts(study.frame, "personid"), "counted by values of personid"),
  async (study) => {
    const shares = await rates(study.frame, "cost", { by: "year", baseline: "own rows", cluster: false });
    return then(study, shares, 'counted as rates per 10,000 words of "cost" by year', [10_000, 95]);
  },
);

const branch = fc.record({ at: fc.nat({ max: 3 }), steps: fc.array(step, { maxLength: 3 }) });
const study = fc.record({
  branches: fc.array(branch, { minLength: 1, maxLength: 3 }),
  combine,
  since: fc.array(step, { maxLength: 2 }),
  method,
});

/** The numbers of a text, without those of names, days, hashes and versions. */
function numbersIn(text: string): readonly number[] {
  const bare = text.replace(
    /"[^"]*"|\(SHA-256[^)]*\)|\d{4}-\d\d-\d\d|archive-frames [\d.]+|embedded archive [0-9a-f]{8}|select .*? (?=\(|and |\.)/g,
    " ",
  );
  return [...bare.matchAll(/\d[\d,]*(?:\.\d+)?/g)].map(([number]) => Number(number.replace(/,$|,(?=\d{3})/g, "")));
}

it("a paragraph has each source and step once, in order, and only numbers of its frames", async () => {
  const known = await sources();
  await fc.assert(
    fc.asyncProperty(study, async ({ branches, combine, since, method }) => {
      const { result: done } = await warningsOf(async () => {
        const made: Study[] = [];
        for (const { at, steps } of branches) {
          let one = known[at] as Study;
          for (const change of steps) one = await change(one);
          made.push(one);
        }
        let all = made[0] as Study;
        if (made.length > 1) {
          const [frame, phrase] = await combine(made);
          const parts = phrase === "combined" ? made : made.slice(0, 2);
          const searches = parts.flatMap((each) => each.searches);
          const phrases = parts.flatMap((each) => each.phrases);
          const numbers = parts.flatMap((each) => each.numbers);
          const used = parts.flatMap((each) => each.used);
          const heights = made.map((_, at) => made.slice(0, at + 1).reduce((sum, one) => sum + one.frame.height, 0));
          // What rates say about themselves, and the rows of the frames stacked so far.
          all = then({ ...all, searches, phrases, numbers, used }, frame, phrase, [10_000, 95, ...heights]);
        }
        for (const change of all.frame.columns.includes("text") ? [...since, method] : []) all = await change(all);
        return all;
      });
      const said = methodsOf(done.frame);
      for (const number of numbersIn(said)) expect(done.numbers, said).toContain(number);
      if (new Set(done.used).size === done.used.length) {
        let rest = said;
        for (const phrase of [...done.searches, "The rows were then", ...done.phrases]) {
          expect(rest, said).toContain(phrase);
          rest = rest.slice(rest.indexOf(phrase) + phrase.length);
        }
      }
      const names = new Set(done.used.filter((name) => known.some(({ used }) => used[0] === name)));
      expect(said.split("We searched "), said).toHaveLength(names.size + 1);
    }),
    { numRuns: runs(60, 1000) },
  );
});
