import { join } from "node:path";
import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import { cross, hydrateCorpus, openCorpus } from "../../../src/corpus/index.js";
import { contentHashes } from "../../../src/corpus/publish/hydrateCorpus.js";
import { type pl, toDataFrame, toRecords } from "../../../src/index.js";
import { clientTo } from "../../client/clientTo.js";
import { temporaryFolder } from "../../files/temporary.js";
import { runs } from "../../scale.js";
import { find, servedRows, startCorpusService } from "../corpusServer.js";
import { fakeDates } from "../dates.js";
import { tableBytes } from "../tableBytes.js";

const root = temporaryFolder();
const searches = cross({ query: ["alpha", "beta"], mindate: "2024-09-01", maxdate: "2024-11-30" });
const rows = servedRows(400);

const today = fakeDates();
beforeEach(() => today("2025-03-01"));

/** A service, the corpus of its rows, and the export of that without text. */
async function exported(name: string) {
  const service = await startCorpusService(rows);
  const archive = clientTo(service, { pageSize: 10 });
  const dir = join(root, name);
  const corpus = await openCorpus(dir, { archive, searches, window: "month", lookups: [] });
  await corpus.build();
  const ids = join(root, `${name}-ids`);
  await corpus.export(ids, { idsOnly: true });
  return { service, archive, corpus, dir, ids };
}

const inRange = rows.filter(({ begintime }) => begintime >= "2024-09-01" && begintime < "2024-12-01");
const found = new Set(["alpha", "beta"].flatMap((query) => find(inRange, { query }).map(({ id }) => id)));

describe("hydrateCorpus", () => {
  it("builds the same tables again if the service returns the same", async () => {
    const { service, archive, dir, ids } = await exported("same");
    await using _ = service;
    const again = join(root, "same-again");
    const { summary, fidelity } = await hydrateCorpus(ids, again, { archive });
    expect(summary.verdict).toBe("complete");
    expect(fidelity).toMatchObject({ same: found.size, changed: 0, vanished: 0, added: 0 });
    expect(fidelity?.differences.height).toBe(0);
    expect(tableBytes(again)).toEqual(tableBytes(dir));
    const before = service.server.requests.length;
    expect((await hydrateCorpus(ids, again, { archive })).fidelity?.same).toBe(found.size);
    expect(service.server.requests).toHaveLength(before);
  });

  it("says what is changed, gone and new since, a month later", async () => {
    const { service, archive, ids } = await exported("later");
    await using _ = service;
    today("2025-04-05");
    const [changed, gone] = inRange.filter(({ id }) => found.has(id)) as [(typeof rows)[0], (typeof rows)[0]];
    const added = { ...changed, id: "99999999", begintime: "2024-10-10T10:00:00Z" };
    service.rows = [...rows.filter(({ id }) => id !== gone.id), added].map((row) =>
      // A column that the service adds changes nothing.
      ({ ...row, channel: "new", ...(row.id === changed.id && { text: `${row.text} corrected` }) }),
    );
    const capped = await hydrateCorpus(ids, join(root, "later-again"), { archive, maxRequests: 3 });
    expect(capped).toMatchObject({ summary: { verdict: "capped", requests: 3 }, fidelity: null });
    const { fidelity } = await hydrateCorpus(ids, join(root, "later-again"), { archive });
    expect(fidelity).toMatchObject({ same: found.size - 2, changed: 1, vanished: 1, added: 1 });
    const differences = toRecords(fidelity?.differences as pl.DataFrame);
    expect(differences.map(({ id, difference }) => `${id} ${difference}`).sort()).toEqual(
      [`${changed.id} changed`, `${gone.id} vanished`, "99999999 added"].sort(),
    );
    expect(differences.every(({ begintime }) => begintime instanceof Date)).toBe(true);
  });

  it("refuses what it cannot compare, before any request", async () => {
    const { service, archive, dir, ids } = await exported("refused");
    await using _ = service;
    const before = service.server.requests.length;
    const to = join(root, "refused-again");
    await expect(hydrateCorpus(dir, to, { archive })).rejects.toThrow(/It has its text/);
    await expect(hydrateCorpus(`${ids}.zip`, to, { archive })).rejects.toThrow(/Unpack it/);
    await expect(hydrateCorpus(join(root, "none"), to, { archive })).rejects.toThrow(/an export of a corpus/);
    const others = join(root, "others");
    await openCorpus(others, { archive, searches: [{ query: "gamma", mindate: "2024-09-01" }], window: "month" });
    await expect(hydrateCorpus(ids, others, { archive })).rejects.toThrow(/a corpus of other searches/);
    await expect(hydrateCorpus(ids, to, {} as never)).rejects.toThrow(/invalid archive/);
    await using elsewhere = await startCorpusService(rows);
    await expect(hydrateCorpus(ids, to, { archive: clientTo(elsewhere) })).rejects.toMatchObject({
      code: "OTHER_SERVICE",
    });
    expect(service.server.requests).toHaveLength(before);
    expect(elsewhere.server.requests).toEqual([]);
  });
});

describe("the checksum of a mention", () => {
  const value = fc.oneof(fc.string(), fc.constant(null), fc.integer(), fc.constant("a\u0000b"));
  const row = fc.record({ id: fc.string(), text: value, person: value });
  const hashOf = (members: object, others = {}) => contentHashes(toDataFrame([{ ...members, ...others }]))[0];

  it("does not depend on the order of the columns, on empty columns, or on the days of the corpus", () => {
    fc.assert(
      fc.property(row, ({ id, text, person }) => {
        const hash = hashOf({ id, text, person });
        expect(hashOf({ person, text, id })).toBe(hash);
        expect(hashOf({ id, text, person }, { first_seen: "2024-01-01", vanished: "2024-01-02", more: null })).toBe(
          hash,
        );
      }),
      { numRuns: runs(50, 50) },
    );
  });

  it("differs if a value, or the column of a value, differs", () => {
    fc.assert(
      fc.property(row, row, (a, b) => {
        const same = (["id", "text", "person"] as const).every(
          (name) => (a[name] === null) === (b[name] === null) && String(a[name]) === String(b[name]),
        );
        expect(hashOf(a) === hashOf(b)).toBe(same);
      }),
      { numRuns: runs(50, 50) },
    );
    expect(hashOf({ id: "1", text: "a" })).not.toBe(hashOf({ id: "1", person: "a" }));
    expect(hashOf({ id: "1", text: '"],["person","b' })).not.toBe(hashOf({ id: "1", text: "", person: "b" }));
  });
});
