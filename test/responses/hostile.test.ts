import { execFileSync } from "node:child_process";
import { mkdirSync, renameSync, rmSync, symlinkSync, truncateSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ArchiveError, verifySnapshot } from "../../src/index.js";
import type { StoredResponse } from "../../src/responses/responseFile.js";
import { snapshotInfo } from "../../src/responses/snapshots.js";
import { growth, LINEAR } from "../growth.js";
import { LONG, runs } from "../scale.js";
import { errorOf } from "../service/helpers.js";
import { FILE, GET, HEADER, PAGE, responseOf, writeSnapshot } from "./handmade.js";
import { newDirectory } from "./recording.js";
import { replayOf } from "./replayOf.js";

const snapshotOf = (lines: readonly object[], head: object = HEADER) => writeSnapshot(newDirectory(), lines, head);

/** Everything that reads a received snapshot. */
const READERS: Readonly<Record<string, (dir: string) => unknown>> = {
  replay: async (dir) => {
    await using replay = replayOf(dir);
    return await replay.mentions("climate", { format: "records" });
  },
  info: (dir) => snapshotInfo(dir),
  verify: async (dir) => {
    const { problems } = await verifySnapshot(dir);
    if (problems[0] !== undefined) throw problems[0];
  },
};

/** The error code of each reader; undefined if it succeeds. Rethrows untyped errors. */
async function outcomes(dir: string): Promise<Record<string, string | undefined>> {
  const codes: Record<string, string | undefined> = {};
  for (const [name, read] of Object.entries(READERS)) {
    try {
      await read(dir);
      codes[name] = undefined;
    } catch (error) {
      if (!(error instanceof ArchiveError)) throw error;
      codes[name] = error.code;
    }
  }
  return codes;
}

const everywhere = (code: string | undefined) => Object.fromEntries(Object.keys(READERS).map((name) => [name, code]));

describe("a received snapshot", () => {
  const hostile = fc.oneof(
    fc.jsonValue(),
    fc.constantFrom<unknown>({}, [], 5, -1, 0, 1.5, null, true, "", "1e999", 1e308, Number.MAX_SAFE_INTEGER + 1),
    fc.constantFrom("9999-99-99T99:99:99.999Z", "+275760-09-13T00:00:00.000Z", "2026-11-21", "\u001b]0;title\u0007"),
    fc.constantFrom("//evil/x", "/\\evil", "bodies/../../x.json.gz", "../x", "a".repeat(100_000)),
  );
  const members = [
    ..."get status sentAt receivedAt requests retries bytes sha256 size crc32 retrieval finished wanted rows".split(
      " ",
    ),
    ..."snapshot format version source baseUrl begunAt".split(" "),
  ];

  it("is read or rejected with a typed error for any value in any member", async () => {
    const cases = runs(30, 1500);
    let refused = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom("header", "response", "finished"),
        fc.constantFrom(...members),
        hostile,
        async (line, member, value) => {
          const response = responseOf(GET, PAGE);
          const { retrieval } = response;
          const finished = { finished: retrieval, wanted: null, rows: 1 };
          const all = { header: HEADER, response, finished };
          const changed = { ...all, [line]: { ...all[line as keyof typeof all], [member]: value } };
          const dir = snapshotOf([changed.response, changed.finished], changed.header);
          const codes = await outcomes(dir);
          if (codes.info !== undefined) refused++;
          rmSync(dir, { recursive: true, force: true });
          rmSync(`${dir}.zip`, { force: true });
        },
      ),
      { numRuns: cases },
    );
    expect(refused).toBeGreaterThan(0.3 * cases);
  });

  it("unpacks no body beyond maxBodyBytes or its recorded size", async () => {
    const body = Buffer.alloc(8 * 2 ** 20, " ");
    const honest = snapshotOf([responseOf(GET, body)]);
    await using replay = replayOf(honest, { maxBodyBytes: 7 * 2 ** 20 });
    expect((await errorOf(replay.mentions("climate"), ArchiveError)).code).toBe("BODY_TOO_LARGE");
    await using more = replayOf(honest, { maxBodyBytes: 9 * 2 ** 20 });
    await expect(more.mentions("climate")).rejects.toMatchObject({ code: "BODY_NOT_JSON" });
    for (const bytes of [6 * 2 ** 20, 1000]) {
      const lying = snapshotOf([responseOf(GET, body, { bytes })]);
      await expect((async () => READERS.replay?.(lying))()).rejects.toMatchObject({ code: "SNAPSHOT_DAMAGED" });
    }
  });

  const fifo = (path: string) => execFileSync("mkfifo", [path]);
  const aside = (path: string, replace: (aside: string) => void) => {
    renameSync(path, `${path}.aside`);
    replace(`${path}.aside`);
  };
  const isWindows = process.platform === "win32";

  it.skipIf(isWindows).each<[string, (file: string) => void]>([
    ["a link in place of its file", (file) => aside(file, (own) => symlinkSync(own, file))],
    ["a FIFO", (file) => aside(file, () => fifo(file))],
    ["a directory", (file) => mkdirSync(file.replace(FILE, "b.responses"))],
    ["a link to a device", (file) => aside(file, () => symlinkSync("/dev/zero", file))],
    ["an oversized file", (file) => truncateSync(file, 2 ** 40)],
  ])("follows no link and waits for no FIFO: %s", async (_what, plant) => {
    const dir = snapshotOf([responseOf(GET, PAGE)]);
    plant(join(dir, FILE));
    expect(await outcomes(dir)).toEqual(everywhere("SNAPSHOT_DAMAGED"));
  });

  const COUNT = LONG ? 20_000 : 2000;
  const at = (number: number) => new Date(Date.parse(HEADER.begunAt) + number).toISOString();
  const id = (number: number) => number.toString(16).padStart(16, "0");
  const shapes: ReadonlyArray<[string, (number: number) => Partial<StoredResponse>]> = [
    ["of one search", (n) => ({ get: `/mentions?query=x&cursor=c${n}`, retrieval: id(1) })],
    ["to one request", () => ({ get: "/mentions?query=x", retrieval: id(1) })],
    ["in as many retrievals of one search", (n) => ({ get: "/mentions?query=x", retrieval: id(n) })],
    ["with as many first pages of one search", (n) => ({ get: `/mentions?query=x&limit=${n}`, retrieval: id(n) })],
    ["continuing from as many cursors", (n) => ({ get: `/mentions?query=x&cursor=c${n}`, retrieval: id(n) })],
    ["of as many searches", (n) => ({ get: `/mentions?query=${"x".repeat(400)}${n}`, retrieval: id(n) })],
  ];

  /** A snapshot of `count` responses. */
  const snapshotWith = (count: number, shape: (number: number) => Partial<StoredResponse>) =>
    snapshotOf([...Array(count).keys()].map((n) => responseOf(GET, PAGE, { receivedAt: at(n), ...shape(n) })));

  // Quadratic code once took 23 s for 40,000 responses.
  it.each(LONG ? shapes : shapes.filter((_, at) => at % 2 === 0))(
    `of ${COUNT} responses %s is read in linear time`,
    async (_what, shape) => {
      const dirs = new Map([COUNT, Math.ceil(COUNT / 4)].map((count) => [count, snapshotWith(count, shape)]));
      const replay = async (dir: string) => {
        await using archive = replayOf(dir);
        await archive.mentions("y", { maxItems: 500 }).catch(() => undefined);
        await archive.mentions("x", { maxItems: 500, format: "records" }).catch(() => undefined);
      };
      for (const read of [snapshotInfo, verifySnapshot, replay]) {
        expect(await growth(COUNT, (count) => () => read(dirs.get(count) as string))).toBeLessThan(LINEAR);
      }
    },
  );
});
