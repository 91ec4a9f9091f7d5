import { compare } from "archive-frames/text";
import pl from "nodejs-polars";
import { generator } from "../generator.mjs";
import { figure } from "../table.mjs";

const CORPORA = Number(process.env.RUNS ?? 1_000);
const WORDS = 10;
/** The chance of each word of a passage to be the phrase, for a speaker of average taste. */
const CHANCES = { Democrat: 0.028, Republican: 0.02 };
const LIMITS = { least: 93, most: 97 };

/** A gamma variable with mean 1 and variance 0.5: the mean of two exponential ones. */
const gamma = (random) => (-Math.log(1 - random()) - Math.log(1 - random())) / 2;
/** A lognormal variable with mean 1 and variance e - 1: one of fifty is above 5. */
const lognormal = (random) => Math.exp(Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random()) - 0.5);

const TAILS = {
  "light tails": { taste: gamma, passages: (random) => 1 + Math.floor(18 * random()) },
  // Few speakers give most of the speech, and few of them most of the matches.
  "heavy tails": { taste: lognormal, passages: (random) => Math.min(90, Math.ceil(3 * (1 - random()) ** (-1 / 1.5))) },
};

/** How often 95 % intervals contain the truth, over generated corpora in which speakers have tastes of their own. */
export default async function coverage() {
  const lines = [];
  for (const [name, tails] of Object.entries(TAILS))
    for (const speakers of [30, 60, 120]) {
      const { rates, difference } = await coverageOf(speakers, tails);
      for (const [what, share] of Object.entries({ "rates by party": rates, "their difference": difference })) {
        lines.push(figure(`${what}, ${speakers} speakers each, ${name}`, share, "%", { least: LIMITS.least }));
        lines.push(figure("  at most", share, "%", { most: LIMITS.most }));
      }
    }
  return lines;
}

async function coverageOf(speakers, tails) {
  const random = generator(35 + speakers);
  const covered = { rates: 0, difference: 0 };
  for (let corpus = 0; corpus < CORPORA; corpus++) {
    // The rates of compare are those of rates.
    const rows = (await compare(corpusOf(speakers, tails, random), "tax", { by: "party", per: 1 })).toRecords();
    for (const { party, low, high } of rows) if (low <= CHANCES[party] && CHANCES[party] <= high) covered.rates += 0.5;
    const truth = CHANCES.Democrat - CHANCES.Republican;
    if (rows[0].difference_low <= truth && truth <= rows[0].difference_high) covered.difference++;
  }
  return { rates: (100 * covered.rates) / CORPORA, difference: (100 * covered.difference) / CORPORA };
}

/** Passages of speakers, some of whom like the phrase better than others. */
function corpusOf(speakers, { taste, passages }, random) {
  const rows = { personid: [], party: [], text: [] };
  for (let personid = 1; personid <= 2 * speakers; personid++) {
    const party = personid % 2 === 0 ? "Democrat" : "Republican";
    const chance = taste(random) * CHANCES[party];
    for (let left = passages(random); left > 0; left--) {
      const words = Array.from({ length: WORDS }, () => (random() < chance ? "tax" : "x"));
      rows.personid.push(personid);
      rows.party.push(party);
      rows.text.push(words.join(" "));
    }
  }
  return pl.DataFrame(rows);
}
