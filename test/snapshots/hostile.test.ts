import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  ArchiveError,
  diffSnapshots,
  packSnapshot,
  SnapshotError,
  type SnapshotMode,
  snapshotInfo,
  verifySnapshot,
} from "../../src/index.js";
import { pruneCache } from "../../src/snapshots/pruneCache.js";
import { cacheFolder } from "../../src/snapshots/snapshotOptions.js";
import { type Line, lineOf, type Retrieval, type StoredAnswer } from "../../src/snapshots/storedAnswer.js";
import { clientTo } from "../client/clientTo.js";
import { give, isRoot, STRANGER } from "../disk/users.js";
import { temporaryFolder } from "../files/temporary.js";
import { startPagedServer } from "../scan/pagedServer.js";
import { errorOf } from "../service/helpers.js";
import { replayOf } from "./replayOf.js";

const root = temporaryFolder();
let folders = 0;
const folder = () => join(root, String(++folders));
const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

const RETRIEVAL: Retrieval = {
  snapshot: "archive-frames",
  format: 2,
  version: "0.1.0",
  source: "https://archive.example",
  baseUrl: "https://archive.example",
  begunAt: "2026-11-21T06:00:00.000Z",
};

/** An answer with its body in the folder. */
function answerIn(dir: string, get: string, body: Buffer, more: Partial<StoredAnswer> = {}): StoredAnswer {
  const packed = gzipSync(body, { level: 9 });
  const name = sha256(packed);
  const file = `bodies/${name.slice(0, 2)}/${name}.json.gz`;
  mkdirSync(dirname(join(dir, file)), { recursive: true });
  writeFileSync(join(dir, file), packed);
  const time = "2026-11-21T06:00:00.000Z";
  const cost = { requests: 1, retries: 0 };
  return {
    get,
    status: 200,
    sentAt: time,
    receivedAt: time,
    ...cost,
    bytes: body.length,
    sha256: sha256(body),
    file,
    ...more,
  };
}

function snapshotOf(lines: (dir: string) => readonly object[], head: object = RETRIEVAL, dir = folder()): string {
  mkdirSync(join(dir, "index"), { recursive: true });
  writeFileSync(join(dir, "index/a.jsonl"), [head, ...lines(dir)].map((line) => lineOf(line as Line)).join(""));
  return dir;
}

const PAGE = Buffer.from(JSON.stringify({ cursor: "c1", mentions: [{ id: "1", text: "a" }] }));
const GET = "/mentions?query=climate";

/** Everything that reads a received snapshot. */
const READERS: Readonly<Record<string, (dir: string) => unknown>> = {
  replay: async (dir) => {
    await using replay = replayOf(dir);
    return await replay.mentions("climate", { format: "records" });
  },
  info: (dir) => snapshotInfo(dir),
  verify: async (dir) => {
    const { faults } = await verifySnapshot(dir);
    if (faults[0] !== undefined) throw faults[0];
  },
  diff: (dir) => diffSnapshots(dir, dir),
  pack: (dir) => packSnapshot(dir, `${dir}.zip`),
};

/** What each reader says: the code of its error, undefined where it has none. Any error but a typed one fails. */
async function outcomes(dir: string): Promise<Record<string, string | undefined>> {
  const said: Record<string, string | undefined> = {};
  for (const [name, read] of Object.entries(READERS)) {
    try {
      await read(dir);
      said[name] = undefined;
    } catch (error) {
      if (!(error instanceof ArchiveError)) throw error;
      said[name] = error.code;
    }
  }
  return said;
}

const everywhere = (code: string | undefined) => Object.fromEntries(Object.keys(READERS).map((name) => [name, code]));

describe("a received snapshot", () => {
  const hostile = fc.oneof(
    fc.jsonValue(),
    fc.constantFrom<unknown>({}, [], 5, -1, 0, 1.5, null, true, "", "1e999", 1e308, Number.MAX_SAFE_INTEGER + 1),
    fc.constantFrom("9999-99-99T99:99:99.999Z", "+275760-09-13T00:00:00.000Z", "2026-11-21", "\u001b]0;title\u0007"),
    fc.constantFrom("//evil/x", "/\\evil", "bodies/../../x.json.gz", "../x", "a".repeat(100_000)),
  );
  const members: readonly string[] = [
    ...[
      "get",
      "status",
      "sentAt",
      "receivedAt",
      "requests",
      "retries",
      "bytes",
      "sha256",
      "file",
      "generation",
      "part",
    ],
    ...["finished", "wanted", "rows", "snapshot", "format", "version", "source", "baseUrl", "begunAt"],
  ];

  it("with any value in any member is read, or refused with a typed error", async () => {
    let refused = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom("head", "answer", "given up", "finished"),
        fc.constantFrom(...members),
        hostile,
        async (line, member, value) => {
          const dir = snapshotOf(
            (own) => {
              const answer = answerIn(own, GET, PAGE, { generation: "0123456789abcdef", part: 1 });
              const givenUp = { get: "/bills?query=x", status: 0, requests: 1, retries: 0 };
              const finished = { finished: "0123456789abcdef", wanted: null, rows: 1 };
              const changed = (name: string) => (name === line ? { [member]: value } : {});
              return [
                { ...answer, ...changed("answer") },
                { ...givenUp, ...changed("given up") },
                { ...finished, ...changed("finished") },
              ];
            },
            line === "head" ? { ...RETRIEVAL, [member]: value } : RETRIEVAL,
          );
          const said = await outcomes(dir);
          if (said.info !== undefined) refused++;
          rmSync(dir, { recursive: true, force: true });
          rmSync(`${dir}.zip`, { force: true });
        },
      ),
      { numRuns: Number(process.env.FUZZ ?? 400) },
    );
    expect(refused).toBeGreaterThan(50);
  });

  it.each<[string, object, object]>([
    ["receivedAt", {}, { receivedAt: {} }],
    ["begunAt", { begunAt: 5 }, {}],
    ["a day that no calendar has", {}, { receivedAt: "2026-13-41T00:00:00.000Z" }],
    ["negative costs", {}, { requests: -1 }],
    ["a hash of another form", {}, { sha256: "x" }],
    ["a body in a folder of another name", {}, { file: `bodies/00/${"1".repeat(64)}.json.gz` }],
    ["a request that acts on the terminal", {}, { get: "/mentions?query=\u001b]0;title\u0007" }],
    ["an empty source", { source: "" }, {}],
    ["half a generation", {}, { part: 2 }],
  ])("with %s is damaged, for everything that reads it", async (_what, head, answer) => {
    const dir = snapshotOf((own) => [answerIn(own, GET, PAGE, answer)], { ...RETRIEVAL, ...head });
    expect(await outcomes(dir)).toEqual(everywhere("SNAPSHOT_DAMAGED"));
  });

  it("unpacks no body beyond maxBodyBytes, nor beyond what the index says", async () => {
    const body = Buffer.alloc(80 * 2 ** 20, " ");
    const honest = snapshotOf((own) => [answerIn(own, GET, body)]);
    await using replay = replayOf(honest);
    expect((await errorOf(replay.mentions("climate"), SnapshotError)).code).toBe("BODY_TOO_LARGE");
    await using more = replayOf(honest, { maxBodyBytes: 100 * 2 ** 20 });
    await expect(more.mentions("climate")).rejects.toMatchObject({ code: "BODY_NOT_JSON" });
    const lying = snapshotOf((own) => [answerIn(own, GET, body, { bytes: 1000 })]);
    expect(await outcomes(lying)).toMatchObject({ replay: "SNAPSHOT_DAMAGED", verify: "SNAPSHOT_DAMAGED" });
    const empty = snapshotOf((own) => [answerIn(own, GET, PAGE, { bytes: 60 * 2 ** 20 })]);
    expect(await outcomes(empty)).toMatchObject({ replay: "SNAPSHOT_DAMAGED", verify: "SNAPSHOT_DAMAGED" });
  });

  const fifo = (path: string) => execFileSync("mkfifo", [path]);
  const aside = (path: string, replace: (aside: string) => void) => {
    renameSync(path, `${path}.aside`);
    replace(`${path}.aside`);
  };
  const isWindows = process.platform === "win32";

  it.skipIf(isWindows).each<[string, (dir: string, body: string) => void]>([
    [
      "a link in place of its index",
      (dir) => aside(join(dir, "index/a.jsonl"), (own) => symlinkSync(own, join(dir, "index/a.jsonl"))),
    ],
    [
      "a link in place of its indexes",
      (dir) => aside(join(dir, "index"), (own) => symlinkSync(own, join(dir, "index"))),
    ],
    [
      "a link in place of its bodies",
      (dir) => aside(join(dir, "bodies"), (own) => symlinkSync(own, join(dir, "bodies"))),
    ],
    [
      "a link in place of a folder of bodies",
      (_, body) => aside(dirname(body), (own) => symlinkSync(own, dirname(body))),
    ],
    ["a link in place of a body", (_, body) => aside(body, (own) => symlinkSync(own, body))],
    ["a body that is a FIFO", (_, body) => aside(body, () => fifo(body))],
    ["an index that is a FIFO", (dir) => aside(join(dir, "index/a.jsonl"), () => fifo(join(dir, "index/a.jsonl")))],
    ["an index that is a folder", (dir) => mkdirSync(join(dir, "index/b.jsonl"))],
    ["a link to a device", (_, body) => aside(body, () => symlinkSync("/dev/zero", body))],
  ])("follows no link and waits for no FIFO: %s", async (_what, plant) => {
    const dir = snapshotOf((own) => [answerIn(own, GET, PAGE)]);
    const [body] = readdirSync(join(dir, "bodies"), { recursive: true, encoding: "utf8" }).filter((name) =>
      name.endsWith(".gz"),
    );
    plant(dir, join(dir, "bodies", body ?? ""));
    const said = await outcomes(dir);
    expect(said).toMatchObject({
      replay: "SNAPSHOT_DAMAGED",
      verify: "SNAPSHOT_DAMAGED",
      diff: "SNAPSHOT_DAMAGED",
      pack: "SNAPSHOT_DAMAGED",
    });
  });

  it("whose index is larger than any that is written is not read", async () => {
    const dir = snapshotOf((own) => [answerIn(own, GET, PAGE)]);
    execFileSync(process.execPath, ["-e", `fs.truncateSync(${JSON.stringify(join(dir, "index/a.jsonl"))}, 2 ** 40)`]);
    expect(await outcomes(dir)).toEqual(everywhere("SNAPSHOT_DAMAGED"));
  });

  const COUNT = 20_000;
  const at = (number: number) => new Date(Date.parse(RETRIEVAL.begunAt) + number).toISOString();
  const id = (number: number) => number.toString(16).padStart(16, "0");
  const shapes: ReadonlyArray<[string, (number: number) => Partial<StoredAnswer>]> = [
    ["of one search", (n) => ({ get: `/mentions?query=x&cursor=c${n}`, generation: id(1), part: 1 })],
    ["of one search, before generations", (n) => ({ get: `/mentions?query=x&cursor=c${n}` })],
    ["to one request", () => ({ get: "/mentions?query=x", generation: id(1), part: 1 })],
    ["in as many generations of one search", (n) => ({ get: "/mentions?query=x", generation: id(n), part: 1 })],
    [
      "that begin a search in as many ways",
      (n) => ({ get: `/mentions?query=x&limit=${n}`, generation: id(n), part: 1 }),
    ],
    ["that go on from as many places", (n) => ({ get: `/mentions?query=x&cursor=c${n}`, generation: id(n), part: 1 })],
    ["in as many parts", (n) => ({ get: `/mentions?query=x&cursor=c${n}`, generation: id(1), part: n + 1 })],
    ["of as many searches", (n) => ({ get: `/mentions?query=${"x".repeat(400)}${n}`, generation: id(n), part: 1 })],
  ];

  // Before, info of 40,000 answers took 23 s; the bound tells linear from quadratic on a busy machine.
  it.each(shapes)("of 20,000 answers %s is read in linear time", async (_what, shape) => {
    const dir = snapshotOf((own) => {
      const answer = answerIn(own, GET, PAGE);
      return [...Array(COUNT).keys()].map((n) => ({ ...answer, receivedAt: at(n), ...shape(n) }));
    });
    const timed = async (work: () => unknown) => {
      const start = performance.now();
      await work();
      return performance.now() - start;
    };
    expect(await timed(() => snapshotInfo(dir))).toBeLessThan(8000);
    expect(await timed(() => verifySnapshot(dir))).toBeLessThan(8000);
    const asking = async () => {
      await using replay = replayOf(dir);
      await replay.mentions("y", { maxItems: 500 }).catch(() => undefined);
      await replay.mentions("x", { maxItems: 500, format: "records" }).catch(() => undefined);
    };
    expect(await timed(asking)).toBeLessThan(8000);
  });

  it("of 10,000 answers is compared and packed in linear time", async () => {
    const dir = snapshotOf((own) => {
      const answer = answerIn(own, GET, PAGE);
      return [...Array(10_000).keys()].map((n) => ({ ...answer, receivedAt: at(n), ...shapes[0]?.[1](n) }));
    });
    const start = performance.now();
    expect(await diffSnapshots(dir, dir)).toHaveLength(1);
    await packSnapshot(dir, `${dir}.zip`);
    expect(performance.now() - start).toBeLessThan(40_000);
  });
});

describe("a folder that answers are stored in", () => {
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
      for (const made of [dir, cacheFolder(cache.dir, server.baseUrl)]) {
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
    "in which %s is a link is refused before anything is asked, and nothing is written there",
    async (name) => {
      const elsewhere = folder();
      mkdirSync(elsewhere);
      await using server = await startPagedServer({ rows: 3 });
      for (const mode of MODES) {
        const dir = snapshotOf((own) => [answerIn(own, GET, PAGE)], { ...RETRIEVAL, source: server.baseUrl });
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

  it("may be named by a link, which is the user's own choice", async () => {
    const [dir, link] = [folder(), folder()];
    mkdirSync(dir, { mode: 0o700 });
    symlinkSync(dir, link);
    await using server = await startPagedServer({ rows: 3 });
    await using recording = clientTo(server, { snapshot: { dir: link } });
    await recording.mentions("climate");
    await using replay = replayOf(link);
    expect((await replay.mentions("climate")).height).toBe(3);
    expect(snapshotInfo(dir).answers).toBe(1);
  });

  it.skipIf(!isRoot)("is not one of another user, which can be replayed", async () => {
    await using server = await startPagedServer({ rows: 3 });
    const dir = snapshotOf((own) => [answerIn(own, GET, PAGE)], { ...RETRIEVAL, source: server.baseUrl });
    const all = readdirSync(dir, { recursive: true, encoding: "utf8" }).map((name) => join(dir, name));
    give(STRANGER, dir, ...all);
    for (const mode of MODES) {
      const made = (async () => clientTo(server, { snapshot: { dir, mode } }))();
      expect((await errorOf(made, ArchiveError)).code).toBe("UNSAFE_PATH");
    }
    await using replay = replayOf(dir);
    expect((await replay.mentions("climate")).height).toBe(1);
    const cache = { dir: folder(), maxAge: 60 };
    const planted = cacheFolder(cache.dir, server.baseUrl);
    snapshotOf((own) => [answerIn(own, GET, PAGE)], { ...RETRIEVAL, source: server.baseUrl }, planted);
    give(STRANGER, planted);
    const caching = (async () => clientTo(server, { cache }))();
    expect((await errorOf(caching, ArchiveError)).code).toBe("UNSAFE_PATH");
    expect(server.requests).toEqual([]);
  });

  it.skipIf(process.platform === "win32")("is not one that every user can write to", async () => {
    const dir = folder();
    mkdirSync(dir);
    execFileSync("chmod", ["777", dir]);
    await using server = await startPagedServer({ rows: 3 });
    const made = (async () => clientTo(server, { snapshot: { dir } }))();
    expect((await errorOf(made, ArchiveError)).code).toBe("UNSAFE_PATH");
  });
});

describe("a cache", () => {
  it("does not use an answer from a time to come, and prunes it", async () => {
    await using server = await startPagedServer({ rows: 3 });
    const cache = { dir: folder(), maxAge: Number.POSITIVE_INFINITY };
    const dir = cacheFolder(cache.dir, server.baseUrl);
    const time = "2099-01-01T00:00:00.000Z";
    for (const noted of [{}, { generation: "0123456789abcdef", part: 1 }]) {
      const planted = [answerIn(dir, GET, PAGE, { sentAt: time, receivedAt: time, ...noted })];
      snapshotOf(() => planted, { ...RETRIEVAL, source: server.baseUrl, baseUrl: server.baseUrl }, dir);
      await using caching = clientTo(server, { cache });
      expect((await caching.mentions("climate")).height).toBe(3);
    }
    const index = join(dir, "index/a.jsonl");
    utimesSync(index, new Date(time), new Date(time));
    utimesSync(join(dir, "pruned"), new Date(time), new Date(time));
    pruneCache(dir, 60, Date.now());
    expect(existsSync(index)).toBe(false);
  });

  it.skipIf(process.platform === "win32")("is pruned of its own files only", async () => {
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
    // A marker that is a second name of another file keeps its time.
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

describe("a packed snapshot", () => {
  it("goes where nobody can have prepared a link, and a link in its place is replaced", async () => {
    const dir = snapshotOf((own) => [answerIn(own, GET, PAGE)]);
    const [mine, target] = [`${folder()}-mine`, `${folder()}.zip`];
    writeFileSync(mine, "mine");
    symlinkSync(mine, target);
    symlinkSync(mine, `${target}.${process.pid}.partial`);
    await packSnapshot(dir, target);
    expect(readFileSync(mine, "utf8")).toBe("mine");
    expect(readFileSync(target).subarray(0, 2).toString()).toBe("PK");
  });
});
