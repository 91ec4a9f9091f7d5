import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { appendFileSync, cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { startEmbeddedArchive } from "../../src/embedded/index.js";
import { ArchiveClient, SnapshotError, snapshotInfo, verifySnapshot } from "../../src/index.js";
import { lineOf } from "../../src/responses/line.js";
import { clientTo } from "../client/clientTo.js";
import { temporaryFolder } from "../files/temporary.js";
import { LONG, runs } from "../scale.js";
import { startPagedServer } from "../scan/pagedServer.js";
import { errorOf } from "../service/helpers.js";
import { replayOf } from "./replayOf.js";

const root = temporaryFolder();
let folders = 0;
const folder = () => join(root, String(++folders));

/** The files in a directory, as relative paths. */
const filesIn = (dir: string): string[] =>
  readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(dir.length + 1))
    .sort();

describe("the store", () => {
  it("contains JSON Lines, and bodies exactly as received, each named after its hash", async () => {
    const dir = folder();
    const body = '{ "cursor":"x",\r\n "mentions":[{"id":"1","text":"\\u00e9 \u{1f3db}"}] }';
    await using server = await startPagedServer({ rows: 1, instead: () => ({ body: Buffer.from(body) }) });
    await using archive = clientTo(server, { snapshot: { dir } });
    await archive.mentions("climate");
    const [bodyFile = "", index = ""] = filesIn(dir);
    const [head, response, finished] = readFileSync(join(dir, index), "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(head).toMatchObject({
      snapshot: "archive-frames",
      format: 3,
      source: server.baseUrl,
      baseUrl: server.baseUrl,
    });
    expect(response).toMatchObject({
      get: "/mentions?query=climate",
      status: 200,
      requests: 1,
      retries: 0,
      file: bodyFile,
    });
    expect(response.retrieval).toMatch(/^[0-9a-f]{16}$/);
    expect(finished).toMatchObject({ finished: response.retrieval, wanted: 0, rows: 1 });
    const packed = readFileSync(join(dir, bodyFile));
    expect(bodyFile).toContain(createHash("sha256").update(packed).digest("hex"));
    expect(gunzipSync(packed).toString()).toBe(body);
    expect(response.sha256).toBe(createHash("sha256").update(body).digest("hex"));
  });

  it("stores equal bodies once", async () => {
    const dir = folder();
    await using server = await startPagedServer({
      rows: 1,
      instead: () => ({ body: { mentions: [{ id: "1" }], cursor: "x" } }),
    });
    await using archive = clientTo(server, { snapshot: { dir } });
    for (const query of ["a", "b", "c"]) await archive.mentions(query);
    expect(filesIn(dir)).toHaveLength(2);
    expect(snapshotInfo(dir)).toMatchObject({ responses: 3, replaced: 0 });
  });

  it("supports two concurrent writers", async () => {
    const dir = folder();
    await using server = await startPagedServer({ rows: 400 });
    await using one = clientTo(server, { snapshot: { dir } });
    await using other = clientTo(server, { snapshot: { dir, mode: "record" } });
    const frames = await Promise.all([one, other].map((archive) => archive.mentions("climate", { maxItems: 400 })));
    expect(await verifySnapshot(dir)).toMatchObject({ ok: true, responses: 8, bodies: 4 });
    await using replay = replayOf(dir);
    expect((await replay.mentions("climate", { maxItems: 400 })).frameEqual(frames[0] as never)).toBe(true);
  });
});

describe("a changed byte", () => {
  const dir = join(root, "whole");
  let files: string[];
  beforeAll(async () => {
    await using server = await startPagedServer({ rows: 12 });
    await using archive = clientTo(server, { snapshot: { dir } });
    await archive.mentions("climate", { maxItems: 12, limit: 5 });
    files = filesIn(dir);
    expect(files).toHaveLength(4);
  });

  it("is reported with its file by verify and by a replay, wherever it is", async () => {
    const place = fc.integer({ min: 0, max: 3 }).chain((file) => {
      const size = readFileSync(join(dir, files[file] as string)).length;
      return fc.tuple(fc.constant(file), fc.integer({ min: 0, max: size - 1 }), fc.integer({ min: 1, max: 255 }));
    });
    const copy = join(root, "flipped");
    await fc.assert(
      fc.asyncProperty(place, async ([file, at, mask]) => {
        rmSync(copy, { recursive: true, force: true });
        cpSync(dir, copy, { recursive: true });
        const path = join(copy, files[file] as string);
        const bytes = readFileSync(path);
        bytes[at] = (bytes[at] as number) ^ mask;
        writeFileSync(path, bytes);
        const check = await verifySnapshot(copy);
        expect(check.ok).toBe(false);
        expect(check.problems[0]?.message).toContain(path);
        const replayed = (async () => {
          await using replay = replayOf(copy);
          return await replay.mentions("climate", { maxItems: 12, limit: 5 });
        })();
        const error = await errorOf(replayed, SnapshotError);
        expect([error.code, error.path]).toEqual(["SNAPSHOT_DAMAGED", path]);
      }),
      { numRuns: runs(40) },
    );
  });

  it("is reported for a missing body", async () => {
    const copy = folder();
    cpSync(dir, copy, { recursive: true });
    rmSync(join(copy, files[0] as string));
    expect((await verifySnapshot(copy)).problems[0]?.message).toContain("it is missing");
  });

  it("cannot make a reader leave the snapshot", async () => {
    const copy = folder();
    cpSync(dir, copy, { recursive: true });
    const index = join(copy, files.at(-1) as string);
    const [response] = readFileSync(index, "utf8").split("\n").slice(1);
    const { crc, ...content } = JSON.parse(response as string);
    expect(crc).toMatch(/^[0-9a-f]{8}$/);
    const whole = readFileSync(index);
    for (const wrong of [{ file: "bodies/../../secret.json.gz" }, { get: "//[" }, { get: "bills" }, { get: "" }]) {
      writeFileSync(index, whole);
      appendFileSync(index, lineOf({ ...content, ...wrong }));
      expect((await verifySnapshot(copy)).problems[0]?.message).toContain(index);
      expect(() => snapshotInfo(copy)).toThrow(SnapshotError);
    }
  });
});

describe("an interrupted recording", () => {
  it("is intact if its index is truncated at any byte, and auto requests the rest", async () => {
    const dir = folder();
    await using server = await startPagedServer({ rows: 12 });
    await using archive = clientTo(server, { snapshot: { dir } });
    const frame = await archive.mentions("climate", { maxItems: 12, limit: 5 });
    const index = filesIn(dir).at(-1) as string;
    const bytes = readFileSync(join(dir, index));
    const copy = join(root, "cut");
    for (let length = 0; length < bytes.length; length += LONG ? 23 : 71) {
      rmSync(copy, { recursive: true, force: true });
      cpSync(dir, copy, { recursive: true });
      writeFileSync(join(copy, index), bytes.subarray(0, length));
      expect((await verifySnapshot(copy)).ok, `cut at ${length}`).toBe(true);
      const before = server.requests.length;
      await using resuming = clientTo(server, { snapshot: { dir: copy } });
      expect((await resuming.mentions("climate", { maxItems: 12, limit: 5 })).frameEqual(frame)).toBe(true);
      const whole = bytes.subarray(0, length).filter((byte) => byte === 0x0a).length;
      expect(server.requests.length - before).toBeLessThanOrEqual(3 - Math.max(0, whole - 1));
    }
  });

  it("is intact after a kill at any time, and auto resumes it", { timeout: 300_000 }, async () => {
    const script = fileURLToPath(new URL("recordOnce.mjs", import.meta.url));
    await using service = await startEmbeddedArchive({ latency: 2 });
    const { baseUrl, apiKey } = service;
    await using plain = new ArchiveClient({ baseUrl, apiKey });
    const frame = await plain.mentions("climate", { maxItems: 3000 });
    let killed = 0;
    for (let kill = 0; kill < Number(process.env.KILLS ?? (LONG ? 3 : 2)); kill++) {
      const dir = folder();
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
      await using resuming = new ArchiveClient({ baseUrl, apiKey, snapshot: { dir } });
      expect((await resuming.mentions("climate", { maxItems: 3000 })).frameEqual(frame)).toBe(true);
      expect(responses).toBeGreaterThan(0);
      expect(service.requests - before).toBeLessThanOrEqual(30 - responses + 8);
      expect(existsSync(dir)).toBe(true);
    }
    expect(killed).toBeGreaterThan(0);
  });
});
