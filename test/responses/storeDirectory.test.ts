import { execFileSync } from "node:child_process";
import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { ArchiveError, type SnapshotMode, snapshotInfo } from "../../src/index.js";
import { pruneCache } from "../../src/responses/openSnapshot.js";
import { cacheDirectory } from "../../src/responses/snapshotOptions.js";
import { clientTo } from "../client/clientTo.js";
import { temporaryFolder } from "../files/temporary.js";
import { give, isRoot, STRANGER } from "../fs/users.js";
import { startPagedServer } from "../scan/pagedServer.js";
import { errorOf } from "../service/helpers.js";
import { GET, HEADER, PAGE, responseIn, writeSnapshot } from "./handmade.js";
import { replayOf } from "./replayOf.js";

const root = temporaryFolder();
let folders = 0;
const folder = () => join(root, String(++folders));
const snapshotOf = (lines: (dir: string) => readonly object[], head: object = HEADER, dir = folder()) =>
  writeSnapshot(dir, lines, head);

describe("the directory of a store", () => {
  const MODES: readonly SnapshotMode[] = ["record", "refresh", "auto"];

  it.skipIf(process.platform === "win32")("is private, as are the files in it", async () => {
    const dir = folder();
    const cache = { dir: folder(), maxAge: 60 };
    const umask = process.umask(0);
    try {
      await using server = await startPagedServer({ rows: 3 });
      await using recording = clientTo(server, { snapshot: { dir } });
      await recording.mentions("climate");
      for (const _ of ["new", "pruned"]) {
        await using caching = clientTo(server, { cache });
        await caching.mentions("climate");
      }
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

  it.each(["bodies", "index"])(
    "is rejected before any request if %s is a link, and nothing is written there",
    async (name) => {
      const elsewhere = folder();
      mkdirSync(elsewhere);
      await using server = await startPagedServer({ rows: 3 });
      for (const mode of MODES) {
        const dir = snapshotOf((own) => [responseIn(own, GET, PAGE)], { ...HEADER, source: server.baseUrl });
        rmSync(join(dir, name), { recursive: true });
        symlinkSync(elsewhere, join(dir, name));
        const error = await errorOf(
          (async () => clientTo(server, { snapshot: { dir, mode } }).mentions("climate"))(),
          ArchiveError,
        );
        expect(error.code).toBe("UNSAFE_PATH");
      }
      expect(readdirSync(elsewhere)).toEqual([]);
      expect(server.requests).toEqual([]);
    },
  );

  it("may be a link that the user named", async () => {
    const [dir, link] = [folder(), folder()];
    mkdirSync(dir, { mode: 0o700 });
    symlinkSync(dir, link);
    await using server = await startPagedServer({ rows: 3 });
    await using recording = clientTo(server, { snapshot: { dir: link } });
    await recording.mentions("climate");
    await using replay = replayOf(link);
    expect((await replay.mentions("climate")).height).toBe(3);
    expect(snapshotInfo(dir).responses).toBe(1);
  });

  it.skipIf(!isRoot)("must belong to the current user, except for a replay", async () => {
    await using server = await startPagedServer({ rows: 3 });
    const dir = snapshotOf((own) => [responseIn(own, GET, PAGE)], { ...HEADER, source: server.baseUrl });
    const all = readdirSync(dir, { recursive: true, encoding: "utf8" }).map((name) => join(dir, name));
    give(STRANGER, dir, ...all);
    for (const mode of MODES) {
      const made = (async () => clientTo(server, { snapshot: { dir, mode } }))();
      expect((await errorOf(made, ArchiveError)).code).toBe("UNSAFE_PATH");
    }
    await using replay = replayOf(dir);
    expect((await replay.mentions("climate")).height).toBe(1);
    const cache = { dir: folder(), maxAge: 60 };
    const planted = cacheDirectory(cache.dir, server.baseUrl);
    snapshotOf((own) => [responseIn(own, GET, PAGE)], { ...HEADER, source: server.baseUrl }, planted);
    give(STRANGER, planted);
    const caching = (async () => clientTo(server, { cache }))();
    expect((await errorOf(caching, ArchiveError)).code).toBe("UNSAFE_PATH");
    expect(server.requests).toEqual([]);
  });

  it.skipIf(process.platform === "win32")("may not be world-writable", async () => {
    const dir = folder();
    mkdirSync(dir);
    execFileSync("chmod", ["777", dir]);
    await using server = await startPagedServer({ rows: 3 });
    const made = (async () => clientTo(server, { snapshot: { dir } }))();
    expect((await errorOf(made, ArchiveError)).code).toBe("UNSAFE_PATH");
  });
});

describe("a cache", () => {
  it("ignores and prunes a response dated in the future", async () => {
    await using server = await startPagedServer({ rows: 3 });
    const cache = { dir: folder(), maxAge: Number.POSITIVE_INFINITY };
    const dir = cacheDirectory(cache.dir, server.baseUrl);
    const time = "2099-01-01T00:00:00.000Z";
    const planted = [responseIn(dir, GET, PAGE, { sentAt: time, receivedAt: time })];
    snapshotOf(() => planted, { ...HEADER, source: server.baseUrl, baseUrl: server.baseUrl }, dir);
    await using caching = clientTo(server, { cache });
    expect((await caching.mentions("climate")).height).toBe(3);
    const index = join(dir, "index/a.jsonl");
    utimesSync(index, new Date(time), new Date(time));
    utimesSync(join(dir, "pruned"), new Date(time), new Date(time));
    pruneCache(dir, 60, Date.now());
    expect(existsSync(index)).toBe(false);
  });

  it.skipIf(process.platform === "win32")("prunes only its own files", async () => {
    const [dir, elsewhere] = [folder(), folder()];
    const old = new Date("2020-01-01");
    const file = (path: string) => {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, "");
      utimesSync(path, old, old);
      return path;
    };
    const [own, theirs, other] = [
      file(join(dir, "bodies/aa/x.json.gz")),
      file(join(elsewhere, "deep/x.json.gz")),
      file(join(dir, "notes/y.json.gz")),
    ];
    symlinkSync(elsewhere, join(dir, "bodies/bb"));
    symlinkSync(join(elsewhere, "deep"), join(dir, "bodies/cc"));
    symlinkSync(theirs, join(dir, "bodies/aa/link.json.gz"));
    mkdirSync(join(dir, "index"));
    pruneCache(dir, 60, Date.now());
    expect([own, theirs, other].map((path) => existsSync(path))).toEqual([false, true, true]);
    // A marker that is a hard link to another file keeps its modification time.
    const marked = file(join(elsewhere, "marked"));
    rmSync(join(dir, "pruned"));
    linkSync(marked, join(dir, "pruned"));
    pruneCache(dir, 60, Date.now());
    expect(statSync(marked).mtime).toEqual(old);
    rmSync(join(dir, "index"), { recursive: true });
    symlinkSync(join(elsewhere, "deep"), join(dir, "index"));
    pruneCache(dir, 60, Date.now());
    expect(existsSync(theirs)).toBe(true);
  });
});

describe("a store", () => {
  it.each<[string, object]>([
    ["errors in place of rows", { errors: [{ message: "timed out" }] }],
    ["a message beside a cursor", { message: "timed out", cursor: "c1" }],
    ["null rows beside an error", { mentions: null, error: "timed out", cursor: "c1" }],
  ])("does not store a 200 response that reports an error: %s", async (_what, body) => {
    for (const storage of [{ snapshot: { dir: folder() } }, { cache: { dir: folder(), maxAge: 60 } }]) {
      await using server = await startPagedServer({
        rows: 3,
        instead: (_, index) => (index === 0 ? { body } : undefined),
      });
      await using archive = clientTo(server, storage);
      await expect(archive.mentions("climate")).rejects.toMatchObject({ code: "UNEXPECTED_BODY" });
      expect((await archive.mentions("climate")).height).toBe(3);
      expect(server.requests).toHaveLength(2);
    }
  });
});
