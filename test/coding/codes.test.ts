import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { codebook, readCodes } from "../../src/coding/index.js";
import { pl, provenanceOf } from "../../src/index.js";
import { embeddedClient } from "../embedded/support.js";
import { newFolders, temporaryFolder } from "../files/temporary.js";
import { warningsOf } from "../util/warningsOf.js";
import { rowKeys } from "./rowKeys.js";

const newFolder = newFolders(temporaryFolder());
const { archive } = await embeddedClient();
const sample = await archive.mentions("climate", { maxItems: 40 });
const book = codebook({ stance: ["support", "oppose", "neither"], note: "text" });
const keys = rowKeys(sample);

/** The file that a page exports, for codes by row number. */
function exported(coder: string, ...codes: readonly (readonly [number, string, string?, string?])[]) {
  const lines = codes.map(
    ([at, stance, note = "", time = "2026-01-01"]) => `${coder},${book.hash},${keys[at]},${stance},${note},${time}`,
  );
  return `\ufeff${["coder,codebook,row,stance,note,coded_at", ...lines].join("\r\n")}\r\n`;
}

/** A folder with such files, by the name of each. */
function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = newFolder();
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

describe("readCodes", () => {
  it("reads several coders in the order of the sample, with the columns and the provenance of the sample", async () => {
    const folder = folderWith({
      "A.csv": exported("A", [3, "support", "'=1+1"], [0, "oppose"]),
      "B.csv": exported("B", [0, "neither"], [1, "", ""]),
    });
    const { result: codes, warnings } = await warningsOf(() => readCodes(folder, sample, book));
    expect(codes.select("row", "coder", "stance", "note").rows()).toEqual([
      [keys[0], "A", "oppose", null],
      [keys[0], "B", "neither", null],
      [keys[3], "A", "support", "=1+1"],
    ]);
    expect(codes.columns).toEqual(["row", "coder", "stance", "note", "coded_at", ...sample.columns]);
    expect(codes.getColumn("text").toArray()[2]).toBe(sample.getColumn("text").toArray()[3]);
    expect(provenanceOf(codes.filter(pl.col("coder").eq(pl.lit("A"))))?.codebook?.hash).toBe(book.hash);
    expect(warnings).toEqual([["CODES_OPEN", "38 of 40 passages have no codes yet."]]);
  });

  it("knows passages without an id by their content, in a sample and in all rows", () => {
    const rows = pl.DataFrame({ text: Array.from({ length: 20_000 }, (_, at) => `passage ${at}`) });
    expect(rowKeys(rows.tail(10_000))).toEqual(rowKeys(rows).slice(10_000));
  });

  it("reads what a spreadsheet saved, and takes the latest of repeated rows", async () => {
    const folder = folderWith({
      "first.csv": exported("A", [0, "Support"], [1, "oppose"]).replaceAll(",", ";"),
      "second.csv": exported("A", [0, "support"], [1, "neither", "", "2026-02-01"]),
    });
    const { result: codes, warnings } = await warningsOf(() => readCodes(folder, sample, book));
    expect(codes.getColumn("stance").toArray()).toEqual(["support", "neither"]);
    const repeated = "A coder sent different codes for the same passage (1 times): the latest ones are used.";
    expect(warnings).toContainEqual(["CODES_REPEATED", repeated]);
  });

  it.each([
    [
      "another codebook",
      exported("A", [0, "support"]).replace(book.hash, "0123456789abcdef"),
      /invalid codebook: "0123456789abcdef" \(line 2 of A.csv\), the sample is coded with "c/,
    ],
    [
      "an unknown passage",
      exported("A", [0, "support"]).replace(keys[0] as string, "m1-000000"),
      /"m1-000000" \(line 2 of A.csv\) is not in the sample/,
    ],
    [
      "an unknown value",
      exported("A", [0, "suport"]),
      /invalid stance: "suport". Give one of "support", "oppose", "neither" \(line 2 of A.csv\)/,
    ],
    [
      "a file without the column of a variable",
      `coder,codebook,row,note\r\nA,${book.hash},${keys[0]},x\r\n`,
      /line 2 of A.csv.*It lacks the columns stance/,
    ],
    ["no coder", exported("", [0, "support"]), /invalid coder/],
    ["other columns", "a,b\n1,2\n", /lacks the columns coder, codebook, row/],
  ])("refuses %s", async (_what, text, message) => {
    const path = join(folderWith({ "A.csv": text }), "A.csv");
    await expect(readCodes(path, sample, book)).rejects.toThrow(message);
    await expect(readCodes(path, sample, { note: "text" } as never)).rejects.toThrow("invalid book: { note: 'text' }.");
  });

  it.each(["zzzz", "27.11.2026 09:00", "2026-02-30", "1"])(
    "refuses the time %j, which would beat any other as text",
    async (time) => {
      const folder = folderWith({
        "1.csv": exported("A", [0, "oppose", "", time]),
        "2.csv": exported("A", [0, "support"]),
      });
      await expect(readCodes(folder, sample, book)).rejects.toThrow(
        `invalid coded_at: ${JSON.stringify(time)}. Give a time like`,
      );
    },
  );

  it("takes the later time, in whatever zone, and any time rather than none", async () => {
    const folder = folderWith({
      "1.csv": exported("A", [0, "oppose", "", "2026-01-01T10:00:00+02:00"], [1, "oppose", "", "2026-01-01"]),
      "2.csv": exported("A", [0, "support", "", "2026-01-01T09:00:00Z"], [1, "support", "", ""]),
    });
    expect((await readCodes(folder, sample, book)).getColumn("stance").toArray()).toEqual(["support", "oppose"]);
  });
});
