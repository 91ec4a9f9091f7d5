import { spawn } from "node:child_process";
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ArchiveClient, ArchiveError, type PolarsFrame, verifySnapshot } from "../../src/index.js";
import { clientTo, mention } from "../client/clientTo.js";
import { temporaryFolder } from "../files/temporary.js";
import { LONG, runs } from "../scale.js";
import { startPagedServer } from "../scan/pagedServer.js";
import { startEmbeddedArchive } from "../tools/startGenerated.js";
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
    expect(await verifySnapshot(dir)).toEqual([]);
    expect(filesIn(dir)).toHaveLength(2);
    writeFileSync(filesIn(dir).find((path) => path.endsWith(".gz")) as string, "");
    expect(await verifySnapshot(dir)).toMatchObject([{ code: "SNAPSHOT_DAMAGED" }]);
  });

  it("supports two concurrent writers", async () => {
    const { dir, server, archive: one } = await startRecording({ rows: 400 });
    await using other = clientTo(server, { pageSize: 100, snapshot: { dir, mode: "record" } });
    const frames = await Promise.all([one, other].map((archive) => archive.mentions("climate", { maxItems: 400 })));
    expect(await verifySnapshot(dir)).toEqual([]);
    await using replay = replayOf(dir, { pageSize: 100 });
    expect((await replay.mentions("climate", { maxItems: 400 })).frameEqual(frames[0] as never)).toBe(true);
  });
});

describe("a changed byte", () => {
  it("of a body is reported with its file, and one of a log is an error or changes no row", async () => {
    const dir = join(root, "flipped");
    const bounds = { maxItems: 12, limit: 5 };
    await using server = await startPagedServer({ rows: 12, row: largeRow });
    await using archive = clientTo(server, { snapshot: { dir } });
    const frame = await archive.mentions("climate", bounds);
    const files = filesIn(dir).map((path) => ({ path, whole: readFileSync(path) }));
    const share = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    const place = fc.tuple(fc.constantFrom(...files), share, fc.integer({ min: 1, max: 255 }));
    let reported = 0;
    await fc.assert(
      fc.asyncProperty(place, async ([{ path, whole }, share, mask]) => {
        const bytes = Buffer.from(whole);
        const at = Math.floor(share * whole.length);
        bytes[at] = (bytes[at] as number) ^ mask;
        writeFileSync(path, bytes);
        const problems = await verifySnapshot(dir);
        const ok = problems.length === 0;
        const replayed = await (async () => {
          await using replay = replayOf(dir);
          return await replay.mentions("climate", bounds);
        })().catch((error: unknown) => error);
        writeFileSync(path, whole);
        // A changed log may also lack a page.
        if (replayed instanceof Error) expect(replayed).toBeInstanceOf(ArchiveError);
        else expect((replayed as PolarsFrame).frameEqual(frame)).toBe(true);
        // Some members of the gzip header do not matter, such as its time.
        if (path.endsWith(".jsonl") || (at < 10 && ok)) return;
        expect(problems).toMatchObject([{ code: "SNAPSHOT_DAMAGED", path }]);
        expect(replayed).toMatchObject({ code: "SNAPSHOT_DAMAGED", path });
        reported++;
      }),
      { numRuns: runs(100) },
    );
    expect(reported).toBeGreaterThan(0.4 * runs(100));
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
    for (let length = whole.indexOf("\n") + 1; length < whole.length; length += LONG ? 23 : 71) {
      rmSync(copy, { recursive: true, force: true });
      cpSync(dir, copy, { recursive: true });
      writeFileSync(join(copy, basename(path)), whole.subarray(0, length));
      expect(await verifySnapshot(copy), `cut at ${length}`).toEqual([]);
      const before = server.requests.length;
      await using resuming = clientTo(server, { snapshot: { dir: copy } });
      expect((await resuming.mentions("climate", { maxItems: 12, limit: 5 })).frameEqual(frame)).toBe(true);
      const complete = whole.subarray(0, length).toString().split("\n").length - 2;
      expect(server.requests.length - before, `cut at ${length}`).toBe(3 - Math.min(3, complete));
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
      const before = service.requests;
      expect(await verifySnapshot(dir)).toEqual([]);
      const responses = readFileSync(logIn(dir), "utf8").split("\n").length - 2;
      await using resuming = new ArchiveClient({ baseUrl, apiKey, pageSize: 100, snapshot: { dir } });
      expect((await resuming.mentions("climate", { maxItems: 3000 })).frameEqual(frame)).toBe(true);
      expect(responses).toBeGreaterThan(0);
      expect(service.requests - before).toBe(30 - responses);
    }
    expect(killed).toBeGreaterThan(0);
  });
});
