import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Corpus, cross, openCorpus } from "../../src/corpus/index.js";
import { type ArchiveClient, toRecords } from "../../src/index.js";
import { clientTo } from "../client/clientTo.js";
import { temporaryFolder } from "../files/temporary.js";
import { replayOf } from "../responses/replayOf.js";
import { untilComplete } from "./corpora.js";
import { servedRows, startCorpusService } from "./corpusServer.js";
import { fakeDates } from "./dates.js";
import { tableBytes } from "./tableBytes.js";

const root = temporaryFolder();
/** Without a last day: the windows end on the day of the corpus. */
const searches = cross({ query: ["alpha", "beta"], mindate: "2024-09-01" });
const today = fakeDates();

const open = (name: string, archive: ArchiveClient) =>
  openCorpus(join(root, name), { archive, searches, window: "month" });
const rowsOf = async (corpus: Corpus) => [
  toRecords(await corpus.mentions().drop("run").collect()),
  toRecords(await corpus.hits().drop("run").collect()),
  toRecords(corpus.windows().drop("run")),
];

describe("a recording", () => {
  it("of builds under a budget, on several days, replays on another day", async () => {
    await using service = await startCorpusService(servedRows(300));
    const dir = join(root, "budgeted");
    let runs = 0;
    await untilComplete(async () => {
      today(`2024-12-${20 + runs++}`);
      await using recording = clientTo(service, { pageSize: 10, snapshot: { dir, mode: "record" } });
      return await (await open("recorded", recording)).build({ maxRequests: 12 });
    });
    expect(runs).toBeGreaterThan(1);
    const sent = service.server.requests.length;
    today("2026-02-03");
    await using replay = replayOf(dir, { pageSize: 10 });
    const replayed = await open("replayed", replay);
    expect((await replayed.build()).verdict).toBe("complete");
    expect(await rowsOf(replayed)).toEqual(await rowsOf(await openCorpus(join(root, "recorded"))));
    expect(service.server.requests).toHaveLength(sent);
  });

  it("of a build and a refresh replays both on another day, with the same bytes twice", async () => {
    const rows = servedRows(300);
    await using service = await startCorpusService(rows.filter(({ begintime }) => begintime < "2024-11-20"));
    const dir = join(root, "refreshed");
    today("2024-11-20");
    await using recording = clientTo(service, { pageSize: 10, snapshot: { dir, mode: "record" } });
    const recorded = await open("refreshed-recorded", recording);
    await recorded.build();
    service.rows = rows;
    today("2024-12-10");
    const { mentions } = await recorded.refresh({ lag: "10d" });

    const bytes = [];
    for (const name of ["refreshed-1", "refreshed-2"]) {
      today(name === "refreshed-1" ? "2026-02-03" : "2027-01-01");
      await using replay = replayOf(dir, { pageSize: 10 });
      const corpus = await open(name, replay);
      expect(await corpus.build()).toMatchObject({ verdict: "complete" });
      expect(await corpus.refresh({ lag: "10d" })).toMatchObject({ verdict: "complete", mentions });
      bytes.push(tableBytes(corpus.dir));
    }
    expect(bytes[1]).toEqual(bytes[0]);
  });
});
