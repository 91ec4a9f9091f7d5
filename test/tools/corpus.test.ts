import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { hasPhrase, phrasesOf, searchable, words } from "../../src/embedded/search/words.js";
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

const congresses = [112, 113, 114, 115, 116, 117, 118, 119];

describe("people", () => {
  test("Maria Pelosi, 6153, sits in the House of every Congress", () => {
    expect(corpus.people.byId.get("6153")?.name).toBe("Maria Pelosi");
    for (const congress of congresses)
      expect(corpus.people.representatives(congress).map((row) => row.id)).toContain(6153);
  });
});

describe("bills", () => {
  test("there are more than 300, of the 112th to the 119th Congress, with unique ids and numbers", () => {
    expect(corpus.bills.length).toBeGreaterThan(300);
    expect([...new Set(corpus.bills.map(({ row }) => row.congress))]).toEqual([119, 118, 117, 116, 115, 114, 113, 112]);
    expect(new Set(corpus.bills.map(({ row }) => row.id)).size).toBe(corpus.bills.length);
    expect(new Set(corpus.bills.map(({ kind, row }) => `${row.congress}/${kind}${row.billnumber}`)).size).toBe(
      corpus.bills.length,
    );
  });

  test.each([
    ["Inflation Reduction Act", "5376", 117, "hr5376"],
    ["Infrastructure Investment and Jobs Act", "3684", 117, "hr3684"],
  ])("%s is there, once", (title, billnumber, congress, link) => {
    const rows = corpus.bills.filter(({ spokenTitle }) => spokenTitle === title).map(({ row }) => row);
    expect(rows).toMatchObject([{ billnumber, congress }]);
    expect(rows[0]?.link).toContain(link);
  });

  test("titles of the 115th to the 117th Congress have lost every v, x, y and z, the others none", () => {
    for (const { listed, row, spokenTitle } of corpus.bills) {
      const isDamaged = row.congress >= 115 && row.congress <= 117;
      expect(row.billtitle).toBe(isDamaged ? spokenTitle.replace(/[vxyz]/g, " ") : spokenTitle);
      expect(listed).toBe(spokenTitle !== "");
    }
    expect(corpus.bills.some(({ row }) => /Moderni ation|De elopment/.test(row.billtitle))).toBe(true);
  });
});

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

  test("the pieces of captions have the words of the text, and no word spans two", () => {
    const some = corpus.mentions.filter((_, index) => index % 10 === 0);
    expect(some.map(({ captions }) => captions.pieces.flatMap(words))).toEqual(
      some.map((mention) => words(mentionRow(mention).text)),
    );
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

  test("speakers are people, and programs are programs, and clips lie within them", () => {
    const programs = new Map(corpus.programs.map((program) => [program.row.id, program]));
    const wrong = mentions.filter((row) => {
      const program = programs.get(row.programid);
      if (program?.publicId !== row.programPublicId || row.begintime < program.row.date) return true;
      if (row.personid === undefined || row.personid === 999999) return false;
      return !spellings(corpus.people.byId.get(String(row.personid))?.name).test(row.person);
    });
    expect(wrong.slice(0, 5)).toEqual([]);
  });
});

/** A name as rows spell it: as it is, in capitals, or with an initial, and sometimes before titles. */
function spellings(name = "?"): RegExp {
  const [first, last] = name.split(" ");
  return new RegExp(`^(?:${name}|${name.toUpperCase()}|${first} [A-Z]\\. ${last})(?:,|$)`);
}

test("the data file of the embedded archive is what `writeArchive.mjs` writes", () => {
  const file = readFileSync(new URL("../../src/embedded/archive.json.gz", import.meta.url));
  expect(file.length).toBeLessThan(3 * 1024 * 1024);
  expect(JSON.parse(gunzipSync(file).toString("latin1"))).toEqual(JSON.parse(JSON.stringify(archiveFile(1, 30_000))));
});
