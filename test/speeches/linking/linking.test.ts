import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ArchiveClient, provenanceOf } from "../../../src/index.js";
import { LONG, sampled } from "../../scale.js";
import type { EmbeddedArchive } from "../../tools/startGenerated.js";
import { startGeneratedArchive } from "../../tools/startGenerated.js";
import { type BillTruth, Corpus, truthOf } from "../../tools/truth.js";
import { keptOf, LABELLED } from "../labelled.js";
import { byRow, byTitleAndNumber, type Finding, figuresOf, type GivenBill, hardOf, link } from "./linking.js";
import { asRows, findPassages, PASSAGES } from "./passages.js";

const SIZE = LONG ? 30_000 : 4_000;
/** One bill in so many; the long form takes all. */
const SAMPLE = LONG ? 1 : 15;
/** The default, and seeds that nothing was developed on. */
const SEEDS = LONG ? [1, 201, 202, 203, 204, 205] : [1];

/**
 * The figures that were reached, less what seeds vary by. A change that falls below them has made linking worse. The sample holds
 * few speeches on each bill, and more of them are hard.
 */
const REACHED = {
  titleAndNumber: { recall: LONG ? 0.945 : 0.9, precision: 0.98 },
  row: { recall: LONG ? 0.935 : 0.9, precision: 0.98 },
  hard: { recall: LONG ? 0.8 : 0.7, precision: 0.95 },
  labelled: { recall: 0.97, precision: 0.98 },
};

async function find(archive: ArchiveClient, given: GivenBill): Promise<Finding> {
  const frame = await archive.speechesOnBill(given as { title: string }, { chamber: "any" });
  const ids = frame.getColumn("id").toArray() as string[];
  return { ids, requests: provenanceOf(frame)?.requests ?? Number.NaN };
}

describe.each(SEEDS)("speeches on the bills of seed %i", (seed) => {
  let server: EmbeddedArchive;
  let archive: ArchiveClient;
  let bills: readonly BillTruth[];
  beforeAll(async () => {
    server = await startGeneratedArchive({ seed, size: SIZE });
    archive = new ArchiveClient({ apiKey: server.apiKey, baseUrl: server.baseUrl });
    bills = truthOf(new Corpus(seed, SIZE)).bills.filter((_bill, at) => at % SAMPLE === 0);
  });
  afterAll(async () => {
    await archive?.close();
    await server?.close();
  });

  it("are found by title and number, the hard ones too", async () => {
    const results = await link(byTitleAndNumber(bills), (given) => find(archive, given));
    expectAtLeast(figuresOf(results), REACHED.titleAndNumber);
    expectAtLeast(figuresOf(hardOf(results)), REACHED.hard);
  });

  it("are found by a row of bills()", async () => {
    expectAtLeast(figuresOf(await link(byRow(bills), (given) => find(archive, given))), REACHED.row);
  });
});

it("passages labelled after the judge was written are told apart, if every search brings all of them", async () => {
  let [expected, found, correct] = [0, 0, 0];
  for (const labelled of LABELLED.more) {
    const kept = await keptOf(labelled);
    expected += labelled.about.length;
    found += kept.length;
    correct += kept.filter((text) => labelled.about.includes(text)).length;
  }
  expectAtLeast({ recall: correct / expected, precision: correct / found }, REACHED.labelled);
});

describe.each(sampled(["unicode", "spaces"] as const))("passages in an archive with %s between words", (index) => {
  it.each([
    ["development", 0.92],
    ["heldOut", 0.88],
  ] as const)("are found in the set %s, by title and number and by row", async (set, recall) => {
    const exact = await findPassages(PASSAGES[set], index);
    expectAtLeast(exact, { recall, precision: 0.97 });
    expect(exact.requestsPerBill).toBeLessThan(22);
    expectAtLeast(await findPassages(asRows(PASSAGES[set]), index), { recall: 0.8, precision: 0.95 });
  });
});

it.each(
  sampled([
    ["spaces", 0.86],
    ["embedded", 0.93],
    ["unicode", 0.92],
  ] as const),
)("passages on bare rows are found in an archive with %s between words", async (index, recall) => {
  expectAtLeast(await findPassages(PASSAGES.rows, index), { recall, precision: 0.97 });
});

type Share = { readonly recall: number; readonly precision: number };

function expectAtLeast({ recall, precision }: Share, reached: Share): void {
  expect(recall, "recall").toBeGreaterThanOrEqual(reached.recall);
  expect(precision, "precision").toBeGreaterThanOrEqual(reached.precision);
}
