import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { startEmbeddedArchive } from "../../src/embedded/index.js";
import { ArchiveClient, ArchiveError, verifySnapshot } from "../../src/index.js";
import { lineOf, type SnapshotHeader, type StoredResponse } from "../../src/responses/responseFile.js";
import { readStoredFile } from "../../src/responses/responseStore.js";
import { snapshotInfo } from "../../src/responses/snapshots.js";
import { clientTo } from "../client/clientTo.js";
import { temporaryFolder } from "../files/temporary.js";
import { LONG, runs } from "../scale.js";
import { startPagedServer } from "../scan/pagedServer.js";
import { errorOf } from "../service/helpers.js";
import { newDirectory, startRecording } from "./recording.js";
import { replayOf } from "./replayOf.js";

const root = temporaryFolder();

/** The only file of a snapshot. */
const fileIn = (dir: string): string => join(dir, readdirSync(dir)[0] as string);

describe("the store", () => {
  it("contains JSON lines, each response followed by its body exactly as received", async () => {
    const body = '{ "cursor":"x",\r\n "mentions":[{"id":"1","text":"\\u00e9 \u{1f3db}"}] }';
    const instead = () => ({ body: Buffer.from(body) });
    const { dir, server, archive } = await startRecording({ rows: 1, instead });
    await archive.mentions("climate");
    let rest = readFileSync(fileIn(dir));
    const next = () => {
      const end = rest.indexOf("\n");
      const line = JSON.parse(rest.toString("utf8", 0, end));
      const packed = rest.subarray(end + 1, end + 1 + (line.size ?? 0));
      rest = rest.subarray(end + 1 + packed.length);
      return { line, packed };
    };
    const [head, response, finished] = [next(), next(), next()];
    const { baseUrl } = server;
    expect(head.line).toMatchObject({ snapshot: "archive-frames", format: 4, source: baseUrl, baseUrl });
    expect(response.line).toMatchObject({ get: "/mentions?query=climate", status: 200, requests: 1, retries: 0 });
    expect(response.line.retrieval).toMatch(/^[0-9a-f]{16}$/);
    expect(gunzipSync(response.packed).toString()).toBe(body);
    expect(response.line.sha256).toBe(createHash("sha256").update(body).digest("hex"));
    expect(finished.line).toMatchObject({ finished: response.line.retrieval, rows: 1 });
    expect(rest).toHaveLength(0);
  });

  it("stores equal bodies once", async () => {
    const instead = () => ({ body: { mentions: [{ id: "1" }], cursor: "x" } });
    const { dir, archive } = await startRecording({ rows: 1, instead });
    for (const query of ["a", "b", "c"]) await archive.mentions(query);
    expect(await verifySnapshot(dir)).toMatchObject({ ok: true, responses: 3, bodies: 1 });
    expect(snapshotInfo(dir)).toMatchObject({ responses: 3, replaced: 0 });
  });

  it("supports two concurrent writers", async () => {
    const { dir, server, archive: one } = await startRecording({ rows: 400 });
    await using other = clientTo(server, { pageSize: 100, snapshot: { dir, mode: "record" } });
    const frames = await Promise.all([one, other].map((archive) => archive.mentions("climate", { maxItems: 400 })));
    expect(await verifySnapshot(dir)).toMatchObject({ ok: true, responses: 8, bodies: 8 });
    await using replay = replayOf(dir);
    expect((await replay.mentions("climate", { maxItems: 400 })).frameEqual(frames[0] as never)).toBe(true);
  });
});

describe("a changed byte", () => {
  const dir = join(root, "whole");
  const bounds = { maxItems: 12, limit: 5 };
  beforeAll(async () => {
    await using server = await startPagedServer({ rows: 12 });
    await using archive = clientTo(server, { snapshot: { dir } });
    await archive.mentions("climate", bounds);
  });

  it("is reported with its file by verify and by a replay, wherever it is", async () => {
    const whole = readFileSync(fileIn(dir));
    const copy = join(root, "flipped");
    cpSync(dir, copy, { recursive: true });
    const path = fileIn(copy);
    const place = fc.tuple(fc.integer({ min: 0, max: whole.length - 1 }), fc.integer({ min: 1, max: 255 }));
    await fc.assert(
      fc.asyncProperty(place, async ([at, mask]) => {
        const bytes = Buffer.from(whole);
        bytes[at] = (bytes[at] as number) ^ mask;
        writeFileSync(path, bytes);
        const check = await verifySnapshot(copy);
        expect(check.ok).toBe(false);
        expect(check.problems[0]?.message).toContain(path);
        const replayed = (async () => {
          await using replay = replayOf(copy);
          return await replay.mentions("climate", bounds);
        })();
        const error = await errorOf(replayed, ArchiveError);
        expect([error.code, error.path]).toEqual(["SNAPSHOT_DAMAGED", path]);
      }),
      { numRuns: runs(100) },
    );
  });

  it("cannot add a request of another host", async () => {
    const [copy, path] = [newDirectory(), fileIn(dir)];
    cpSync(dir, copy, { recursive: true });
    const [response] = readStoredFile(dir, basename(path)).responses;
    for (const get of ["//[", "bills", ""]) {
      const line = Buffer.from(lineOf({ ...(response as StoredResponse), size: 0, get }));
      writeFileSync(fileIn(copy), Buffer.concat([readFileSync(path), line]));
      expect((await verifySnapshot(copy)).problems[0]?.message).toContain(fileIn(copy));
      expect(() => snapshotInfo(copy)).toThrow(ArchiveError);
    }
  });

  it("of a body whose file is missing is a problem, and auto requests it again", async () => {
    const copy = newDirectory();
    await using server = await startPagedServer({ rows: 12 });
    const recorded = async () => {
      await using archive = clientTo(server, { snapshot: { dir: copy } });
      return (await archive.mentions("climate", bounds)).height;
    };
    await recorded();
    const [first = ""] = readdirSync(copy);
    const { header, responses } = readStoredFile(copy, first);
    const lines = [header as SnapshotHeader, ...responses.map((response) => ({ ...response, size: 0, crc32: 0 }))];
    writeFileSync(join(copy, "later.responses"), lines.map((line) => lineOf(line)).join(""));
    expect((await verifySnapshot(copy)).ok).toBe(true);
    rmSync(join(copy, first));
    expect((await verifySnapshot(copy)).problems[0]?.message).toContain("a body is missing");
    const before = server.requests.length;
    expect(await recorded()).toBe(12);
    expect(server.requests.length - before).toBe(before);
    expect((await verifySnapshot(copy)).problems).toHaveLength(0);
  });
});

describe("an interrupted recording", () => {
  it("is intact if its index is truncated at any byte, and auto requests the rest", async () => {
    const { dir, server, archive } = await startRecording({ rows: 12 });
    const frame = await archive.mentions("climate", { maxItems: 12, limit: 5 });
    const [path, whole] = [fileIn(dir), readFileSync(fileIn(dir))];
    const ends = readStoredFile(dir, basename(path)).bodies.map(({ bodyAt, line }) => bodyAt + line.size);
    const copy = join(root, "cut");
    for (let length = 0; length < whole.length; length += LONG ? 23 : 71) {
      rmSync(copy, { recursive: true, force: true });
      cpSync(dir, copy, { recursive: true });
      writeFileSync(join(copy, basename(path)), whole.subarray(0, length));
      expect((await verifySnapshot(copy)).ok, `cut at ${length}`).toBe(true);
      const before = server.requests.length;
      await using resuming = clientTo(server, { snapshot: { dir: copy } });
      expect((await resuming.mentions("climate", { maxItems: 12, limit: 5 })).frameEqual(frame)).toBe(true);
      const kept = ends.filter((end) => end <= length).length;
      expect(server.requests.length - before).toBeLessThanOrEqual(3 - kept);
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
      expect(service.requests - before).toBeLessThanOrEqual(30 - responses + 8);
      expect(existsSync(dir)).toBe(true);
    }
    expect(killed).toBeGreaterThan(0);
  });
});
