import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cross, openCorpus } from "../../src/corpus/index.js";
import { type EmbeddedArchive, startEmbeddedArchive } from "../../src/embedded/index.js";
import { ArchiveClient, toRecords } from "../../src/index.js";
import { temporaryFolder } from "../files/temporary.js";

const root = temporaryFolder();
let service: EmbeddedArchive;
let archive: ArchiveClient;
beforeAll(async () => {
  service = await startEmbeddedArchive({ size: 6000 });
  archive = new ArchiveClient({ baseUrl: service.baseUrl, apiKey: service.apiKey });
});
afterAll(async () => {
  await archive.close();
  await service.close();
});

describe("a build", () => {
  it("has every mention once, and every hit", async () => {
    const searches = cross({ query: ["climate", "energy", "budget"], videotype: ["Speech", "Debate"] });
    const corpus = await openCorpus(join(root, "all"), { archive, searches });
    const summary = await corpus.build();
    const mentions = new Map<string, unknown>();
    let hits = 0;
    for (const search of searches) {
      for await (const row of archive.iterRecords("mentions", search as { query: string })) {
        mentions.set(row.id as string, row);
        hits++;
      }
    }
    expect(summary).toMatchObject({ verdict: "complete", reason: null, windows: { done: 6, total: 6 }, hits });
    const rows = toRecords(await corpus.mentions().collect());
    expect(rows).toHaveLength(mentions.size);
    expect(new Set(rows.map(({ id }) => id))).toEqual(new Set(mentions.keys()));
  });
});
