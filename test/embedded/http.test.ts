import { expect, test } from "vitest";
import { ask, embeddedArchive } from "./support.js";

const archive = await embeddedArchive({ apiKey: "secret-key" });

const OPTIONAL = [
  ["/bills", { query: "budget" }, ["cursor"]],
  ["/mentions", { query: "i" }, ["cursor", "limit", "page", "date", "mindate", "maxdate", "personid", "videotype"]],
  ["/people", {}, ["cursor", "query", "first", "last"]],
  ["/programs/search", { query: "category:Ceremony" }, ["cursor", "sort"]],
] as const;

test.each(OPTIONAL.flatMap(([path, query, names]) => names.map((name) => [path, name, query] as const)))(
  "%s: an empty %s counts as absent",
  async (path, name, query) => {
    const plain = await ask(archive, path, query);
    expect(plain.status).toBe(200);
    for (const empty of ["", " "])
      expect((await ask(archive, path, { ...query, [name]: empty })).text).toBe(plain.text);
  },
);

const DATES = "2024-02-30¦2024-13-01¦2024-1-1¦20240101¦today¦2024-01-01T00:00:00Z";
const NUMBERS = "0¦-1¦1.5¦x¦1e3¦9999999999";
const RANGES =
  "date:[2020-01-01 TO 2021-01-01]¦date:{2020-01-01 TO 2021-01-01}¦date:[2020 TO *]¦date:[* TO 2020-01-01}¦[a TO b]¦" +
  'date:["2020-01-01" TO "2021-01-01"]¦text:climate AND date:[ 2020-01-01   TO   2021-01-01 ]¦(+date:[2020 TO 2021] climate)¦' +
  "date:[2020 to 2021]¦date:{2020-01-01 To 2021-01-01}";
const SYNTAX =
  '(climate¦climate)¦()¦"climate¦climate AND¦AND climate¦AND¦NOT¦OR OR¦climate OR OR budget¦climate AND OR budget¦NOT NOT climate¦' +
  'text:¦text:(¦a:b:c¦text : climate¦+¦- climate¦+climate¦climate\\¦clim*¦*:*¦[climate]¦date:[2020¦climate]¦/clim.*/¦climat~¦"climate change"~3¦(a OR) b';
const FIELDS = ["title", "titel", "Text", "speaker", "*", "__proto__", "constructor", "<implicit>"];

/** Requests for climate by their status, the parameter in question, and its values. */
const STATUSES: ReadonlyArray<readonly [status: number, path: string, parameter: string, values: string]> = [
  ...["/", "/bill", "/bills/", "/bills/1", "/people/1/2", "/programs", "/programs/", "/../bills", "/programs/1"].map(
    (path) => [404, path, "query", "x"] as const,
  ),
  ...["/people/%E0%A4%A", "/programs/556839-1", "/programs/abc", "/programs/1.5", "/programs/-1", "/programs/%20"].map(
    (path) => [400, path, "query", "x"] as const,
  ),
  ...["/bills", "/mentions", "/programs/search"].map((path) => [400, path, "query", "¦  "] as const),
  ...["limit", "page"].map((name) => [400, "/mentions", name, NUMBERS] as const),
  ...["date", "mindate", "maxdate"].map((name) => [400, "/mentions", name, DATES] as const),
  [200, "/programs/search", "sort", "DATE Asc¦date   asc¦ date\tasc "],
  [400, "/programs/search", "sort", "date¦popular¦relevance desc¦date up¦desc date¦constructor¦datedesc"],
  [200, "/programs/search", "query", 'text:"[2020 TO 2021]"¦2020 TO 2021¦climate'],
  [400, "/programs/search", "query", SYNTAX],
  [400, "/programs/search", "query", FIELDS.map((field) => `${field}:x¦text:(a OR ${field}:x)`).join("¦")],
  // As in the live service.
  [500, "/programs/search", "query", RANGES],
];

test.each(STATUSES)("%i is the status of %s with a %s like %s", async (status, path, name, values) => {
  for (const value of values.split("¦")) {
    const answer = await ask(archive, path, { query: "climate", [name]: value });
    expect([answer.status, value]).toEqual([status, value]);
    if (status >= 400) expect(answer.body.message).toBeTypeOf("string");
    if (path === "/mentions") expect(answer.body.message).toContain(name);
  }
});

test.each(["clim*", "climate^2", "!climate", "a&&b", "a\\:b"])(
  "the refusal of %s says what is supported",
  async (query) => {
    const { status, body } = await ask(archive, "/programs/search", { query });
    expect([status, body.message]).toEqual([400, expect.stringContaining("this archive supports fields")]);
  },
);
