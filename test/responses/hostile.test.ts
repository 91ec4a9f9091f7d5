import { hash } from "node:crypto";
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { beforeEach, describe, expect, it } from "vitest";
import { ArchiveError, provenanceOf, verifySnapshot } from "../../src/index.js";
import { clientTo } from "../client/clientTo.js";
import { pagedArchive, startPagedServer } from "../scan/pagedServer.js";
import { errorOf } from "../service/helpers.js";
import type { ScriptedServer } from "../service/scriptedServer.js";
import { largeRow, newDirectory } from "./recording.js";
import { replayOf } from "./replayOf.js";

const isWindows = process.platform === "win32";

/** What may happen to a log or a body: of a disk that failed, or by an author who is not trusted. */
const DAMAGE: Readonly<Record<string, (path: string) => void>> = {
  "is missing": (path) => renameSync(path, `${path}.aside`),
  "is empty": (path) => truncateSync(path, 0),
  "was cut off": (path) => truncateSync(path, Math.floor(statSync(path).size / 2)),
  "has a block of zeros": (path) => writeFileSync(path, readFileSync(path).fill(0, 150, 250)),
  "is garbage": (path) => writeFileSync(path, "\u001b]0;title\u0007\n\n{}\nnull\n"),
  "is a link to a device": (path) => {
    renameSync(path, `${path}.aside`);
    symlinkSync("/dev/zero", path);
  },
  "is a terabyte": (path) => truncateSync(path, 2 ** 40),
  "is a decompression bomb": (path) => writeFileSync(path, gzipSync(Buffer.alloc(2 ** 26))),
  "was written by another version": (path) =>
    writeFileSync(path, '{"format":"archive-frames 5","source":"x","baseUrl":"x"}\n'),
};
/** A snapshot without its log, or with an empty one, is none; with half of one, it was interrupted. */
const NOT_DAMAGED = ["a log is missing", "a log is empty", "a log was cut off"];

const cases = Object.keys(DAMAGE).flatMap((damage) => [`a log ${damage}`, `a body ${damage}`]);

/** The directory of a cache for a service. */
const cacheOf = (dir: string, { baseUrl }: ScriptedServer) => join(dir, hash("sha256", baseUrl).slice(0, 16));

/** Damages the log or the body of a store. */
function damage(dir: string, what: string): string {
  const [, kind = "", name = ""] = /^a (\w+) (.*)$/.exec(what) ?? [];
  const folder = kind === "log" ? dir : join(dir, "bodies");
  const path = join(folder, readdirSync(folder).find((file) => /^log-|\.gz$/.test(file)) as string);
  DAMAGE[name]?.(path);
  return path;
}

describe.skipIf(isWindows)("a store of which", () => {
  let server: ScriptedServer;
  beforeEach(async () => {
    server = await startPagedServer({ rows: 4, row: largeRow });
    return () => server.close();
  });

  it.each(cases)("%s is a snapshot that reports it, and a cache that requests it again", async (what) => {
    const snapshot = { dir: newDirectory() };
    const cache = { dir: newDirectory(), maxAge: 3600 };
    for (const options of [{ snapshot }, { cache }]) {
      await using archive = clientTo(server, options);
      await archive.mentions("climate");
    }
    const path = damage(snapshot.dir, what);
    if (!NOT_DAMAGED.includes(what)) {
      const replay = async () => {
        await using replay = replayOf(snapshot.dir);
        return await replay.mentions("climate");
      };
      expect(await errorOf(replay(), ArchiveError)).toMatchObject({ code: "SNAPSHOT_DAMAGED", path });
      expect(await verifySnapshot(snapshot.dir)).toMatchObject([{ code: "SNAPSHOT_DAMAGED", path }]);
    }
    damage(cacheOf(cache.dir, server), what);
    for (const requests of [1, what.startsWith("a log") ? 0 : expect.any(Number)]) {
      await using archive = clientTo(server, { cache });
      const frame = await archive.mentions("climate");
      expect([frame.height, provenanceOf(frame)?.requests]).toEqual([4, requests]);
    }
  });

  it.each(["the directory is a file", "the folder of bodies is a file", "the directory is a loop of links"])(
    "%s is a cache that is not used",
    async (what) => {
      const cache = { dir: newDirectory(), maxAge: 3600 };
      const dir = cacheOf(cache.dir, server);
      mkdirSync(cache.dir);
      if (what === "the directory is a file") writeFileSync(dir, "");
      else if (what === "the directory is a loop of links") symlinkSync(dir, dir);
      else {
        mkdirSync(dir);
        writeFileSync(join(dir, "bodies"), "");
      }
      await using archive = clientTo(server, { cache });
      expect((await archive.mentions("climate")).height).toBe(4);
      expect((await archive.mentions("climate")).height).toBe(4);
    },
  );

  it("the directory is new is private, as are its files", async () => {
    const dir = newDirectory();
    const umask = process.umask(0);
    try {
      await using archive = clientTo(server, { snapshot: { dir } });
      await archive.mentions("climate");
    } finally {
      process.umask(umask);
    }
    const names = readdirSync(dir, { recursive: true, encoding: "utf8" });
    expect(names).toHaveLength(3);
    for (const path of ["", ...names].map((name) => join(dir, name))) {
      const stats = statSync(path);
      expect([path, stats.mode & 0o777]).toEqual([path, stats.isDirectory() ? 0o700 : 0o600]);
    }
  });

  it("the directory is a link that the user named is like any other", async () => {
    const [dir, link] = [newDirectory(), newDirectory()];
    mkdirSync(dir, { mode: 0o700 });
    symlinkSync(dir, link);
    const { archive } = await pagedArchive({ rows: 3 }, { snapshot: { dir: link } });
    await archive.mentions("climate");
    await using replay = replayOf(link);
    expect((await replay.mentions("climate")).height).toBe(3);
  });
});
