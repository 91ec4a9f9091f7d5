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
  ];
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
