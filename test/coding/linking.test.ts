import { expect, it } from "vitest";
import { codebook, codeWith, estimate, sampleRows } from "../../src/coding/index.js";
import { pl } from "../../src/index.js";
import { clientTo } from "../client/clientTo.js";
import { temporaryFolder } from "../files/temporary.js";
import { startGeneratedArchive } from "../tools/startGenerated.js";
import { Corpus, truthOf } from "../tools/truth.js";

const folder = temporaryFolder();
const SIZE = 5000;

it("codes of what speechesOnBill finds give its precision, and its recall among what the searches find", async () => {
  await using archive = await startGeneratedArchive({ size: SIZE });
  await using client = clientTo(archive, { apiKey: archive.apiKey });
  // The bill with most decoys: its doubtful passages are not all wrong.
  const [bill] = [...truthOf(new Corpus(1, SIZE)).bills].sort(
    (a, b) => b.decoys.length * b.speeches.length - a.decoys.length * a.speeches.length,
  );
  if (bill === undefined) return expect.unreachable();
  const { title, number, congress } = bill;
  const about = new Set(bill.speeches.map(({ id }) => id));
  const found = await client.speechesOnBill({ title, number, congress, chamber: "any", minConfidence: 0 });
  const isKept = pl.col("confidence").fillNull(1).gtEq(0.5);
  const passages = found.withColumns(
    pl.when(isKept).then(pl.lit("kept")).otherwise(pl.lit("left out")).alias("evidence"),
  );
  const byText = new Map(passages.toRecords().map(({ id, text }) => [text as string, id as string]));
  const book = codebook({ about: "yes/no" });
  const shareOf = async (rows: number) => {
    const sample = sampleRows(passages, { rows, strata: "evidence", seed: 2 });
    const coder = ({ text }: { text: string }) =>
      ({ about: about.has(byText.get(text) ?? "") ? "yes" : "no" }) as const;
    const gold = await codeWith(sample, book, coder, { record: folder, name: `truth-${rows}` });
    const shares = await estimate(passages, { gold, variable: "about", by: "evidence", finite: true, book });
    const yes = shares.filter(pl.col("value").eq(pl.lit("yes"))).toRecords();
    return (name: string) => yes.find(({ evidence }) => evidence === name);
  };
  const truth = (name: string) => {
    const rows = passages.filter(pl.col("evidence").eq(pl.lit(name))).toRecords();
    return { rows: rows.length, right: rows.filter(({ id }) => about.has(id as string)).length };
  };
  const [kept, left] = [truth("kept"), truth("left out")];
  expect(Math.min(kept.rows, left.rows)).toBeGreaterThan(5);
  // All passages coded: the shares are those of the truth.
  const whole = await shareOf(passages.height);
  expect(whole("kept")?.share).toBeCloseTo(kept.right / kept.rows, 12);
  expect(whole("left out")?.share).toBeCloseTo(left.right / left.rows, 12);
  // Half of them coded: the interval of the precision contains it.
  const half = (await shareOf(Math.floor(passages.height / 2)))("kept");
  expect(Number(half?.coded)).toBeLessThan(kept.rows);
  expect(Number(half?.low)).toBeLessThanOrEqual(kept.right / kept.rows);
  expect(Number(half?.high)).toBeGreaterThanOrEqual(kept.right / kept.rows);
});
