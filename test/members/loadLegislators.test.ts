import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { dump } from "js-yaml";
import { describe, expect, it } from "vitest";
import { embeddedLegislators } from "../../src/embedded/data.js";
import { ArchiveError } from "../../src/index.js";
import { loadLegislators } from "../../src/members/index.js";
import { temporaryFolder } from "../files/temporary.js";
import { RECORDS } from "./shippedRecords.js";

const directory = temporaryFolder();

function fileOf(text: string, name = "legislators.yaml"): string {
  const path = join(directory, name);
  writeFileSync(path, text);
  return path;
}

const CANTWELL = `- id:
    bioguide: C000127
    cspan: 26137
  name:
    first: Maria
    last: Cantwell
  terms:
  - type: rep
    start: '1993-01-05'
    end: 1995-01-03
    state: WA
    district: 1
    party: Democrat
`;

describe("loadLegislators", () => {
  it("reads YAML and JSON alike, and several files", async () => {
    const records = embeddedLegislators().slice(0, 40);
    const yaml = await loadLegislators(fileOf(dump(records)));
    const json = await loadLegislators(fileOf(JSON.stringify(records), "legislators.json"));
    expect(json.members).toEqual(yaml.members);
    expect(yaml.source).toMatchObject({ source: "legislators.yaml", version: null, date: null, members: 40 });
    expect(yaml.source.sha256).toMatch(/^[\da-f]{64}$/);
    const both = await loadLegislators([
      fileOf(CANTWELL, "a.yaml"),
      fileOf(JSON.stringify(RECORDS), "legislators.json"),
    ]);
    expect(both.source).toMatchObject({ source: "a.yaml, legislators.json", members: 1138, sittingOnly: false });
    // The later file counts.
    expect(both.members.find(({ bioguide }) => bioguide === "C000127")?.terms).toHaveLength(6);
  });

  it("accepts what the historical file has: no party, a district of -1, a former name", async () => {
    const text = `${CANTWELL.replace("    party: Democrat\n", "").replace("district: 1", "district: -1")}  other_names:\n  - last: Old\n`;
    const { members, source } = await loadLegislators(fileOf(text));
    expect(members[0]?.terms).toEqual([
      {
        chamber: "house",
        start: "1993-01-05",
        end: "1995-01-03",
        endApproximate: false,
        state: "WA",
        district: null,
        parties: [{ start: "1993-01-05", end: "1995-01-03", party: null, caucus: null }],
      },
    ]);
    expect(members[0]?.names.family).toEqual(["Cantwell", "Old"]);
    expect(source.sittingOnly).toBe(true);
    const gone = CANTWELL.replace("C000127", "X000001").replace("1993", "1991").replace("1995", "1992");
    expect((await loadLegislators(fileOf(CANTWELL + gone))).source.sittingOnly).toBe(false);
  });

  it.each([
    ["no YAML", CANTWELL.replace("  name:", "   name:"), ", line 4: "],
    ["a page of HTML", "<!DOCTYPE html>\n<html></html>\n", ": the list is not a list of members"],
    ["nothing", "", ", line 1: "],
    ["an empty list", "[]", ": the list contains no members"],
    ["no id", CANTWELL.replace("bioguide: C000127", "thomas: '1'"), ": id.bioguide of member 1 is missing"],
    ["a text as id", CANTWELL.replace("26137", "mariacantwell"), ': id.cspan of "C000127" is not a whole number'],
    ["an unknown chamber", `${CANTWELL}${CANTWELL.replace("rep", "prez")}`, ': terms[0].type of "C000127" is neither'],
    ["no day", CANTWELL.replace("1995-01-03", "1995-02-31x"), ': terms[0].end of "C000127" is not a day'],
    [
      "a day that no calendar has",
      CANTWELL.replace("1995-01-03", "1995-02-31"),
      ': terms[0].end of "C000127" is not a day',
    ],
    ["no terms", CANTWELL.slice(0, CANTWELL.indexOf("  terms")), ': terms of "C000127" is missing'],
    ["a text as terms", CANTWELL.replace(/terms:.*/s, "terms: none\n"), ': terms of "C000127" is not a list'],
    ["JSON with an error", '[{"id": {"bioguide": "C1"},\n "name": }]', ': name of "C1" is missing'],
    ["a duplicate key", CANTWELL.replace("    last:", "    first: Ann\n    last:"), ", line 6: duplicated mapping key"],
    ["aliases", `- &a ${"x".repeat(20)}\n- *a\n`, ", line 2: "],
    ["a deep list", `${"[".repeat(5_000)}`, ", line 1: "],
  ])("refuses %s, with the line or the member", async (_what, text, message) => {
    const path = fileOf(text);
    const error: unknown = await loadLegislators(path).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ArchiveError);
    expect(error).toMatchObject({ code: "LEGISLATORS_INVALID", path });
    expect((error as Error).message).toContain(`${path}${message}`);
    expect((error as Error).message.length).toBeLessThan(600);
  });

  it("refuses what is no file, or too large", async () => {
    await expect(loadLegislators(join(directory, "none.yaml"))).rejects.toMatchObject({ code: "FILE_ERROR" });
    await expect(loadLegislators(directory)).rejects.toThrow("is not a file.");
    await expect(loadLegislators([])).rejects.toThrow("invalid paths");
    await expect(loadLegislators(fileOf(" ".repeat(33 * 2 ** 20)))).rejects.toThrow("is larger than");
  });
});
