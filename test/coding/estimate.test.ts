import { describe, expect, it } from "vitest";
import { agreement, codebook, codeWith, estimate, sampleRows } from "../../src/coding/index.js";
import { pl } from "../../src/index.js";
import { newFolders, temporaryFolder } from "../files/temporary.js";
import { CLUSTERED } from "../text/frames.js";
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

/** The shares of a variable in all rows. */
const sharesOf = async (given: Omit<Parameters<typeof estimate>[1], "variable" | "book">) =>
  (await estimate(frame, { variable: "said", book, ...given })).toRecords();

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
      expect(both?.se).toBeCloseTo(expected.difference.se, 9);
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
      expect(line?.se).toBeCloseTo(expected.difference.se, 9);
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
    // svymean(~said) of svydesign(ids = ~personid), and qt(0.975, 59).
    const [all] = (await estimate(passages, given)).toRecords();
    for (const [name, value] of Object.entries({ share: 0.5725938009788, se: 0.03968759366967, low: 0.4931791094783 }))
      expect(all?.[name]).toBeCloseTo(value, 9);
    const parties = (await estimate(passages, { ...given, by: "party" })).toRecords();
    const of = (party: string) => parties.find((each) => each.party === party && each.value === "yes");
    expect(of("Democrat")?.share).toBeCloseTo(0.6743421052632, 9);
    expect(of("Democrat")?.se).toBeCloseTo(0.04514477295519, 9);
    expect(of("Republican")?.se).toBeCloseTo(0.05599675186227, 9);
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
  it("warns about shares without variance and intervals beyond 0 and 1, but not about groups that are coded as a whole", async () => {
    const passages = pl.DataFrame({ id: ["1", "2", "3", "4"], text: ["a", "a", "a", "b"], probability: [1, 1, 1, 1] });
    const same = await codeWith(passages, book, () => ({ said: "yes" }) as const, { record: newFolder() });
    const mixed = await codeWith(passages, book, ({ text }) => ({ said: text === "b" ? "yes" : "no" }) as const, {
      record: newFolder(),
    });
    const warnings = async (gold: typeof same, finite: boolean) =>
      (await warningsOf(() => estimate(passages, { gold, variable: "said", finite, book }))).warnings;
    const advice = "Code more rows, or estimate larger groups.";
    expect(await warnings(same, false)).toEqual([
      ["NO_VARIANCE", expect.stringMatching(`^2 of 2 shares have a standard error of 0, .* ${advice}$`)],
    ]);
    expect(await warnings(mixed, false)).toEqual([
      ["BEYOND_SHARES", expect.stringMatching(`^2 of 2 intervals go below 0 or above 1, .* ${advice}$`)],
    ]);
    expect(await warnings(same, true)).toEqual([]);
    expect(await warnings(mixed, true)).toEqual([]);
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
