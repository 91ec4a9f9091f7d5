import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { codebook, sampleRows } from "../../src/coding/index.js";
import { openArchive, valuesOf, where } from "../../src/index.js";
import { withMembers } from "../../src/members/index.js";
import { compare } from "../../src/text/index.js";
import { rowKeys } from "../coding/rowKeys.js";
import { temporaryFolder } from "../files/temporary.js";
import { runProcess } from "../runProcess.js";
import { LONG } from "../scale.js";
import { checkedBlock } from "./checkedBlock.js";
import { codeBlocks, readText } from "./markdown.js";
import { runExamples } from "./runExamples.js";

const PAGE = readText("src/api/recipes.md");
const GROUPS = "Groups, placebos and trends in R";
const STRATA = "Strata and weights";
const CODES = "Codes: agreement, and estimates from hand and machine";
const directory = temporaryFolder();

/** Whether R and the packages of the recipes are installed: r-base-core and r-cran-* of Debian. */
const hasR =
  LONG &&
  ["survey", "nlme", "clubSandwich", "psych"].every(
    (name) => spawnSync("Rscript", ["-e", `stopifnot(requireNamespace("${name}"))`]).status === 0,
  );

/** The blocks of one language in a section, one after the other. */
function blocksOf(heading: string, language: string): string {
  const section = PAGE.split(/^## /m).find((text) => text.startsWith(`${heading}\n`)) ?? "";
  return codeBlocks(section, language)
    .map(({ code }) => code)
    .join("");
}

/** What the R blocks of a section print. */
async function printedBy(heading: string): Promise<string> {
  const path = join(directory, "recipe.R");
  writeFileSync(path, `options(digits = 10)\n${blocksOf(heading, "r")}`);
  const { status, stdout, stderr } = await runProcess("Rscript", [path], { cwd: directory });
  expect(status, stderr).toBe(0);
  return stdout;
}

function numbersOf(text = ""): readonly number[] {
  return [...text.matchAll(/-?\d+(?:\.\d+)?(?:e-?\d+)?/g)].map(Number);
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

const SAMPLE = { rows: 150, seed: 1 };
/** What the section on codes takes for granted. */
const GIVEN = `
import { pl, readFrame, saveFrame, valuesOf } from "archive-frames";
import { codebook, readCodes, sampleRows } from "archive-frames/coding";
const frame = await archive.mentions("climate", { maxItems: 300 });
const book = codebook({ money: { values: "yes/no" } });
const codes = await readCodes("coding/", sampleRows(frame, ${JSON.stringify(SAMPLE)}), book);
`;

describe.skipIf(!LONG)("the recipes", async () => {
  const archive = await openArchive({ announce: false });
  afterAll(() => archive.close());
  const frame = await archive.mentions("climate", { maxItems: 300 });
  const sample = sampleRows(frame, SAMPLE);
  const isMoney = (text: unknown) => /\b(?:cost|price|pay|tax|money|dollar|budget|fund)/i.test(String(text));

  beforeAll(async () => {
    mkdirSync(join(directory, "coding"));
    const book = codebook({ money: { values: "yes/no" } });
    const texts = valuesOf(sample, "text");
    for (const [coder, mistakes] of [
      ["A", 0],
      ["B", 10],
    ] as const) {
      const lines = rowKeys(sample).map((row, at) => {
        const money = isMoney(texts[at]) !== at < mistakes;
        return [coder, book.hash, row, money ? "yes" : "no", "2026-01-01"].join();
      });
      const text = ["coder,codebook,row,money,coded_at", ...lines].join("\n");
      writeFileSync(join(directory, `coding/${coder}.csv`), `${text}\n`);
    }
    const blocks = [...codeBlocks(PAGE, "ts").map(({ code }) => code), GIVEN + blocksOf(CODES, "typescript")];
    const printed = await runExamples(directory, blocks.map(checkedBlock));
    expect(printed.join("").replace(/^archive-frames: .*\n/gm, "")).toBe("");
  });

  it.skipIf(!hasR)("for groups: the difference and its standard error are those of compare", async () => {
    const days = { mindate: "2021-01-01", maxdate: "2022-12-31", maxItems: 50_000 };
    const groups = ["Democrat", "Republican"];
    const spoken = (await withMembers(await archive.mentions("the", days))).filter(where({ party: groups }));
    const design = {
      by: "party",
      groups,
      per: "mention",
      cluster: "bioguide",
      baseline: "own rows",
      once: true,
    } as const;
    const compared = await compare(spoken, "inflation", design);
    const [low = 0, high = 0] = ["low", "high"].map((end) => Number(valuesOf(compared, `difference_${end}`)[0]));
    const printed = await printedBy(GROUPS);
    const [difference, error = 0] = numbersOf(/^contrast (.*)/m.exec(printed)?.[1]);
    expect(difference).toBeCloseTo(Number(valuesOf(compared, "difference")[0]), 8);
    expect((high - low) / 2 / error).toBeGreaterThan(1.95);
    expect((high - low) / 2 / error).toBeLessThan(2.05);
    for (const name of ["time", "partyRepublican:afterTRUE"]) expect(printed).toContain(name);
  });

  it.skipIf(!hasR)("for strata: the share is that of each year, weighted by the rows of the year", async () => {
    const years = await Promise.all(
      [2021, 2022, 2023].map(async (year) => {
        const days = { mindate: `${year}-01-01`, maxdate: `${year}-12-31` };
        const drawn = await archive.sample("mentions", "climate", { rows: 100, seed: 1, ...days });
        const share = mean(valuesOf(drawn, "text").map((text) => Number(/cost/i.test(String(text)))));
        return { share, rows: (await archive.count("mentions", "climate", days)).rows };
      }),
    );
    const all = years.reduce((sum, { rows }) => sum + rows, 0);
    const expected = years.reduce((sum, { share, rows }) => sum + share * rows, 0) / all;
    const [share] = numbersOf(/TRUE\)?TRUE +(.*)/.exec(await printedBy(STRATA))?.[1]);
    expect(share).toBeCloseTo(expected, 4);
  });

  it.skipIf(!hasR)("for codes: kappa, and a share that corrects the machine", async () => {
    const printed = await printedBy(CODES);
    const hand = valuesOf(sample, "text").map((text) => Number(isMoney(text)));
    const machine = (text: unknown) => Number(/\bcosts?\b/i.test(String(text)));
    const errors = valuesOf(sample, "text").map((text, at) => (hand[at] as number) - machine(text));
    const share = mean(valuesOf(frame, "text").map(machine)) + mean(errors);
    const [first = 0, low = 0, high = 0] = numbersOf(printed.trimEnd().split("\n").at(-1));
    expect(first).toBeCloseTo(share, 6);
    expect(low).toBeLessThan(share);
    expect(high).toBeGreaterThan(share);
    const [, kappa = 0] = numbersOf(/unweighted kappa (.*)/.exec(printed)?.[1]);
    const yes = mean(hand);
    const other = mean(hand.map((code, at) => (at < 10 ? 1 - code : code)));
    const chance = yes * other + (1 - yes) * (1 - other);
    expect(kappa).toBeCloseTo((140 / 150 - chance) / (1 - chance), 1);
  });

  it("for partitions: a directory for each year", async () => {
    const [, statement = ""] = /-c "(.*)"/.exec(blocksOf("Partitions", "sh")) ?? [];
    const connection = await (await DuckDBInstance.create()).connect();
    await connection.run(statement.replaceAll("'climate", `'${directory}/climate`));
    const years = readdirSync(join(directory, "climate"));
    expect(years.length).toBeGreaterThan(1);
    expect(years.filter((name) => !/^year=20\d\d$/.test(name))).toEqual([]);
  });
});
