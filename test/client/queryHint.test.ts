import { expect, it } from "vitest";
import { openArchive, provenanceOf, toRecords } from "../../src/index.js";

it("says why a search with operators found no mention, once", async () => {
  await using archive = await openArchive({ announce: false });
  const warnings: string[] = [];
  const listen = (warning: Error) => warnings.push(warning.message);
  process.on("warning", listen);
  for (const query of ["zyzzy AND climate", "zyzzy AND climate", "zyzzyva*", "zyzzyva"]) {
    expect((await archive.mentions(query, { maxItems: 5 })).height).toBe(0);
  }
  await archive.bills("zyzzy AND climate");
  await new Promise((resolve) => setImmediate(resolve));
  process.off("warning", listen);
  expect(warnings.map((text) => text.split(". ")[0])).toEqual([
    'No mention was found for "zyzzy AND climate": mentions take a word or a phrase, and no "AND"',
    'No mention was found for "zyzzyva*": mentions take a word or a phrase, and no "*"',
  ]);
});

it("takes all rows for maxItems: Infinity, and sorts a scan by several names", async () => {
  await using archive = await openArchive({ announce: false });
  const given = { mindate: "2024-03-01", maxdate: "2024-03-31" };
  const all = await archive.mentions("climate", { ...given, maxItems: Number.POSITIVE_INFINITY });
  expect(provenanceOf(all)?.verdict).toBe("complete");
  const scan = archive.scan.mentions("climate", given);
  const sorted = await scan.sort("person", "begintime").collect({ maxItems: Number.POSITIVE_INFINITY });
  expect(toRecords(sorted)).toEqual(toRecords(await scan.sort(["person", "begintime"]).collect()));
  expect(sorted.height).toBe(all.height);
});
