import { chmodSync, cpSync, mkdirSync, renameSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openCorpus } from "../../src/corpus/index.js";
import { FileError } from "../../src/index.js";
import { clientTo } from "../client/clientTo.js";
import { temporaryFolder } from "../files/temporary.js";
import { give, isRoot, STRANGER } from "../fs/users.js";
import { errorOf } from "../service/helpers.js";
import { type CorpusService, servedRows, startCorpusService } from "./corpusServer.js";

const root = temporaryFolder();
const whole = join(root, "whole");
const searches = [{ query: "alpha", mindate: "2024-01-01", maxdate: "2024-02-29" }];
let service: CorpusService;
beforeAll(async () => {
  service = await startCorpusService(servedRows(60));
  await (await openCorpus(whole, { archive: clientTo(service), searches, window: "month", lookups: [] })).build();
});
afterAll(() => service[Symbol.asyncDispose]());

let copies = 0;
function copyOf(change: (dir: string) => void): string {
  const dir = join(root, `copy${++copies}`);
  cpSync(whole, dir, { recursive: true });
  change(dir);
  return dir;
}

const open = (dir: string) => openCorpus(dir, { archive: clientTo(service) });
/** Moves a directory out of the corpus, and leaves a link to it. */
function linked(dir: string, name: string): void {
  const away = join(root, `away${copies}`);
  renameSync(join(dir, name), away);
  symlinkSync(away, join(dir, name));
}

describe("a corpus that someone else made", () => {
  it.each(["tables", "tables/mentions", "tables/hits"])("is not read through a link at %s", async (name) => {
    const corpus = await openCorpus(copyOf((dir) => linked(dir, name)));
    const read = async () => [await corpus.mentions().collect(), await corpus.hits().collect()];
    expect(await errorOf(read(), FileError)).toMatchObject({ code: "UNSAFE_PATH" });
    expect((await corpus.verify()).ok).toBe(false);
  });

  it.each([
    "tables/mentions/year=2024",
    "tables/mentions/year=2024/month=01",
    "tables/mentions/year=2024/month=01/part.parquet",
  ])("has no rows behind a link at %s", async (name) => {
    const corpus = await openCorpus(copyOf((dir) => linked(dir, name)));
    const found = await corpus.mentions().select("begintime").collect();
    const months = new Set(
      found
        .getColumn("begintime")
        .toArray()
        .map((time) => (time as unknown as Date).getUTCMonth()),
    );
    expect(months.has(0)).toBe(false);
  });

  it.runIf(isRoot)("is not built in a directory of another user, or one that others can write to", async () => {
    for (const change of [(dir: string) => give(STRANGER, dir), (dir: string) => chmodSync(dir, 0o777)]) {
      const dir = copyOf(change);
      expect(await errorOf((await open(dir)).build(), FileError)).toMatchObject({ code: "UNSAFE_PATH" });
    }
    const shared = join(root, "shared");
    mkdirSync(shared);
    give(STRANGER, shared);
    chmodSync(shared, 0o775);
    expect(await errorOf(openCorpus(shared, { archive: clientTo(service), searches }), FileError)).toMatchObject({
      code: "UNSAFE_PATH",
    });
  });
});
