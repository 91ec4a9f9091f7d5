import { existsSync, mkdirSync, readdirSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { pruneCache } from "../../src/responses/openSnapshot.js";
import { cacheDirectory } from "../../src/responses/snapshotOptions.js";
import { snapshotInfo } from "../../src/responses/snapshots.js";
import { clientTo } from "../client/clientTo.js";
import { pagedArchive, startPagedServer } from "../scan/pagedServer.js";
import { FILE, GET, HEADER, PAGE, responseOf, writeSnapshot } from "./handmade.js";
import { newDirectory, startRecording } from "./recording.js";
import { replayOf } from "./replayOf.js";

const snapshotOf = (source: string, dir = newDirectory(), more = {}) =>
  writeSnapshot(dir, [responseOf(GET, PAGE, more)], { ...HEADER, source, baseUrl: source });

describe("the directory of a store", () => {
  it.skipIf(process.platform === "win32")("is private, as are the files in it", async () => {
    const cache = { dir: newDirectory(), maxAge: 60 };
    const umask = process.umask(0);
    try {
      const { dir, server, archive } = await startRecording({ rows: 3 });
      await archive.mentions("climate");
      await using caching = clientTo(server, { cache });
      await caching.mentions("climate");
      for (const made of [dir, cacheDirectory(cache.dir, server.baseUrl)]) {
        expect(statSync(made).mode & 0o777).toBe(0o700);
        for (const entry of readdirSync(made, { recursive: true, withFileTypes: true })) {
          const { mode } = statSync(join(entry.parentPath, entry.name));
          expect([entry.name, mode & 0o777]).toEqual([entry.name, entry.isDirectory() ? 0o700 : 0o600]);
        }
      }
    } finally {
      process.umask(umask);
    }
  });

  it("may be a link that the user named", async () => {
    const [dir, link] = [newDirectory(), newDirectory()];
    mkdirSync(dir, { mode: 0o700 });
    symlinkSync(dir, link);
    const { archive } = await pagedArchive({ rows: 3 }, { snapshot: { dir: link } });
    await archive.mentions("climate");
    await using replay = replayOf(link);
    expect((await replay.mentions("climate")).height).toBe(3);
    expect(snapshotInfo(dir).responses).toBe(1);
  });
});

describe("a cache", () => {
  it("ignores and prunes a response dated in the future", async () => {
    await using server = await startPagedServer({ rows: 3 });
    const cache = { dir: newDirectory(), maxAge: Number.POSITIVE_INFINITY };
    const dir = cacheDirectory(cache.dir, server.baseUrl);
    const time = "2099-01-01T00:00:00.000Z";
    snapshotOf(server.baseUrl, dir, { sentAt: time, receivedAt: time });
    await using caching = clientTo(server, { cache });
    expect((await caching.mentions("climate")).height).toBe(3);
    utimesSync(join(dir, FILE), new Date(time), new Date(time));
    pruneCache(dir, 60, Date.now());
    expect(existsSync(join(dir, FILE))).toBe(false);
  });

  it.skipIf(process.platform === "win32")("prunes only its own files", async () => {
    const [dir, elsewhere] = [newDirectory(), newDirectory()];
    const old = new Date("2020-01-01");
    const file = (path: string) => {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, "");
      utimesSync(path, old, old);
      return path;
    };
    const names = ["x.responses", "notes.txt", "deep/y.responses"];
    const [own, ...others] = names.map((name) => file(join(dir, name))) as [string, ...string[]];
    const theirs = file(join(elsewhere, "z.responses"));
    symlinkSync(theirs, join(dir, "link.responses"));
    pruneCache(dir, 60, Date.now());
    expect([own, theirs, ...others].map((path) => existsSync(path))).toEqual([false, true, true, true]);
    rmSync(dir, { recursive: true });
    symlinkSync(elsewhere, dir);
  });
});
