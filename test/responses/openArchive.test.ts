import { readdirSync } from "node:fs";
import { join } from "node:path";
import { inspect } from "node:util";
import { afterEach, describe, expect, it, vi } from "vitest";
import { AuthenticationError, openArchive, provenanceOf, ValidationError } from "../../src/index.js";
import { stubSettings } from "../archiveSettings.js";
import { callCommand } from "../cli/callCommand.js";
import { command } from "../cli/command.js";
import { sha256Of } from "../files/sha256Of.js";
import { temporaryFolder } from "../files/temporary.js";
import { startPagedServer } from "../scan/pagedServer.js";
import { errorOf } from "../service/helpers.js";

const root = temporaryFolder();
afterEach(() => {
  vi.unstubAllEnvs();
});
const quiet = { announce: false } as const;
const sha256 = (file: string) => sha256Of(join(root, file));

describe("openArchive", () => {
  it("records to ARCHIVE_SNAPSHOT, and replays without a key or a server", async () => {
    const dir = join(root, "study");
    stubSettings({ ARCHIVE_SNAPSHOT: dir });
    const first = await openArchive(quiet);
    const then = await first.bills("infrastructure");
    await first.close();
    expect(readdirSync(dir)).toEqual(["bodies", expect.stringMatching(/^log-.*\.jsonl$/)]);

    stubSettings({ ARCHIVE_SNAPSHOT: dir, ARCHIVE_SNAPSHOT_MODE: "replay" });
    const handles = () => process.getActiveResourcesInfo().filter((name) => /^TCPServer/i.test(name)).length;
    const before = handles();
    await using replay = await openArchive(quiet);
    const now = await replay.bills("infrastructure");
    expect(handles()).toBeLessThanOrEqual(before);
    expect(now.frameEqual(then)).toBe(true);
    expect(provenanceOf(now)).toEqual(provenanceOf(then));
    await expect(replay.bills("budget")).rejects.toMatchObject({ code: "NOT_IN_SNAPSHOT" });
  });

  it.each(["ARCHIVE_API_KEY", "CSPAN_API_KEY"])("uses the service if %s has a key", async (variable) => {
    const server = await startPagedServer({ rows: 5, most: 50 });
    stubSettings({ [variable]: "canary-7f3a9c0e", ARCHIVE_BASE_URL: server.baseUrl });
    await using archive = await openArchive(quiet);
    expect((await archive.mentions("climate")).height).toBe(5);
    expect(inspect(archive)).not.toContain("canary-7f3a9c0e");
    await server.close();
  });

  it("does not serve synthetic data if ARCHIVE_BASE_URL is set without a key, and the hint works", async () => {
    stubSettings({ ARCHIVE_BASE_URL: "https://mirror.example/2.0" });
    const error = await errorOf(openArchive(quiet), AuthenticationError);
    expect(error.hint).toContain("or call openArchive() without baseUrl (ARCHIVE_BASE_URL)");
    stubSettings({});
    await using archive = await openArchive(quiet);
    expect((await archive.bills("infrastructure")).height).toBe(20);
  });

  it("prefers the options snapshot and cache to the environment", async () => {
    stubSettings({ ARCHIVE_SNAPSHOT: join(root, "unwanted") });
    for (const options of [
      { snapshot: { dir: join(root, "given") } },
      { cache: { maxAge: 60, dir: join(root, "cache") } },
    ]) {
      await using archive = await openArchive({ ...quiet, ...options });
      await archive.bills("infrastructure");
    }
    expect(readdirSync(root)).toEqual(expect.arrayContaining(["given", "cache"]));
    expect(readdirSync(root)).not.toContain("unwanted");
  });

  it("applies ARCHIVE_SNAPSHOT_MODE to the option snapshot, and refuses a cache that would send requests", async () => {
    stubSettings({ ARCHIVE_SNAPSHOT_MODE: "replay" });
    await using replay = await openArchive({ ...quiet, snapshot: { dir: join(root, "study") } });
    await expect(replay.bills("budget")).rejects.toMatchObject({ code: "NOT_IN_SNAPSHOT" });
    const cached = openArchive({ ...quiet, cache: { maxAge: 60, dir: join(root, "cache") } });
    expect((await errorOf(cached, ValidationError)).message).toContain("Unset it, or leave out cache.");
  });

  it.each([
    [{ ARCHIVE_SNAPSHOT: "x", ARCHIVE_SNAPSHOT_MODE: "replya" }, 'Did you mean "replay"?'],
    [{ ARCHIVE_SNAPSHOT_MODE: "replay" }, "requires a snapshot"],
  ])("rejects %j", async (variables, message) => {
    stubSettings(variables);
    expect((await errorOf(openArchive(quiet), ValidationError)).message).toContain(message);
  });
});

describe("archive-frames save --snapshot", () => {
  it("records and replays equal files without a server", async () => {
    const server = await startPagedServer({ rows: 130, most: 50 });
    const args = ["save", "mentions", "--query", "climate", "--snapshot", "kept"];
    const env = { ARCHIVE_API_KEY: "a-key", ARCHIVE_BASE_URL: server.baseUrl };
    expect(await command(root, [...args, "-o", "a.parquet"], env)).toMatchObject({ status: 0 });
    await server.close();
    const replay = [...args, "--snapshot-mode", "replay", "-o", "b.parquet"];
    const { status, stderr } = await callCommand(root, replay);
    expect(status).toBe(0);
    expect(stderr).toContain("No requests are sent.");
    expect(sha256("b.parquet")).toBe(sha256("a.parquet"));
  });

  it("applies --snapshot-mode to ARCHIVE_SNAPSHOT, and rejects a mode without a snapshot", async () => {
    const args = ["save", "mentions", "--query", "climate", "-o", "c.csv", "--snapshot-mode", "replay"];
    expect(await command(root, args, { ARCHIVE_SNAPSHOT: "kept" })).toMatchObject({ status: 0 });
    expect(await callCommand(root, args)).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/requires a snapshot/),
    });
  });
});
