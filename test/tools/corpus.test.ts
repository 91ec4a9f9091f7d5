import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { hasPhrase, phrasesOf, searchable } from "../../src/embedded/search/words.js";
import { archiveFile } from "./archiveFile.js";
import { Corpus, mentionRow } from "./truth.js";

type MentionRow = ReturnType<typeof mentionRow>;

const corpus = new Corpus(1, 30_000);
const mentions = corpus.mentions.map(mentionRow);
const said = mentions.map(({ text }) => searchable([text]));
const spoken = (query: string): MentionRow[] => {
  const phrases = phrasesOf(query);
  return mentions.filter((_, at) => phrases.every((phrase) => hasPhrase(said[at] ?? "", phrase)));
};

describe("mentions", () => {
  test.each(["climate", "budget", "ai", '"artificial intelligence"', "infrastructure"])(
    "%s is spoken of hundreds of times, in every year from 2011 to 2026",
    (query) => {
      const rows = spoken(query);
      expect(rows.length).toBeGreaterThan(300);
      expect(new Set(rows.map((row) => row.begintime.slice(0, 4))).size).toBe(16);
    },
  );

  test("Maria Pelosi, 6153, speaks about climate often, and in speeches", () => {
    const hers = spoken("climate").filter((row) => row.personid === 6153);
    expect(hers.filter((row) => row.begintime >= "2024-01-01").length).toBeGreaterThanOrEqual(60);
    const speeches = hers.filter((row) => row.videoTypeId === 16 && row.begintime.startsWith("2020"));
    expect(speeches.length).toBeGreaterThanOrEqual(5);
  });

  test("every bill is mentioned, of which some are looked for; famous ones by senators in more than 500 speeches and debates", () => {
    const senators = new Set(
      corpus.people
        .senators(117)
        .concat(corpus.people.senators(118))
        .map((row) => row.id),
    );
    for (const bill of corpus.bills.filter(({ famous }, at) => famous || at % 40 === 0)) {
      const forms = [bill.spokenTitle, ...new Set(bill.numberForms)].map((form) => `"${form}"`);
      const rows = new Set(forms.flatMap(spoken));
      expect(rows.size).toBeGreaterThan(0);
      if (!bill.famous) continue;
      const speeches = [...rows].filter((row) => [16, 18].includes(row.videoTypeId) && senators.has(row.personid ?? 0));
      expect(speeches.length).toBeGreaterThan(500);
    }
  });

  test("contains hostile text", () => {
    const kinds = [
      /^=/,
      /^@here/,
      /^-5/,
      /^\+1/,
      /<b>.*<\/b>/is,
      /<script>/i,
      />> /,
      /"/,
      /,/,
      /[^\r]\n/,
      /\r\n/,
      /\u2028/,
    ];
    kinds.push(/[ÑÉÏ]/i, /😀/, /🇺🇸/u);
    expect(kinds.filter((kind) => !mentions.some(({ text }) => kind.test(text)))).toEqual([]);
  });
});

test("the data file of the embedded archive is what `writeArchive.mjs` writes", () => {
  const file = readFileSync(new URL("../../src/embedded/archive.json.gz", import.meta.url));
  expect(file.length).toBeLessThan(3 * 1024 * 1024);
  expect(JSON.parse(gunzipSync(file).toString("latin1"))).toEqual(JSON.parse(JSON.stringify(archiveFile(1, 30_000))));
});
