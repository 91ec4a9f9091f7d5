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

/** A frame, with what a paragraph about it has to say. */
interface Study {
  readonly frame: pl.DataFrame;
  /** The phrases about each search, in order. */
  readonly searches: ReadonlyArray<readonly string[]>;
  /** The phrases about the steps, in order. */
  readonly steps: readonly string[];
  readonly numbers: readonly number[];
}

const many = (count: number) => `${count.toLocaleString("en-US")} rows`;

async function sources(): Promise<readonly Study[]> {
  const { result } = await warningsOf(async () => {
    const all = await archive.mentions("the", { ...days, maxItems: 20_000 });
    const capped = await archive.mentions("energy", { ...days, maxItems: 7 });
    const sample = await archive.sample("mentions", "the", { ...days, rows: 60, seed: 31, pages: 6 });
    return { all, capped, sample };
  });
  const { all, capped, sample } = result;
  const source = (frame: pl.DataFrame, phrases: readonly string[], numbers: readonly number[] = []): Study => {
    return { frame: frame.select(...COLUMNS), searches: [phrases], steps: [], numbers: [frame.height, ...numbers] };
  };
  const pages = new Set(sample.getColumn("page").toArray()).size;
  const drawn = `Of its ${many(all.height)}, 60 were drawn at random with the seed 31`;
  return [
    source(all, ['mentions for "the"', `${many(all.height)} (SHA`, "is complete"]),
    source(capped, ['mentions for "energy"', "7 rows", "is not complete (capped by maxItems)"]),
    source(sample, ['mentions for "the"', drawn], [all.height, 60, 31, pages]),
  ];
}

/** A study after one more step. */
function then(study: Study, frame: pl.DataFrame, phrase: string, numbers: readonly number[] = []): Study {
  return {
    ...study,
    frame,
    steps: [...study.steps, phrase],
    numbers: [...study.numbers, study.frame.height, frame.height, ...numbers],
  };
}

type Change = (study: Study) => Study | Promise<Study>;

const above = fc.integer({ min: 10, max: 60 });
const step = fc.oneof(
  above.map<Change>((least) => (study) => {
    const filtered = study.frame.filter(pl.col("length").gt(least));
    return then(study, filtered, `filtered by [(col("length")) > (${least}.0)]`, [least]);
  }),
  fc.integer({ min: 2, max: 90 }).map<Change>((rows) => (study) => {
    return then(study, study.frame.head(rows), `cut to the first ${many(rows)}`, [rows]);
  }),
  fc.constant<Change>((study) => then(study, study.frame.sort("length"), "sorted by length")),
  fc.constant<Change>((study) => then(study, study.frame.unique("text"), "deduplicated by text")),
  above.map<Change>((least) => async (study) => {
    const query = `select * from t where length > ${least}`;
    return then(study, await sql(query, { t: study.frame }), `queried with ${query}`, [least]);
  }),
  fc
    .record({ rows: fc.integer({ min: 4, max: 30 }), seed: fc.integer({ min: 2, max: 9 }) })
    .map<Change>((given) => (study) => {
      if (study.frame.height < 40 || /sample|drawn/.test(String([study.searches, study.steps]))) return study;
      const sample = sampleRows(study.frame, given).select(...COLUMNS);
      return then(study, sample, `sampled at random with the seed ${given.seed}`, [given.seed]);
    }),
);

/** Combines two studies or more. */
type Combine = (studies: readonly [Study, Study, ...Study[]]) => Promise<Study>;

const everything = (studies: readonly Study[]): Study => ({
  frame: (studies[0] as Study).frame,
  searches: studies.flatMap(({ searches }) => searches),
  steps: studies.flatMap(({ steps }) => steps),
  numbers: studies.flatMap(({ frame, numbers }) => [frame.height, ...numbers]),
});

const combine = fc.constantFrom<Combine>(
  async (all) => then(everything(all), pl.concat(all.map(({ frame }) => frame)), "combined"),
  async ([one, two]) => then(everything([one, two]), one.frame.vstack(two.frame), "combined"),
  async ([one, two]) => {
    const joined = one.frame.join(two.frame.select("id").unique("id"), { on: "id", how: "semi" });
    return then(everything([one, two]), joined, "joined with other rows (on id, how semi)");
  },
  async ([one, two]) => {
    const query = "select a.* from a semi join b using (personid)";
    return then(everything([one, two]), await sql(query, { a: one.frame, b: two.frame }), `queried with ${query}`);
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

const branch = fc.record({ at: fc.nat({ max: 2 }), steps: fc.array(step, { maxLength: 3 }) });
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
  const results = await sources();
  await fc.assert(
    fc.asyncProperty(study, async ({ branches, combine, since, method }) => {
      const { result: done } = await warningsOf(async () => {
        const studies: Study[] = [];
        for (const { at, steps } of branches) {
          let one = results[at] as Study;
          for (const change of steps) one = await change(one);
          studies.push(one);
        }
        let all = studies[0] as Study;
        if (studies.length > 1) all = await combine(studies as [Study, Study]);
        for (const change of [...since, method]) all = await change(all);
        return all;
      });
      const said = methodsOf(done.frame);
      for (const number of numbersIn(said)) expect(done.numbers, said).toContain(number);
      const searches = new Set(done.searches);
      expect(said.split("We searched "), said).toHaveLength(searches.size + 1);
      if (searches.size < done.searches.length || new Set(done.steps).size < done.steps.length) return;
      let rest = said;
      for (const phrase of [...done.searches.flat(), ...done.steps]) {
        expect(rest, said).toContain(phrase);
        rest = rest.slice(rest.indexOf(phrase) + phrase.length);
      }
    }),
    { numRuns: runs(60, 1000) },
  );
});
