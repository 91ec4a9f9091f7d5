import { afterAll, beforeAll, expect, test } from "vitest";
import { type EmbeddedArchive, startEmbeddedArchive } from "../../src/embedded/index.js";
import { ask } from "./support.js";

let archive: EmbeddedArchive;
beforeAll(async () => {
  archive = await startEmbeddedArchive({ size: 200 });
});
afterAll(() => archive.close());

const OPTIONAL = [
  ["/bills", { query: "budget" }, ["cursor"]],
  ["/mentions", { query: "i" }, ["cursor", "limit", "page", "date", "mindate", "maxdate", "personid", "videotype"]],
  ["/people", {}, ["cursor", "query", "first", "last"]],
  ["/programs/search", { query: "category:Ceremony" }, ["cursor", "sort"]],
] as const;

const CASES = OPTIONAL.flatMap(([path, query, names]) => names.map((name) => [path, name, query] as const));

test.each(CASES)("%s: an empty %s counts as absent", async (path, name, query) => {
  const plain = await ask(archive, path, query);
  expect(plain.status).toBe(200);
  for (const empty of ["", " "]) expect((await ask(archive, path, { ...query, [name]: empty })).text).toBe(plain.text);
});
