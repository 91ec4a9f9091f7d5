import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ArchiveError } from "../../src/index.js";
import { loadLegislators } from "../../src/members/index.js";
import { temporaryFolder } from "../files/temporary.js";
import { embeddedLegislators } from "../tools/embedded.js";
import { RECORDS } from "./shippedRecords.js";

const directory = temporaryFolder();

function fileOf(text: string, name = "legislators.json"): string {
  const path = join(directory, name);
  writeFileSync(path, text);
  return path;
}

const CANTWELL = {
  id: { bioguide: "C000127", cspan: 26137 },
  name: { first: "Maria", last: "Cantwell" },
  terms: [{ type: "rep", start: "1993-01-05", end: "1995-01-03", state: "WA", district: 1, party: "Democrat" }],
};
const [TERM] = CANTWELL.terms;
const json = (...records: readonly unknown[]) => JSON.stringify(records);
const withTerm = (changes: object) => json({ ...CANTWELL, terms: [{ ...TERM, ...changes }] });

describe("loadLegislators", () => {
  it("reads several files, of which the later counts", async () => {
    const records = embeddedLegislators().slice(0, 40);
    const { source } = await loadLegislators(fileOf(JSON.stringify(records)));
    expect(source).toMatchObject({ source: "legislators.json", version: null, date: null, members: 40 });
    expect(source.sha256).toMatch(/^[\da-f]{64}$/);
    const both = await loadLegislators([fileOf(json(CANTWELL), "a.json"), fileOf(JSON.stringify(RECORDS))]);
    expect(both.source).toMatchObject({ source: "a.json, legislators.json", members: 1138 });
    expect(both.members.find(({ bioguide }) => bioguide === "C000127")?.terms).toHaveLength(6);
  });

  it("accepts what the historical file has: no party, a district of -1, a former name", async () => {
    const terms = [{ ...TERM, party: undefined, district: -1 }];
    const { members } = await loadLegislators(fileOf(json({ ...CANTWELL, terms, other_names: [{ last: "Old" }] })));
    expect(members[0]?.terms).toMatchObject([{ district: null, parties: [{ party: null, caucus: null }] }]);
    expect(members[0]?.names.family).toEqual(["Cantwell", "Old"]);
  });

  it.each([
    ["a page of HTML", "<!DOCTYPE html>\n<html></html>\n", ": the file is not JSON"],
    ["a deep list", "[".repeat(5_000), ": the file is not JSON"],
    ["no list", "{}", ": the list is not a list of members"],
    ["an empty list", "[]", ": the list contains no members"],
    ["no id", json({ ...CANTWELL, id: { thomas: "1" } }), ": id.bioguide of member 1 is missing"],
    [
      "a text as id",
      json({ ...CANTWELL, id: { bioguide: "C000127", cspan: "x" } }),
      ': id.cspan of "C000127" is not a whole number',
    ],
    ["an unknown chamber", withTerm({ type: "prez" }), ': terms[0].type of "C000127" is neither'],
    ["a day that no calendar has", withTerm({ end: "1995-02-31" }), ': terms[0].end of "C000127" is not a day'],
    ["no terms", json({ ...CANTWELL, terms: undefined }), ': terms of "C000127" is missing'],
    ["a text as terms", json({ ...CANTWELL, terms: "none" }), ': terms of "C000127" is not a list'],
  ])("refuses %s, with the member", async (_what, text, message) => {
    const path = fileOf(text);
    const error: unknown = await loadLegislators(path).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ArchiveError);
    expect(error).toMatchObject({ code: "LEGISLATORS_INVALID", path });
    expect((error as Error).message).toContain(`${path}${message}`);
    expect((error as Error).message.length).toBeLessThan(600);
  });

  it("says where the JSON is, and how to convert YAML", async () => {
    const path = fileOf("- id:\n    bioguide: C000127\n", "legislators.yaml");
    await expect(loadLegislators(path)).rejects.toThrow(
      /unitedstates\.github\.io.*python3 -c "import json.*> legislators\.json/,
    );
  });

  it("refuses what is no file, or too large", async () => {
    await expect(loadLegislators(join(directory, "none.json"))).rejects.toMatchObject({ code: "FILE_ERROR" });
    await expect(loadLegislators(directory)).rejects.toThrow("is not a file.");
    await expect(loadLegislators([])).rejects.toThrow("invalid paths");
    await expect(loadLegislators(fileOf(" ".repeat(33 * 2 ** 20)))).rejects.toThrow("is larger than");
  });
});
