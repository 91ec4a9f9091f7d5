import { compare, rates } from "archive-frames/text";
import pl from "nodejs-polars";
import { generator } from "../generator.mjs";
import { figure } from "../table.mjs";

const CORPORA = Number(process.env.RUNS ?? 1_000);
const SPEAKERS = 60;
const WORDS = 20;
/** The chance of each word of a passage to be the phrase, for a speaker of average taste. */
const CHANCES = { Democrat: 0.028, Republican: 0.02 };

/** How often 95 % intervals contain the truth, over generated corpora in which speakers have tastes of their own. */
export default async function coverage() {
  const random = generator(35);
  const found = { clustered: 0, naive: 0, difference: 0 };
  for (let corpus = 0; corpus < CORPORA; corpus++) {
    const passages = corpusOf(random);
    const given = { by: "party", per: 1, baseline: "own rows" };
    const covered = (rows) =>
      rows.filter(({ party, low, high }) => low <= CHANCES[party] && CHANCES[party] <= high).length / 2;
    found.clustered += covered((await rates(passages, "tax", { ...given, cluster: "personid" })).toRecords());
    found.naive += covered((await rates(passages, "tax", { ...given, cluster: false })).toRecords());
    const [row] = (await compare(passages, "tax", given)).toRecords();
    const truth = CHANCES.Democrat - CHANCES.Republican;
    if (row.difference_low <= truth && truth <= row.difference_high) found.difference++;
  }
  const line = (what, count, goal) => figure(what, (100 * count) / CORPORA, "%", goal);
  return [
    line(`rates by party, ${SPEAKERS / 2} speakers each, clustered`, found.clustered, { least: 92 }),
    line("  at most", found.clustered, { most: 97 }),
    line("the same without clusters", found.naive),
    line("compare: the difference", found.difference, { least: 92 }),
    line("  at most", found.difference, { most: 97 }),
    ...(await fewSpeakers(random)),
  ];
}

/** How often p is below 0.05 without a difference, and intervals contain it: some speakers against 120, with tastes of light and heavy tails. */
async function fewSpeakers(random) {
  const lines = [];
  for (const spread of [0.8, 1.2]) {
    for (const few of [10, 15, 40]) {
      const found = { rejected: 0, covered: 0, intervals: 0, rate: 0, ratio: 0, ratios: 0 };
      for (let corpus = 0; corpus < CORPORA / 2; corpus++) {
        const rows = { personid: [], party: [], text: [] };
        for (let speaker = 0; speaker < few + 120; speaker++) {
          const taste = 0.05 * Math.exp(spread * normal(random) - spread ** 2 / 2);
          const passages = Math.min(60, 1 + Math.floor(Math.exp((spread + 0.1) * normal(random) + 0.7)));
          for (let passage = 0; passage < passages; passage++) {
            rows.personid.push(speaker + 1);
            rows.party.push(speaker < few ? "I" : "D");
            rows.text.push(Array.from({ length: WORDS }, () => (random() < taste ? "tax" : "x")).join(" "));
          }
        }
        const given = { by: "party", groups: ["I", "D"], per: 1, baseline: "own rows" };
        const [row] = (await compare(pl.DataFrame(rows), "tax", given)).toRecords();
        if (row.p < 0.05) found.rejected++;
        if (row.low <= 0.05 && row.high >= 0.05) found.rate++;
        if (row.ratio !== null) found.ratios++;
        if (row.ratio_low <= 1 && row.ratio_high >= 1) found.ratio++;
        if (row.difference_low === null) continue;
        found.intervals++;
        if (row.difference_low <= 0 && row.difference_high >= 0) found.covered++;
      }
      const what = `${few} speakers against 120, ${spread > 1 ? "heavy" : "light"} tails`;
      lines.push(figure(`${what}: p < 0.05 without a difference`, (200 * found.rejected) / CORPORA, "%", { most: 7 }));
      lines.push(
        figure("  interval of their rate", (200 * found.rate) / CORPORA, "%", { least: 92 }),
        figure("    at most", (200 * found.rate) / CORPORA, "%", { most: 97 }),
      );
      lines.push(figure("  interval of the ratio", (100 * found.ratio) / found.ratios, "%", { least: 92 }));
      if (found.intervals > 0)
        lines.push(figure("  intervals contain 0", (100 * found.covered) / found.intervals, "%", { least: 92 }));
    }
  }
  return lines;
}

function normal(random) {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/** Passages of speakers, some of whom like the phrase better than others. */
function corpusOf(random) {
  const rows = { personid: [], party: [], text: [] };
  for (let personid = 1; personid <= SPEAKERS; personid++) {
    const party = personid % 2 === 0 ? "Democrat" : "Republican";
    // A gamma variable with mean 1 and variance 0.5: the mean of two exponential ones.
    const taste = (-Math.log(1 - random()) - Math.log(1 - random())) / 2;
    const passages = 1 + Math.floor(18 * random());
    for (let passage = 0; passage < passages; passage++) {
      const words = Array.from({ length: WORDS }, () => (random() < taste * CHANCES[party] ? "tax" : "x"));
      rows.personid.push(personid);
      rows.party.push(party);
      rows.text.push(words.join(" "));
    }
  }
  return pl.DataFrame(rows);
}
