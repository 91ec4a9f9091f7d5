import { describe, expect, it } from "vitest";
import { ArchiveClient, openArchive, provenanceOf, readFrame, toDataFrame } from "../../src/index.js";
import { membersReport, withMembers } from "../../src/members/index.js";
import { temporaryFolder } from "../files/temporary.js";
import { LONG } from "../scale.js";
import { createClient } from "../service/paging/generatedService.js";
import { embeddedSource } from "../tools/embedded.js";
import { legislatorsOf } from "../tools/legislators.js";
import { startGeneratedArchive } from "../tools/startGenerated.js";
import { Corpus, mentionRow, SpeakerTruths } from "../tools/truth.js";

/** What a way of joining found, of what there was to find. */
interface Score {
  expected: number;
  joined: number;
  correct: number;
}

/** The join of a corpus, measured against who truly spoke. */
async function scores(seed: number, size: number) {
  const corpus = new Corpus(seed, size);
  const truths = new SpeakerTruths(corpus.people);
  const rows = corpus.mentions.map(mentionRow);
  const frame = toDataFrame(rows, { operation: "mentions" });
  const legislators = legislatorsOf(seed);
  const result = await withMembers(frame, { legislators });
  const known = new Set(legislators.flatMap(({ id }) => id.cspan ?? []));
  const score = { id: zero(), name: zero(), chamber: 0 };
  const [bioguides, inferred, chambers] = ["bioguide", "inferred", "chamber"].map((name) => [
    ...result.getColumn(name).toArray(),
  ]);
  corpus.mentions.forEach((mention, row) => {
    const truth = truths.of(mention);
    const way = mention.personid !== undefined && known.has(mention.personid) ? "id" : "name";
    if (truth.member) score[way].expected++;
    const bioguide = bioguides?.[row] as string | null;
    if (bioguide === null) return;
    const by = score[inferred?.[row] ? "name" : "id"];
    by.joined++;
    if (!truth.member || Number(bioguide.slice(1)) !== truth.personid) return;
    by.correct++;
    if (chambers?.[row] === truth.chamber) score.chamber++;
  });
  return { ...score, height: result.height, report: membersReport(result) };
}

function zero(): Score {
  return { expected: 0, joined: 0, correct: 0 };
}

describe("the members of an embedded archive", () => {
  it.each(LONG ? [1, 2, 101] : [1])("are joined as they truly spoke, seed %i", async (seed) => {
    const { id, name, chamber, height, report } = await scores(seed, LONG ? 30_000 : 4_000);
    expect(height).toBe(LONG ? 30_000 : 4_000);
    expect(id.correct).toBe(id.joined);
    expect(id.correct / id.expected).toBeGreaterThan(0.98);
    expect(name.correct / name.joined).toBeGreaterThan(0.99);
    expect(name.correct / name.expected).toBeGreaterThan(0.85);
    expect(chamber).toBe(id.correct + name.correct);
    const { rows = 0, byId, byName, noMember, notInOffice, ambiguous, contradicted, noDay } = report ?? {};
    expect([byId, byName, noMember, notInOffice, ambiguous, contradicted, noDay].reduce((a = 0, b = 0) => a + b)).toBe(
      rows,
    );
  });

  it("are the default for its rows", async () => {
    await using archive = await openArchive({ announce: false });
    const joined = await withMembers(await archive.mentions("climate", { limit: 50 }));
    expect(provenanceOf(joined)?.members?.legislators.source).toBe(embeddedSource());
    expect(membersReport(joined)?.byId).toBeGreaterThan(0);
    const scan = withMembers(archive.scan.mentions("climate").head(30));
    for await (const frame of scan) expect(frame.columns).toContain("party");
    expect(membersReport(scan)?.rows).toBe(30);
  });

  it("are known from saved rows; those of other data are an error, not real members", async () => {
    await using archive = await openArchive({ announce: false });
    const path = await archive.save("mentions", `${temporaryFolder()}/saved.parquet`, {
      query: "climate",
      maxItems: 50,
    });
    expect(membersReport(await withMembers(await readFrame(path)))?.byId).toBeGreaterThan(0);
    await using other = createClient(
      { baseUrl: archive.baseUrl, apiKey: "embedded-archive" },
      { source: "embedded archive 00000000" },
    );
    await expect(withMembers(await other.mentions("climate"))).rejects.toThrow(
      "another version of the embedded archive",
    );
  });

  it("are not mistaken for real ones, whose ids they share", async () => {
    await using archive = await startGeneratedArchive({ seed: 5, size: 3_000 });
    await using client = new ArchiveClient({ baseUrl: archive.baseUrl, apiKey: archive.apiKey });
    const report = membersReport(await withMembers(await client.mentions("climate", { maxItems: 1_000 })));
    expect(report?.legislators.source).toContain("unitedstates/congress-legislators");
    expect([report?.byId, report?.byName]).toEqual([0, 0]);
  });
});
