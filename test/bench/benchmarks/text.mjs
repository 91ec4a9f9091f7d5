import { setImmediate } from "node:timers/promises";
import { keyness, kwic, stopwords, terms } from "archive-frames/text";
import pl from "nodejs-polars";
import { frameOf } from "../frameOf.mjs";
import { mentionPage } from "../mentionRows.mjs";
import { measure, median, rounds } from "../rounds.mjs";
import { figure } from "../table.mjs";

const ROWS = 100_000;
const BATCH = 10_000;
const PHRASES = ["climate change", "health care", "united states"];

/** Reading 100,000 mentions, beside the search for the same phrases with polars alone, and a million in batches. */
export default async function text() {
  const frame = mentions(0, ROWS);
  const table = await terms(frame, { stopwords: stopwords() });
  const [left, right] = [frame.head(ROWS / 2), frame.tail(ROWS / 2)];
  const times = await rounds({
    kwic: () => processorTime(() => kwic(frame, PHRASES)),
    contains: () =>
      processorTime(() => PHRASES.map((phrase) => frame.filter(pl.col("text").str.contains(`(?i)${phrase}`)).height)),
    terms: () => processorTime(() => terms(frame)),
    bigrams: () => processorTime(() => terms(frame, { ngrams: 2 })),
    keyness: () => processorTime(() => keyness(left, right)),
  });
  const line = (what, name, most) => figure(what, median(times[name]), "ms of CPU", { most });
  const peak = await memoryOfBatches();
  return [
    line("kwic of three phrases", "kwic", 1000),
    line("polars str.contains of the same", "contains"),
    line(`terms, one word (${table.height} different)`, "terms", 3000),
    line("terms, two words", "bigrams"),
    line("keyness of two halves", "keyness", 4000),
    { what: "1,000,000 rows in batches: memory after a tenth, after nine tenths", median: peak },
  ];
}

const mentions = (from, to) => frameOf(mentionPage(from, to));

/** The CPU time of some work, in milliseconds. */
const processorTime = async (work) => (await measure(work)).cpu;

/** Memory in use while a million rows pass through terms, of which nothing but counts remains. */
async function memoryOfBatches() {
  const used = [];
  async function* batches() {
    for (let from = 0; from < 10 * ROWS; from += BATCH) {
      if (from === ROWS || from === 9 * ROWS) used.push(process.memoryUsage().rss);
      yield mentions(from, from + BATCH);
      // As between requests: polars frees frames only when the event loop turns.
      await setImmediate();
    }
  }
  await terms(batches());
  return used.map((bytes) => `${Math.round(bytes / 2 ** 20)} MB`).join(", ");
}
