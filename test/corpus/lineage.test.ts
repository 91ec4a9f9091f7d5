import { join } from "node:path";
import { expect, it } from "vitest";
import { openCorpus } from "../../src/corpus/index.js";
import { methodsOf, openArchive, pl, provenanceOf } from "../../src/index.js";
import { membersReport, withMembers } from "../../src/members/index.js";
import { rates } from "../../src/text/index.js";
import { temporaryFolder } from "../files/temporary.js";

const root = temporaryFolder();

it("the tables of a corpus have a source for each search", async () => {
  await using archive = await openArchive({ announce: false });
  const days = { mindate: "2024-01-01", maxdate: "2024-03-31" };
  const corpus = await openCorpus(join(root, "study"), {
    archive,
    searches: [
      { query: "climate", ...days },
      { query: "energy", ...days },
    ],
    window: "month",
    lookups: [],
  });
  await corpus.build();
  const rows = await corpus.mentions().filter(pl.col("length").gt(30)).collect();
  const { sources, steps, verdict, source } = provenanceOf(rows) ?? {};
  expect(sources?.map(({ parameters, verdict }) => [parameters, verdict])).toEqual([
    [{ query: "climate", ...days }, "complete"],
    [{ query: "energy", ...days }, "complete"],
  ]);
  const hits = await corpus.hits().collect();
  expect(sources?.reduce((sum, each) => sum + each.rows, 0)).toBe(hits.height);
  expect(steps?.map(({ verb }) => verb)).toEqual(["corpus", "filter"]);
  expect(verdict).toBe("complete");
  expect(methodsOf(rows)).toMatch(/for "climate" \(.*mindate 2024-01-01.*for "energy"/);
  await expect(rates(rows, "tax")).rejects.toThrow('a search for "climate + energy"');
  await expect(rates(corpus.mentions(), "tax")).rejects.toThrow('a search for "climate + energy"');
  expect(membersReport(await withMembers(rows))?.legislators.source).toBe(source);
});
