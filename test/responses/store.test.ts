import { spawn } from "node:child_process";
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { startEmbeddedArchive } from "../../src/embedded/index.js";
import { ArchiveClient, type PolarsFrame, verifySnapshot } from "../../src/index.js";
import { snapshotInfo } from "../../src/responses/snapshots.js";
import { clientTo, mention } from "../client/clientTo.js";
import { temporaryFolder } from "../files/temporary.js";
import { LONG, runs } from "../scale.js";
import { startPagedServer } from "../scan/pagedServer.js";
import { largeRow, newDirectory, startRecording } from "./recording.js";
import { replayOf } from "./replayOf.js";

const root = temporaryFolder();

/** The paths of the files of a store. */
const filesIn = (dir: string): string[] =>
  readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
/** Its only log. */
const logIn = (dir: string): string => filesIn(dir).find((path) => path.endsWith(".jsonl")) as string;

describe("the store", () => {
  it("stores equal bodies once", async () => {
    const instead = () => ({ body: { mentions: [1, 2, 3, 4].map(largeRow), cursor: "x" } });
    const { dir, archive } = await startRecording({ rows: 1, instead });
    for (const query of ["a", "b", "c"]) await archive.mentions(query);
    expect(await verifySnapshot(dir)).toMatchObject({ ok: true, responses: 3, bodies: 1 });
    expect(snapshotInfo(dir)).toMatchObject({ responses: 3 });
    expect(filesIn(dir)).toHaveLength(2);
  });

  it("supports two concurrent writers", async () => {
    const { dir, server, archive: one } = await startRecording({ rows: 400 });
    await using other = clientTo(server, { pageSize: 100, snapshot: { dir, mode: "record" } });
    const frames = await Promise.all([one, other].map((archive) => archive.mentions("climate", { maxItems: 400 })));
    expect(await verifySnapshot(dir)).toMatchObject({ ok: true, responses: 8, bodies: 4 });
    await using replay = replayOf(dir, { pageSize: 100 });
    expect((await replay.mentions("climate", { maxItems: 400 })).frameEqual(frames[0] as never)).toBe(true);
  });
});

describe("a changed byte", () => {
  const dir = join(root, "whole");
  const bounds = { maxItems: 12, limit: 5 };
  let frame: PolarsFrame;
  beforeAll(async () => {
    await using server = await startPagedServer({ rows: 12, row: largeRow });
    await using archive = clientTo(server, { snapshot: { dir } });
    frame = await archive.mentions("climate", bounds);
  });

  it("is reported with its file by verify and by a replay, or changes no row", async () => {
    const copy = join(root, "flipped");
    cpSync(dir, copy, { recursive: true });
    const files = filesIn(copy).map((path) => ({ path, whole: readFileSync(path) }));
    const file = fc.constantFrom(...files);
    const place = fc.tuple(
      file,
      fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      fc.integer({ min: 1, max: 255 }),
    );
    let reported = 0;
    await fc.assert(
      fc.asyncProperty(place, async ([{ path, whole }, share, mask]) => {
        const bytes = Buffer.from(whole);
        // Without its last line end, a log looks like that of a killed process.
        const at = Math.floor(share * (whole.length - (path.endsWith(".jsonl") ? 1 : 0)));
        bytes[at] = (bytes[at] as number) ^ mask;
        writeFileSync(path, bytes);
        try {
          const check = await verifySnapshot(copy);
          // A member of the gzip header that does not matter, such as its time.
          const isHarmless = path.endsWith(".gz") && at < 10 && check.ok;
          if (!isHarmless) expect(check.problems[0]).toMatchObject({ code: "SNAPSHOT_DAMAGED", path });
          const replayed = await (async () => {
            await using replay = replayOf(copy);
            return await replay.mentions("climate", bounds);
          })().catch((error: unknown) => error);
          if (isHarmless) expect((replayed as PolarsFrame).frameEqual(frame)).toBe(true);
          else expect(replayed).toMatchObject({ code: "SNAPSHOT_DAMAGED", path });
          if (!isHarmless) reported++;
        } finally {
          writeFileSync(path, whole);
        }
      }),
      { numRuns: runs(100) },
    );
    expect(reported).toBeGreaterThan(0.6 * runs(100));
  });

  it("of a body that is missing is a problem, and auto requests it again", async () => {
    const copy = newDirectory();
    await using server = await startPagedServer({ rows: 12, row: largeRow });
    const recorded = async () => {
      await using archive = clientTo(server, { snapshot: { dir: copy } });
      return (await archive.mentions("climate", bounds)).height;
    };
    await recorded();
    const [body = ""] = filesIn(copy).filter((path) => path.endsWith(".gz"));
    rmSync(body);
    expect((await verifySnapshot(copy)).problems.map(({ path, message }) => [path, message])).toEqual([
      [body, expect.stringContaining("is missing")],
    ]);
    expect(await recorded()).toBe(12);
    expect((await verifySnapshot(copy)).problems).toHaveLength(0);
  });
});

describe("an interrupted recording", () => {
  it("is intact if its log is truncated at any byte, and auto requests the rest", async () => {
    const { dir, server, archive } = await startRecording({
      rows: 12,
      row: (id) => (id > 5 ? mention(id) : largeRow(id)),
    });
    const frame = await archive.mentions("climate", { maxItems: 12, limit: 5 });
    const [path, whole] = [logIn(dir), readFileSync(logIn(dir))];
    const copy = join(root, "cut");
    for (let length = 0; length < whole.length; length += LONG ? 23 : 71) {
      rmSync(copy, { recursive: true, force: true });
      cpSync(dir, copy, { recursive: true });
      writeFileSync(join(copy, basename(path)), whole.subarray(0, length));
      expect((await verifySnapshot(copy)).ok, `cut at ${length}`).toBe(true);
      const before = server.requests.length;
      await using resuming = clientTo(server, { snapshot: { dir: copy } });
      expect((await resuming.mentions("climate", { maxItems: 12, limit: 5 })).frameEqual(frame)).toBe(true);
      const complete = whole.subarray(0, length).toString().split("\n").length - 2;
      expect(server.requests.length - before, `cut at ${length}`).toBe(3 - Math.max(0, Math.min(3, complete)));
    }
  });

  it("is intact after a kill at any time, and auto resumes it", async () => {
    const script = fileURLToPath(new URL("recordOnce.mjs", import.meta.url));
    await using service = await startEmbeddedArchive();
    const { baseUrl, apiKey } = service;
    await using plain = new ArchiveClient({ baseUrl, apiKey });
    const frame = await plain.mentions("climate", { maxItems: 3000 });
    let killed = 0;
    for (let kill = 0; kill < Number(process.env.KILLS ?? (LONG ? 3 : 1)); kill++) {
      const dir = newDirectory();
      const child = spawn(process.execPath, [script, baseUrl, dir], { stdio: ["ignore", "pipe", "inherit"] });
      const ended = new Promise<string | null>((resolve) => child.once("exit", (_code, signal) => resolve(signal)));
      // Kill after a random number of pages.
      const pages = 1 + Math.floor(Math.random() * 25);
      let seen = 0;
      child.stdout.on("data", (dots: Buffer) => {
        seen += dots.length;
        if (seen >= pages) child.kill("SIGKILL");
      });
      if ((await ended) === "SIGKILL") killed++;
      expect((await verifySnapshot(dir)).ok).toBe(true);
      const before = service.requests;
      const { responses } = snapshotInfo(dir);
      await using resuming = new ArchiveClient({ baseUrl, apiKey, pageSize: 100, snapshot: { dir } });
      expect((await resuming.mentions("climate", { maxItems: 3000 })).frameEqual(frame)).toBe(true);
      expect(responses).toBeGreaterThan(0);
      expect(service.requests - before).toBe(30 - responses);
    }
    expect(killed).toBeGreaterThan(0);
  });
});
