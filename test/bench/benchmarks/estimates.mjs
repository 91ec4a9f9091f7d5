import { codebook, codeWith, estimate } from "archive-frames/coding";
import pl from "nodejs-polars";
import { generator } from "../generator.mjs";
import { figure } from "../table.mjs";
import { withFolder } from "../withFolder.mjs";

const RUNS = Number(process.env.RUNS ?? 1_000);
const ROWS = 1_000;
const CODED = 250;
/** In group A the machine is right about 85 % of the passages, in group B about 65 %; 75 % in all. */
const GROUPS = { A: { share: 0.35, wrong: 0.15 }, B: { share: 0.2, wrong: 0.35 } };

/** How often 95 % intervals contain the share in all rows, over populations that a machine with uneven errors has coded. */
export default async function estimates() {
  const random = generator(36);
  const group = Array.from({ length: ROWS }, (_, at) => "AB"[at % 2]);
  const frame = pl.DataFrame({
    id: group.map((_group, at) => String(at)),
    text: group.map((_group, at) => `t${at}`),
    group,
  });
  const book = codebook({ said: "yes/no" });
  const rows = await keys(frame, book);
  const covered = { share: 0, gold: 0, naive: 0 };
  const widths = { share: 0, gold: 0 };
  for (let run = 0; run < RUNS; run++) {
    const truth = group.map((name) => random() < GROUPS[name].share);
    const machine = truth.map((is, at) => (random() < GROUPS[group[at]].wrong ? !is : is));
    const order = rows.map((_row, at) => ({ at, key: random() })).sort((a, b) => a.key - b.key);
    const drawn = order.slice(0, CODED).map(({ at }) => at);
    const gold = codes(
      drawn.map((at) => rows[at]),
      drawn.map((at) => truth[at]),
    ).withColumns(pl.lit(CODED / ROWS).alias("probability"));
    const options = { gold, machine: codes(rows, machine), variable: "said", by: "group", finite: true, book };
    for (const line of (await estimate(frame, options)).toRecords()) {
      if (line.value !== "yes") continue;
      const own = truth.filter((_is, at) => group[at] === line.group);
      const share = own.filter(Boolean).length / own.length;
      if (line.low <= share && share <= line.high) covered.share += 0.5;
      if (line.gold_low <= share && share <= line.gold_high) covered.gold += 0.5;
      if (line.naive_low <= share && share <= line.naive_high) covered.naive += 0.5;
      widths.share += (line.high - line.low) / (2 * RUNS);
      widths.gold += (line.gold_high - line.gold_low) / (2 * RUNS);
    }
  }
  const line = (what, count, goal) => figure(what, (100 * count) / RUNS, "%", goal);
  return [
    line(`share by group, ${CODED} of ${ROWS} rows coded by people`, covered.share, { least: 93 }),
    line("  at most", covered.share, { most: 97 }),
    line("the sample alone", covered.gold),
    line("the machine alone", covered.naive),
    { what: "width of the interval against the sample alone", ratio: widths.share / widths.gold },
  ];
}

/** The keys of the rows, as every coder gets them. */
async function keys(frame, book) {
  const coded = await withFolder((record) => codeWith(frame, book, () => ({ said: "no" }), { record }));
  return coded.getColumn("row").toArray();
}

function codes(row, said) {
  return pl.DataFrame({ row, coder: row.map(() => "coder"), said: said.map((is) => (is ? "yes" : "no")) });
}
