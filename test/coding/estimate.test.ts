import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { agreement, codebook, codeWith, estimate, sampleRows } from "../../src/coding/index.js";
import { type PolarsFrame, pl } from "../../src/index.js";
import { wilsonInterval } from "../../src/text/statistics.js";
import { fastRandom } from "../../src/util/seededRandom.js";
import { newFolders, temporaryFolder } from "../files/temporary.js";
import { runs } from "../scale.js";
import { CLUSTERED, detours } from "../text/frames.js";
import { warningsOf } from "../util/warningsOf.js";
import stratified from "./stratified.json" with { type: "json" };

const newFolder = newFolders(temporaryFolder());
const book = codebook({ said: ["yes", "no"] });
const { population, sample } = stratified;
const frame = pl.DataFrame({
  id: [...population.stratum].map((_stratum, at) => String(at + 1)),
  text: [...population.stratum].map((_stratum, at) => `passage ${at + 1}`),
  year: [...population.stratum].map((digit) => `202${digit}`),
  group: [...population.group],
  truth: [...population.machine].map((digit) => (digit === "1" ? "yes" : "no")),
});
const human = new Map(sample.row.map((row, at) => [row, sample.human[at] === "1" ? "yes" : "no"]));

/** The sample as the reference drew it: 100 rows of each stratum. */
function drawn() {
  const rows = sample.row.map((row) => row - 1);
  const stratum = rows.map((row) => population.stratum[row] as string);
  const probability = stratum.map((digit) => 100 / (population.stratum.split(digit).length - 1));
  const added = pl.DataFrame({ stratum, probability });
  return frame
    .select(...frame.columns.map((name) => pl.col(name).gather(rows)))
    .hstack(added) as unknown as typeof frame;
}

/** Codes of the sample by people, and of all rows by a machine. */
async function codedOnce() {
  const record = newFolder();
  const coder = (said: (row: number) => unknown) => (passage: { readonly text: string }) => ({
    said: said(Number(passage.text.slice(8))) as "yes" | "no",
  });
  const person = (row: number) => human.get(row);
  const machine = (row: number) => (population.machine[row - 1] === "1" ? "yes" : "no");
  return {
    gold: await codeWith(drawn(), book, coder(person), { record, name: "people" }),
    machine: await codeWith(frame, book, coder(machine), { record, name: "model" }),
  };
}

let coded: ReturnType<typeof codedOnce> | undefined;
const codes = () => (coded ??= codedOnce());

/** What the machine's own share adds to R's variance of its errors where the estimate is about more than these rows: (m - M) / N of every row. */
function addedVariance(isIn: (row: number) => boolean = () => true) {
  const rows = [...population.machine].flatMap((digit, at) => (isIn(at) ? [Number(digit)] : []));
  const naive = rows.reduce((a, b) => a + b, 0) / rows.length;
  const both = sample.row.map((row, at) => {
    const stratum = population.stratum[row - 1] as string;
    const weight = (population.stratum.split(stratum).length - 1) / 100;
    const machine = Number(population.machine[row - 1]);
    const error = Number(sample.human[at]) - machine;
    return isIn(row - 1) ? ((machine - naive) * error * weight) / rows.length ** 2 : 0;
  });
  return (naive * (1 - naive)) / rows.length + 2 * both.reduce((a, b) => a + b, 0);
}

/** The shares, or differences, of a variable in all rows. */
const sharesOf = async (
  given: Omit<Parameters<typeof estimate>[1], "variable" | "book">,
  of: Parameters<typeof estimate>[0] = frame,
) => (await estimate(of, { variable: "said", book, ...given })).toRecords();

describe("estimate", () => {
  it("equals the survey package of R, with and without finite population correction", async () => {
    const { gold, machine } = await codes();
    for (const finite of [false, true]) {
      const expected = stratified[`${finite ? "with" : "without"}_finite_population_correction`];
      const [alone] = await sharesOf({ gold, finite });
      expect(alone).toMatchObject({ value: "yes", rows: 3000, coded: 300, naive: null });
      expect(alone?.share).toBeCloseTo(expected.gold_only.estimate, 9);
      expect(alone?.se).toBeCloseTo(expected.gold_only.se, 9);
      const [both] = await sharesOf({ gold, machine, finite, tune: false });
      expect(both?.share).toBeCloseTo(expected.difference.estimate, 9);
      const added = finite ? 0 : addedVariance();
      expect(both?.se).toBeCloseTo(Math.sqrt(expected.difference.se ** 2 + added), 9);
      expect(both?.gold_share).toBeCloseTo(expected.gold_only.estimate, 9);
      expect(both?.naive).toBeCloseTo(stratified.naive, 9);
    }
  });
  it("equals it by group", async () => {
    const { gold, machine } = await codes();
    const table = await sharesOf({ gold, machine, by: "group", tune: false });
    for (const [group, expected] of Object.entries(stratified.by_group_without_correction)) {
      const line = table.find((each) => each.group === group && each.value === "yes");
      expect(line?.rows).toBe(expected.rows);
      expect(line?.naive).toBeCloseTo(expected.naive, 9);
      expect(line?.gold_share).toBeCloseTo(expected.gold_only.estimate, 9);
      expect(line?.share).toBeCloseTo(expected.difference.estimate, 9);
      const added = addedVariance((at) => population.group[at] === group);
      expect(line?.se).toBeCloseTo(Math.sqrt(expected.difference.se ** 2 + added), 9);
    }
  });
  it("equals it for rows in clusters", async () => {
    const passages = pl.DataFrame(
      CLUSTERED.map(({ personid, party }, at) => ({ id: `${at}`, text: `${at}`, personid, party, probability: 1 })),
    );
    const coder = ({ text }: { text: string }) =>
      ({ said: Number(CLUSTERED[Number(text)]?.count) > 0 ? "yes" : "no" }) as const;
    const gold = await codeWith(passages, book, coder, { record: newFolder() });
    const given = { gold, variable: "said", cluster: "personid", book };
    // svymean(~said) of svydesign(ids = ~personid); Wilson's interval of p (1 - p) / se² rows with qt(0.975, 59).
    const [all] = (await estimate(passages, given)).toRecords();
    const expected = { share: 0.5725938009788, se: 0.03968759366967, low: 0.4923380558508, high: 0.6492020587887 };
    for (const [name, value] of Object.entries(expected)) expect(all?.[name]).toBeCloseTo(value, 9);
    const parties = (await estimate(passages, { ...given, by: "party" })).toRecords();
    const of = (party: string) => parties.find((each) => each.party === party && each.value === "yes");
    expect(of("Democrat")?.share).toBeCloseTo(0.6743421052632, 9);
    expect(of("Democrat")?.se).toBeCloseTo(0.04514477295519, 9);
    expect(of("Republican")?.se).toBeCloseTo(0.05599675186227, 9);
    // svycontrast of svyby(~said, ~party, svymean, covmat = TRUE); every third passage shares its speaker with the others.
    const [line] = (await estimate(passages, { ...given, compare: "party" })).toRecords();
    expect(line).toMatchObject({ party: "Democrat", party_other: "Republican", value: "yes" });
    expect(line?.difference).toBeCloseTo(0.201850195878, 9);
    expect(line?.se).toBeCloseTo(0.0719283445124, 9);
    const third = Array.from({ length: passages.height }, (_, at) => (at % 3 === 2 ? "third" : "other"));
    const parts = passages.withColumns(pl.Series("part", third));
    const [covered] = (await estimate(parts, { ...given, compare: "part", groups: ["third", "other"] })).toRecords();
    expect(covered?.difference).toBeCloseTo(0.0014022724004, 9);
    expect(covered?.se).toBeCloseTo(0.0406010867816, 9);
  });
  it("compares the groups of a column, adjusted for all differences, in words that a paper can have", async () => {
    const { gold, machine } = await codes();
    const given = { gold, machine, variable: "said", book } as const;
    const shares = (await sharesOf({ gold, machine, by: "year", finite: true })).filter(({ value }) => value === "yes");
    const found = await estimate(frame, { ...given, compare: "year", finite: true });
    const rows = found.toRecords();
    expect(rows.map((row) => [row.year, row.year_other])).toEqual([
      ["2021", "2022"],
      ["2021", "2023"],
      ["2022", "2023"],
    ]);
    for (const row of rows) {
      const [a, b] = [row.year, row.year_other].map((year) => shares.find((one) => one.year === year));
      expect(row.difference).toBeCloseTo(Number(a?.share) - Number(b?.share), 12);
      // Strata do not share rows.
      expect(row.se).toBeCloseTo(Math.hypot(Number(a?.se), Number(b?.se)), 12);
      expect(Number(row.p_adjusted)).toBeGreaterThanOrEqual(Number(row.p));
      expect(row.sentence).toMatch(
        /^said "yes": 202\d [\d.]+% \(95% interval [\d.]+ to [\d.]+\), 202\d [\d.]+% \([\d.]+ to [\d.]+\) of passages\. The difference is -?[\d.]+ percentage points \(.+\), p .+ for 3 tests\. 100 of \d+ and 100 of \d+ passages are coded; it is about these rows\.$/,
      );
    }
    const [one] = (
      await estimate(frame, { ...given, compare: "year", groups: ["2023", "2021"], by: "group" })
    ).toRecords();
    expect(one).toMatchObject({ group: "A", year: "2023", year_other: "2021" });
    expect(one?.sentence).toContain('said "yes" (A): 2023');
    for (const [wrong, text] of [
      [{ compare: "yeer" }, "Did you mean year"],
      [{ compare: "year", groups: ["2021", "2020"] }, 'no group "2020"'],
      [{ compare: "year", groups: "2021" as never }, 'invalid groups: "2021" is no list'],
      [{ compare: "year", by: "year" }, "Give every column once"],
      [{ groups: ["2021", "2022"] }, "groups and adjust need it"],
    ] as const)
      await expect(estimate(frame, { ...given, ...wrong })).rejects.toThrow(text);
  });
  it("is never less precise than the sample alone, or than the machine's codes in full", async () => {
    const { gold, machine } = await codes();
    // A machine that tosses a coin, and one that is right as often as it was.
    const tossed = Array.from({ length: machine.height }, (_, at) => ((at * 2654435761) % 7 < 3 ? "yes" : "no"));
    const coins = machine.withColumns(pl.Series("said", tossed));
    for (const [codes, isGood] of [
      [machine, true],
      [coins, false],
    ] as const) {
      const table = await sharesOf({ gold, machine: codes, by: "group" });
      const full = await sharesOf({ gold, machine: codes, by: "group", tune: false });
      for (const [at, line] of table.entries()) {
        const [width, alone] = [Number(line.high) - Number(line.low), Number(line.gold_high) - Number(line.gold_low)];
        expect(width).toBeLessThanOrEqual(alone * (1 + 1e-9));
        if (isGood) expect(width).toBeLessThan(alone * 0.95);
        else expect(Number(line.weight)).toBeLessThan(0.3);
        expect(Number(line.se)).toBeLessThan(Number(full[at]?.se) * 1.05);
      }
    }
  });
  /** Passages, and codes of some of them by what they say. */
  const passagesOf = (count: number, row: (at: number) => Record<string, unknown> = () => ({})) =>
    pl.DataFrame(Array.from({ length: count }, (_, at) => ({ id: `${at}`, text: `p ${at}`, ...row(at) })));
  const codesOf = (passages: typeof frame, said: (row: number) => boolean) =>
    codeWith(passages as never, book, ({ text }) => ({ said: said(Number(text.slice(2))) ? "yes" : "no" }) as const, {
      record: newFolder(),
    });
  const widthOf = (row: Record<string, unknown> | undefined) => Number(row?.high) - Number(row?.low);

  it("has the width of the share itself where the machine is always right, and is narrower about these rows alone", async () => {
    // 40 speakers, each always yes or always no.
    const passages = passagesOf(800, (at) => ({ personid: 1 + (at % 40) }));
    const said = (row: number) => row % 40 < 12;
    const [gold, machine] = [
      await codesOf(sampleRows(passages, { rows: 200 }) as never, said),
      await codesOf(passages as never, said),
    ];
    const given = { gold, machine, variable: "said", book } as const;
    const [all] = (await estimate(passages, { ...given, cluster: "personid" })).toRecords();
    expect(all).toMatchObject({ about: "all that they stand for", share: expect.closeTo(0.3, 9) });
    expect(all?.se).toBeCloseTo(Math.sqrt(((40 / 39) * 0.3 * 0.7) / 40), 3);
    // Wilson's of the 39 speakers that it is worth, with qt(0.975, 39).
    const { low, high } = wilsonInterval(0.3 * 39, 39, 0.95, 2.0227);
    expect(widthOf(all)).toBeCloseTo(high - low, 3);
    const [here] = (await estimate(passages, { ...given, finite: true })).toRecords();
    expect(here).toMatchObject({ about: "these rows", share: expect.closeTo(0.3, 9) });
    expect(widthOf(here)).toBeLessThan(widthOf(all));
  });

  it("takes coded rows for a random part of what was drawn from their stratum", async () => {
    // Half of all rows say yes: those of one stratum, of which nearly nothing is coded yet.
    const passages = passagesOf(800, (at) => ({ st: at < 400 ? "a" : "b", third: at % 3 }));
    const drawn = sampleRows(passages, { rows: 80, strata: "st" });
    const gold = await codesOf(drawn as never, (row) => row < 400);
    const half = gold.filter(pl.col("stratum").eq(pl.lit("b")).or(pl.col("row").str.contains("[02468]-")));
    const { result, warnings } = await warningsOf(() =>
      estimate(passages, { gold: half, variable: "said", book, finite: true }),
    );
    const [yes] = result.toRecords();
    expect(yes).toMatchObject({ value: "yes", share: expect.closeTo(0.5, 9) });
    expect(warnings.find(([code]) => code === "PARTLY_CODED")?.[1]).toMatch(
      /of 80 drawn rows are coded.*They differ by stratum: \d+ % of a/,
    );
    const none = gold.filter(pl.col("stratum").eq(pl.lit("b")));
    await expect(estimate(passages, { gold: none, variable: "said", book })).rejects.toThrow(
      "its coded rows stand for 400 of 800 rows",
    );
    // A part of what was drawn from, coded by half: all that is coded stands for all of the part, with a machine that always says no, too.
    const many = await codesOf(sampleRows(passages, { rows: 240 }) as never, (row) => row < 400);
    const part = passages.filter(pl.col("third").eq(0)) as unknown as typeof frame;
    const own = many.filter(pl.col("third").eq(0).and(pl.col("row").str.contains("[02468]-"))) as typeof many;
    const machine = await codesOf(part, () => false);
    const yesOf = async (of: typeof many, more: object) =>
      (await estimate(part as never, { gold: of, variable: "said", book, finite: true, ...more })).toRecords()[0];
    const alone = await yesOf(own, {});
    for (const tune of [true, false])
      expect((await yesOf(own, { machine, tune }))?.share).toBeCloseTo(alone?.share as number, 9);
  });

  it("rests small groups on the sample alone, and has none below five", async () => {
    const passages = passagesOf(600, (at) => ({ g: at % 50 === 0 ? "tiny" : at % 10 === 1 ? "small" : "large" }));
    const said = (row: number) => (row * 7919) % 10 < 4;
    const gold = await codesOf(sampleRows(passages, { rows: 150 }) as never, said);
    const machine = await codesOf(passages as never, (row) => said(row) !== (row % 9 === 0));
    const { result, warnings } = await warningsOf(() =>
      estimate(passages, { gold, machine, variable: "said", book, by: "g" }),
    );
    const rows = result.toRecords();
    const of = (g: string) => rows.find((row) => row.g === g && row.value === "yes");
    expect(of("small")).toMatchObject({ method: "sample", weight: 0, share: of("small")?.gold_share });
    expect(of("large")).toMatchObject({ method: "sample and machine" });
    // Rows that were drawn alike: Wilson's interval of their share.
    const { coded, share } = of("small") as Record<string, number>;
    const { low, high } = wilsonInterval((share as number) * (coded as number), coded as number, 0.95);
    expect(of("small")).toMatchObject({ low: expect.closeTo(low, 12), high: expect.closeTo(high, 12) });
    expect(of("tiny")).toMatchObject({ share: null, low: null });
    expect(warnings.map(([code]) => code)).toContain("FEW_CODED");
    for (const g of ["small", "large"])
      expect(rows.filter((row) => row.g === g).reduce((sum, row) => sum + Number(row.share), 0)).toBeCloseTo(1, 12);
  });

  it("has shares of several values that sum to 1, and Wilson's interval for one of 1", async () => {
    const three = codebook({ stance: ["for", "against", "neither"] });
    const passages = passagesOf(600);
    const code = (shift: number) => (passage: { readonly text: string }) => {
      const row = Number(passage.text.slice(2));
      return {
        stance: (["for", "against", "neither"] as const)[((row * 7 + (row % 5 === 0 ? shift : 0)) % 11) % 3] as "for",
      };
    };
    const gold = await codeWith(sampleRows(passages, { rows: 120 }), three, code(0), { record: newFolder() });
    const machine = await codeWith(passages, three, code(2), { record: newFolder() });
    const rows = (await estimate(passages, { gold, machine, variable: "stance", book: three })).toRecords();
    expect(rows.reduce((sum, row) => sum + Number(row.share), 0)).toBeCloseTo(1, 12);
    const same = await codesOf(sampleRows(passages, { rows: 50 }) as never, () => true);
    const [all, none] = await sharesOf({ gold: same }, passages);
    expect(all).toMatchObject({ share: 1, high: 1, low: expect.closeTo(1 - Number(none?.high), 12) });
    expect(Number(none?.high)).toBeGreaterThan(0.05);
  });

  it("takes an unidentified speaker for nobody", async () => {
    const passages = passagesOf(200, (at) => ({ personid: at < 100 ? 999_999 : at }));
    const gold = await codesOf(sampleRows(passages, { rows: 100 }) as never, (row) => row % 3 === 0);
    const [clustered] = await sharesOf({ gold, cluster: "personid" }, passages);
    const [rows] = await sharesOf({ gold }, passages);
    expect(clustered?.se).toBeCloseTo(Number(rows?.se), 9);
  });

  it("counts pages beside speakers, takes nobody's name for nobody, and has no interval from fewer than five speakers", async () => {
    // 40 pages of 10 rows, alike within a page; 40 speakers, each on every page.
    const passages = passagesOf(400, (at) => ({ personid: 1 + (at % 40), person: "A", page: Math.floor(at / 10) }));
    const design = passages.withColumns(pl.lit("all").alias("stratum"), pl.lit(0.1).alias("probability"));
    const gold = await codesOf(design as never, (row) => Math.floor(row / 10) % 3 === 0);
    const given = { gold, variable: "said", book } as const;
    const [pages] = (await estimate(passages, given)).toRecords();
    const [both] = (await estimate(passages, { ...given, cluster: "personid" })).toRecords();
    expect(pages?.se).toBeCloseTo(Math.sqrt(((40 / 39) * 0.35 * 0.65) / 40), 9);
    expect(Number(both?.se)).toBeGreaterThan(0.95 * Number(pages?.se));
    // Rows without an id, by name: as many speakers as rows, not one.
    const nobody = passages.withColumns(pl.lit(999_999).alias("personid"));
    const [named] = (await estimate(nobody, { ...given, cluster: "person" })).toRecords();
    expect(named?.low).toEqual(expect.any(Number));
    const few = passages.withColumns(pl.col("personid").modulo(4).plus(1).alias("personid"));
    const [none] = (await estimate(few, { ...given, cluster: "personid" })).toRecords();
    expect(none).toMatchObject({ share: pages?.share, low: null, high: null });
  });

  it("knows how far a frame that was drawn by pages is from other rows, and forgets the pages where only its rows count", async () => {
    const sampled = passagesOf(400, (at) => ({
      page: Math.floor(at / 10),
      odd: at % 2,
      personid: at,
      probability: 0.1,
    }));
    const frame = sampled.withColumns(pl.lit("all").alias("stratum"));
    const isSaid = (row: number) => Math.floor(row / 10) % 3 === 0;
    const machine = await codesOf(frame as never, isSaid);
    const ofPages = Math.sqrt(((40 / 39) * 0.35 * 0.65) / 40);
    for (const strata of [undefined, "odd"]) {
      const gold = await codesOf(sampleRows(frame, { rows: 200, strata }) as never, isSaid);
      const given = { gold, machine, tune: false };
      // A machine that is always right leaves the error of the pages alone.
      for (const [more, se, digits] of [
        [{}, ofPages, 9],
        [{ cluster: "personid" }, ofPages, 4],
        [{ finite: true }, 0, 9],
      ] as const)
        expect((await sharesOf({ ...given, ...more }, frame))[0]?.se).toBeCloseTo(se, digits);
      const all = await codesOf(sampleRows(frame, { rows: 400, strata }) as never, isSaid);
      expect((await sharesOf({ gold: all }, frame))[0]?.se).toBeCloseTo(ofPages, 9);
      expect((await sharesOf({ gold: all, finite: true }, frame))[0]?.se).toBeCloseTo(0, 9);
    }
  });

  it("says nothing about the error of what is all alike", async () => {
    const passages = passagesOf(10);
    const one = await codesOf(passages as never, () => true);
    const two = one.withColumns(pl.lit("B").alias("coder"));
    const found = agreement(pl.concat([one, two]) as never, { book }).toRecords();
    expect(found[0]).toMatchObject({ measure: "percent", value: 1, low: null, high: null });
  });

  it("names the codes and the option book where the codebook is unknown", async () => {
    const gold = pl.DataFrame({ row: ["a"], coder: ["A"], said: ["yes"] }) as unknown as typeof frame;
    await expect(estimate(frame, { gold, variable: "said" })).rejects.toThrow(/^invalid gold: .* \{ book \}\.$/);
    expect(() => agreement(gold)).toThrow(/^invalid codes: .* \{ book \}\.$/);
  });
  it("refuses a sample without probabilities", async () => {
    const { gold } = await codes();
    const unknown = gold.drop("probability");
    await expect(estimate(frame, { gold: unknown, variable: "said", book })).rejects.toThrow(
      /no probability of being drawn/,
    );
  });
});

const DETOURS = detours(newFolder);

const GROUP_TYPES = [
  ...[pl.Utf8, pl.Int64, pl.Int8, pl.Float64, pl.Float32, pl.Date],
  ...[pl.Datetime("us", "UTC"), pl.Datetime("us", "America/New_York")],
];

it("has the shares and errors of the textbook, of a sample of a sample, coded in part, whatever frames go through", async () => {
  const detour = fc.constantFrom(...DETOURS);
  const studies = fc.record({
    seed: fc.nat(1000),
    /** How many rows of all were drawn before, and the machine coded. */
    before: fc.constantFrom(null, 400),
    kept: fc.constantFrom(1, 0.8),
    finite: fc.boolean(),
    isCoded: fc.boolean(),
    type: fc.constantFrom(...GROUP_TYPES),
    detours: fc.tuple(detour, detour, detour),
  });
  const groupOf = ({ id }: Record<string, unknown>) => (Number(id) % 7) % 3;
  const codesIn = (text: unknown) => String(text).split(" ").map(Number) as [truth: number, machine: number];
  const check = fc.asyncProperty(studies, async ({ seed, before, kept, finite, isCoded, type, detours }) => {
    const random = fastRandom(seed);
    const all = pl.DataFrame(
      Array.from({ length: 900 }, (_, at) => {
        const part = at % 9 === 0 ? "rare" : at % 2 === 0 ? "even" : "odd";
        const truth = random() < (part === "rare" ? 0.8 : 0.3) ? 1 : 0;
        return { id: `${at}`, text: `${truth} ${random() < 0.8 ? truth : 1 - truth} ${at}`, part, g: (at % 7) % 3 };
      }),
    );
    const typed = all.withColumns(all.getColumn("g").cast(pl.Int64).cast(type).rename("g"));
    const rows = before === null ? typed : sampleRows(typed, { rows: before, strata: "part", allocation: "equal" });
    const drawn = sampleRows(rows, { rows: 270, strata: "part", allocation: "equal" });
    const sample = drawn.filter(pl.Series(drawn.toRecords().map((_row, at) => at < 9 || random() < kept)));
    const code = (nth: 0 | 1, of: PolarsFrame) => {
      const coder = ({ text }: { text: string }) => ({ said: codesIn(text)[nth] === 1 ? "yes" : "no" }) as const;
      return codeWith(of, book, coder, { record: newFolder(), concurrency: 50 });
    };
    const given = [rows, await code(0, sample), await code(1, rows)] as const;
    const [frame, gold, machine] = await Promise.all(given.map((one, at) => detours[at]?.(one) as PolarsFrame));
    const options = {
      gold,
      ...(isCoded && { machine }),
      variable: "said",
      by: "g",
      finite,
      tune: false,
      book,
    } as const;
    const { result, warnings } = await warningsOf(() => estimate(frame as PolarsFrame, options as never));
    expect(warnings.map(([code]) => code)).toEqual(sample.height < drawn.height ? ["PARTLY_CODED"] : []);

    const total = <T>(of: readonly T[], each: (one: T) => number) => of.reduce((sum, one) => sum + each(one), 0);
    const known = rows.toRecords().map((row) => {
      const [truth, found] = codesIn(row.text);
      return {
        ...row,
        id: row.id,
        g: groupOf(row),
        truth,
        found,
        stands: finite ? 1 : 1 / Number(row.probability ?? 1),
      };
    });
    const byId = new Map(known.map((row) => [row.id, row]));
    const records = sample.toRecords();
    const coded = records.map(({ id, stratum, drawn: many, probability }) => {
      const row = byId.get(id) as (typeof known)[0];
      const ofFrame = Number(probability) / Number((row as Record<string, unknown>).probability ?? 1);
      const each = Number(many) / records.filter((other) => other.stratum === stratum).length / ofFrame;
      return { ...row, stratum, weight: row.stands * each, open: finite ? 1 - 1 / each : 1 };
    });
    const expected = [...new Set((frame as PolarsFrame).toRecords().map(groupOf))].map((g) => {
      const [own, mine] = [known.filter((row) => row.g === g), coded.filter((row) => row.g === g)];
      const size = total(own, ({ stands }) => stands);
      const weights = total(mine, ({ weight }) => weight);
      const gold_share = total(mine, ({ weight, truth }) => weight * truth) / weights;
      const naive = total(own, ({ stands, found }) => stands * found) / size;
      const corrected = naive + total(mine, ({ weight, truth, found }) => weight * (truth - found)) / size;
      const residualOf = ({ g: other, weight, truth, found }: (typeof coded)[0]) =>
        other !== g ? 0 : isCoded ? (weight * (truth - found)) / size : (weight * (truth - gold_share)) / weights;
      const addedOf = ({ stands, found }: (typeof known)[0]) =>
        isCoded && !finite ? (stands * (found - naive)) / size : 0;
      const between = [...new Set(coded.map(({ stratum }) => stratum))].map((stratum) => {
        const units = coded.filter((row) => row.stratum === stratum);
        const mean = total(units, residualOf) / units.length;
        const squares = total(units, (row) => (residualOf(row) - mean) ** 2);
        return ((units[0]?.open as number) * units.length * squares) / (units.length - 1);
      });
      const both = total(mine, (row) => 2 * residualOf(row) * addedOf(row));
      const variance = total(between, (one) => one) + total(own, (row) => addedOf(row) ** 2) + both;
      const accuracy = total(mine, ({ weight, truth, found }) => weight * Number(truth === found)) / weights;
      const shares = isCoded ? { share: corrected, naive, accuracy } : { share: gold_share };
      return { rows: own.length, coded: mine.length, gold_share, se: Math.sqrt(variance), ...shares };
    });
    const close = ({ rows, coded, ...shares }: (typeof expected)[0]) => ({
      ...{ rows, coded },
      ...Object.fromEntries(Object.entries(shares).map(([name, value]) => [name, expect.closeTo(value, 9)])),
    });
    expect(result.filter(pl.col("value").eq(pl.lit("yes"))).toRecords()).toMatchObject(expected.map(close));
  });
  await fc.assert(check, { numRuns: runs(40), seed: 5 });
});

describe("sampleRows", () => {
  it("draws strata in proportion, equally or as given, the same rows for the same seed", () => {
    const proportional = sampleRows(frame, { rows: 300, strata: "year", seed: 4 });
    expect(proportional.height).toBe(300);
    expect(sampleRows(frame, { rows: 300, strata: "year", seed: 4 }).toRecords()).toEqual(proportional.toRecords());
    expect(sampleRows(frame, { rows: 300, strata: "year", seed: 5 }).toRecords()).not.toEqual(proportional.toRecords());
    const sizes = (rows: readonly unknown[]) =>
      [...new Set(rows)].map((each) => rows.filter((other) => other === each).length);
    const equal = sampleRows(frame, { rows: 300, strata: "year", allocation: "equal" });
    expect(sizes(equal.getColumn("stratum").toArray())).toEqual([100, 100, 100]);
    const total = equal.toRecords().reduce((sum, row) => sum + 1 / (row.probability as number), 0);
    expect(total).toBeCloseTo(3000, 6);
    const given = sampleRows(frame, { strata: "year", allocation: { "2021": 5, "2023": 7 } });
    expect(given.height).toBe(12);
  });
  it("takes a missing value and the text null for one stratum, and loses no rows", () => {
    const strata = ["null", "null", null, null, "x", "x"];
    const rows = pl.DataFrame({
      id: strata.map((_value, at) => String(at)),
      text: strata.map(() => "a"),
      party: strata,
    });
    const sample = sampleRows(rows, { strata: "party", allocation: { null: 2, x: 1 } });
    expect(sample.select("stratum", "probability").toRecords()).toEqual(
      expect.arrayContaining([
        { stratum: "null", probability: 0.5 },
        { stratum: "x", probability: 0.5 },
      ]),
    );
    expect(sampleRows(rows, { rows: 6, strata: "party" }).height).toBe(6);
  });
});
