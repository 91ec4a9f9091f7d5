import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { methodsOf, openArchive, pl, provenanceOf, readFrame, saveFrame } from "../../src/index.js";
import { expectSameFrame } from "../frames/expectSameFrame.js";
import { embeddedSource } from "../tools/embedded.js";
import { temporaryFolder } from "./temporary.js";

const root = temporaryFolder();
const archive = await openArchive({ announce: false });
afterAll(() => archive.close());
const frame = await archive.mentions("climate", { maxItems: 300 });

const FORMATS = ["csv", "json", "jsonl", "parquet", "arrow"];

describe.each(FORMATS)("a .%s file", (format) => {
  it("is read back with rows, types and provenance", async () => {
    const saved = frame.filter(pl.col("length").gt(60));
    const again = await readFrame(await saveFrame(saved, join(root, `long.${format}`)));
    expectSameFrame(again, saved);
    const provenance = provenanceOf(again);
    expect(provenance?.parameters.query).toBe("climate");
    expect(provenance?.verdict).toBe("capped");
    expect(provenance?.sources).toHaveLength(1);
    expect(provenance?.steps).toEqual([
      ...(provenanceOf(saved)?.steps ?? []),
      { verb: "readFrame", text: `saved and read from long.${format}`, rows: [saved.height, saved.height] },
    ]);
  });
});

it("a file of others has no provenance", async () => {
  writeFileSync(join(root, "theirs.csv"), "name,year\nAnn,2024\n");
  const theirs = await readFrame(join(root, "theirs.csv"));
  expect(theirs.toRecords()).toEqual([{ name: "Ann", year: 2024 }]);
  expect(provenanceOf(theirs)).toBeUndefined();
});

it.each([
  ["book.xlsx", "save the sheet as CSV. Give a file that ends with .csv"],
  ["noextension", '". Give a file that ends with .csv'],
])("%s is refused", async (name, message) => {
  await expect(readFrame(join(root, name))).rejects.toThrow(message);
});

describe("a methods paragraph", () => {
  it("says what was searched, found and done", () => {
    const long = frame.filter(pl.col("length").gt(60));
    const parties = long.groupBy("person").len().sort("person");
    const date = provenanceOf(frame)?.lastResponseAt?.slice(0, 10);
    const hash = provenanceOf(frame)?.sha256.slice(0, 16);
    expect(methodsOf(parties)).toBe(
      `We searched mentions for "climate" in ${embeddedSource()} on ${date}. The search returned 300 rows (SHA-256 of the ` +
        `responses: ${hash}…) and is not complete (capped by maxItems). The rows were then filtered by ` +
        `[(col("length")) > (60.0)] (300 → ${long.height} rows), grouped by person (len) (${long.height} → ${parties.height} rows) ` +
        `and sorted by person. Data were retrieved with archive-frames ${provenanceOf(frame)?.version}.`,
    );
  });

  it("of rows of unknown origin is refused", () => {
    expect(() => methodsOf(pl.DataFrame({ a: [1] }))).toThrow("invalid value");
  });
});
