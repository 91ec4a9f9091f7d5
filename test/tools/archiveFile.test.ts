import { readFileSync } from "node:fs";
import { brotliDecompressSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { archiveFile } from "./archiveFile.js";
import { embeddedCollection, embeddedLegislators, hasPhrase, phrasesOf, searchable, words } from "./embedded.js";
import { Corpus, mentionRow } from "./truth.js";

const { bills, mentions, people, programs } = embeddedCollection();
const said = mentions.map(({ text }) => searchable([text]));
const spoken = (query: string) => {
  const phrases = phrasesOf(query);
  return mentions.filter((_, at) => phrases.every((phrase) => hasPhrase(said[at] ?? "", phrase)));
};

test("the file is what `writeArchive.mjs` writes", () => {
  const file = readFileSync(new URL("../../src/embedded/archive.json.br", import.meta.url));
  expect(file.length).toBeLessThan(2 * 1024 * 1024);
  expect(JSON.parse(brotliDecompressSync(file).toString("latin1"))).toEqual(
    JSON.parse(JSON.stringify(archiveFile(1, 30_000))),
  );
});

test("the pieces of captions have the words of the text, and no word spans two", () => {
  const some = new Corpus(1, 3_000).mentions;
  expect(some.map(({ captions }) => captions.pieces.flatMap(words))).toEqual(
    some.map((mention) => words(mentionRow(mention).text)),
  );
});

describe("the embedded archive has what the documentation and the notebooks ask for", () => {
  test.each([
    ["Inflation Reduction Act", "5376", 117],
    ["Infrastructure Investment and Jobs Act", "3684", 117],
  ])("the %s, once, and hundreds of speeches on it", (title, billnumber, congress) => {
    expect(bills.filter(({ names }) => names.includes(title)).map(({ row }) => row)).toMatchObject([
      { billnumber, congress },
    ]);
    const speeches = spoken(`"${title}"`).filter(({ videoTypeId }) => videoTypeId === 16 || videoTypeId === 18);
    expect(speeches.length).toBeGreaterThan(300);
  });

  test("titles of the 115th to the 117th Congress without v, x, y and z", () => {
    for (const { row, names } of bills) {
      const [title = ""] = names;
      const isDamaged = row.congress >= 115 && row.congress <= 117;
      expect(row.billtitle).toBe(isDamaged ? title.replace(/[vxyz]/g, " ") : title);
    }
    expect(bills.some(({ row }) => /Moderni ation|De elopment/.test(row.billtitle))).toBe(true);
  });

  test.each([
    "climate",
    '"climate change"',
    "budget",
    '"artificial intelligence"',
    "inflation",
    "border",
    "infrastructure",
  ])("%s, in every year from 2011 to 2026", (query) => {
    const rows = spoken(query);
    expect(rows.length).toBeGreaterThan(300);
    expect(new Set(rows.map((row) => row.begintime.slice(0, 4))).size).toBeGreaterThan(14);
  });

  test("Maria Pelosi, 6153, who speaks about climate often, and is a member in every Congress", () => {
    expect(people.find(({ id }) => id === 6153)?.name).toBe("Maria Pelosi");
    const hers = spoken("climate").filter((row) => row.personid === 6153);
    expect(hers.filter((row) => row.begintime >= "2024-01-01").length).toBeGreaterThan(50);
    expect(embeddedLegislators().find(({ id }) => id.cspan === 6153)?.terms).toHaveLength(8);
    expect(programs.some(({ row }) => row.id === 683_870)).toBe(true);
  });

  test("hostile text", () => {
    const kinds = [
      /^=/,
      /^@here/,
      /^-5/,
      /<b>.*<\/b>/is,
      /<script>/i,
      />> /,
      /"/,
      /,/,
      /[^\r]\n/,
      /\r\n/,
      /\u2028/,
      /😀/,
      /🇺🇸/u,
    ];
    expect(kinds.filter((kind) => !mentions.some(({ text }) => kind.test(text)))).toEqual([]);
  });

  test("speakers who are people, and clips within their programs", () => {
    const names = new Map(people.map(({ id, name }) => [id, name]));
    const dates = new Map(programs.map(({ row }) => [row.id, row.date]));
    const wrong = mentions.filter(({ personid, person, programid, begintime }) => {
      const [first, last] = (names.get(personid ?? 0) ?? "").split(" ");
      const isUnknown = personid === undefined || personid === 999_999;
      const fits = isUnknown || new RegExp(`^${first} (?:[A-Z]\\. )?${last}(?:,|$)`, "i").test(person);
      return !fits || begintime < String(dates.get(programid));
    });
    expect(wrong.slice(0, 5)).toEqual([]);
  });
});
