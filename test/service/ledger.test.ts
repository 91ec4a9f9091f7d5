import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { startEmbeddedArchive } from "../../src/embedded/index.js";
import { ArchiveClient, quota, RateLimitError } from "../../src/index.js";
import { Ledger } from "../../src/service/http/ledger.js";
import { sum } from "../../src/util/sum.js";
import { stubSettings } from "../archiveSettings.js";
import { command } from "../cli/command.js";
import { newFolders, temporaryFolder } from "../files/temporary.js";
import { runProcess } from "../runProcess.js";
import { errorOf, KEY } from "./helpers.js";
import { startScriptedServer } from "./scriptedServer.js";

const newFolder = newFolders(temporaryFolder());
let cache: string;
beforeEach(() => {
  cache = newFolder();
  stubSettings();
  vi.stubEnv("XDG_CACHE_HOME", cache);
  vi.stubEnv("ARCHIVE_LEDGER", "on");
});
afterEach(() => void vi.unstubAllEnvs());

const files = () => readdirSync(cache, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".jsonl"));
const text = () => files().map((name) => readFileSync(join(cache, name), "utf8"));
const bills = { body: { bills: [{ id: 1 }], cursor: "c" } };
const DIST = pathToFileURL("dist/index.js").href;
/** A process that sends a request again and again. */
const script = (baseUrl: string, times: number) => `
  import { ArchiveClient } from ${JSON.stringify(DIST)};
  const archive = new ArchiveClient({ apiKey: ${JSON.stringify(KEY)}, baseUrl: ${JSON.stringify(baseUrl)}, progress: false });
  for (let at = 0; at < ${times}; at++) await archive.bills("x");
  await archive.close();`;

describe("the ledger", () => {
  it("counts requests, refusals, plans and checks of a key, and keeps them private", async () => {
    let refuses = false;
    await using server = await startScriptedServer(() =>
      refuses ? { status: 429, body: { message: "Limit Exceeded" } } : bills,
    );
    const archive = new ArchiveClient({ apiKey: KEY, baseUrl: server.baseUrl, progress: false });
    await archive.bills("x");
    await archive.person(1).catch(() => undefined);
    refuses = true;
    await errorOf(archive.count("mentions", "x"), RateLimitError);
    await archive.close();
    const spent = { today: 3, refusedToday: 1, last7Days: 3, refusedLast7Days: 1 };
    const study = process.cwd().split("/").at(-1);
    expect(quota({ apiKey: KEY, baseUrl: server.baseUrl })).toEqual({ ...spent, studies: [{ study, ...spent }] });
    // Another key and another service have spent nothing.
    expect(quota({ apiKey: "another-key", baseUrl: server.baseUrl }).studies).toEqual([]);
    expect(quota({ apiKey: KEY, baseUrl: "http://127.0.0.1:9" }).today).toBe(0);
    expect(statSync(join(cache, files()[0] as string)).mode & 0o777).toBe(0o600);
    expect(statSync(join(cache, files()[0] as string, "..")).mode & 0o777).toBe(0o700);
    expect([...files(), ...text()].join()).not.toContain(KEY);
    // Two bytes of a digest of the key: they confirm no guess.
    expect(files()).toEqual([
      expect.stringMatching(/^archive-frames.ledger.[\da-f]{16}-[\da-f]{4}.\d{4}-\d\d-\d\d\.jsonl$/),
    ]);
  });

  it("shows the sum of the day in progress", async () => {
    await using server = await startScriptedServer(() => bills);
    const settings = { apiKey: KEY, baseUrl: server.baseUrl };
    const today: Array<number | undefined> = [];
    for (let at = 1; at <= 2; at++) {
      const archive = new ArchiveClient({ ...settings, progress: ({ requestsToday }) => today.push(requestsToday) });
      await archive.bills("x");
      await archive.close();
    }
    expect(today).toEqual([1, 1, 2, 2]);
  });

  it.each(["option", "variable", "embedded"])("is off: %s", async (how) => {
    await using archive = await startEmbeddedArchive({ size: 0, ...(how !== "embedded" && { apiKey: "some-other" }) });
    if (how === "variable") vi.stubEnv("ARCHIVE_LEDGER", "off");
    const { apiKey, baseUrl } = archive;
    const client = new ArchiveClient({ apiKey, baseUrl, progress: false, ...(how === "option" && { ledger: false }) });
    await client.bills("x");
    await client.close();
    expect(quota({ apiKey, baseUrl }).today).toBe(0);
    expect(files()).toEqual([]);
  });

  it("adds up the days of seven and the lines of several processes, and skips what it did not write", () => {
    const day = 86_400_000;
    let now = Date.UTC(2026, 10, 27, 23, 59, 50);
    const [ours, theirs] = [new Ledger("http://a", "a key", () => now), new Ledger("http://a", "a key", () => now)];
    ours.add(2, 1);
    ours.flush();
    theirs.add(3);
    expect([ours.today, theirs.today]).toEqual([2, 5]);
    theirs.flush();
    now += 2000;
    ours.add(1);
    expect(ours.today).toBe(6);
    ours.flush();
    expect(ours.today).toBe(6);
    const study = process.cwd().split("/").at(-1);
    expect(ours.lines(0)).toEqual([
      [study, 2, 1],
      [study, 3, 0],
      [study, 1, 0],
    ]);
    const path = join(cache, files()[0] as string);
    writeFileSync(path, '["half', { flag: "a" });
    writeFileSync(path, '\n{"a":1}\n[1,2,3]\n["x",-1,0]\n["x",1.5,0]\n["x",1]\nnull\n["y",4,0]\n["unfinished",1', {
      flag: "a",
    });
    expect(ours.lines(0).slice(3)).toEqual([["y", 4, 0]]);
    now += 30_000;
    expect(ours.today).toBe(0);
    expect(ours.lines(1)).toHaveLength(4);
    now += 399 * day;
    const later = new Ledger("http://a", "a key", () => now);
    later.add(1);
    later.flush();
    expect(files()).toHaveLength(2);
    now += 2 * day;
    const latest = new Ledger("http://a", "another key", () => now);
    latest.add(1);
    latest.flush();
    // More than 400 days old, of whatever key.
    expect(
      files()
        .map((name) => name.slice(-16, -6))
        .sort(),
    ).toEqual(["2028-01-01", "2028-01-03"]);
  });

  it("that cannot be written is a warning, and no call fails", async () => {
    mkdirSync(join(cache, "archive-frames"));
    writeFileSync(join(cache, "archive-frames", "ledger"), "in the way");
    const warnings: string[] = [];
    const listen = (warning: Error) => warnings.push(warning.message);
    process.on("warning", listen);
    const ledger = new Ledger("http://a", "a key");
    ledger.add(1);
    ledger.flush();
    ledger.add(1);
    ledger.flush();
    await new Promise((resolve) => setImmediate(resolve));
    process.off("warning", listen);
    expect(warnings).toEqual([expect.stringMatching(/^Requests are not counted .* Set ledger: false/)]);
  });

  it("that cannot be written when a process exits is a warning", async () => {
    await using server = await startScriptedServer(() => bills);
    mkdirSync(join(cache, "archive-frames"));
    writeFileSync(join(cache, "archive-frames", "ledger"), "in the way");
    const env = { ...process.env, XDG_CACHE_HOME: cache, ARCHIVE_LEDGER: "" };
    const ended = await runProcess(process.execPath, ["--input-type=module", "-e", script(server.baseUrl, 1)], { env });
    expect(ended).toMatchObject({ status: 0, stderr: expect.stringMatching(/LEDGER_FAILED.* Set ledger: false/) });
  });

  it("counts the requests of parallel processes, of killed ones, and of commands", async () => {
    await using server = await startScriptedServer(() => bills);
    const env = { ...process.env, XDG_CACHE_HOME: cache, ARCHIVE_LEDGER: "" };
    // Not with quota(): what it reads depends on this process, in which other files were tested.
    const linesOf = (file: string) => file.split("\n").filter((line) => line.endsWith("]"));
    const written = () =>
      sum(
        text()
          .flatMap(linesOf)
          .map((line) => (JSON.parse(line) as [string, number])[1]),
      );
    const run = (times: number) =>
      runProcess(process.execPath, ["--input-type=module", "-e", script(server.baseUrl, times)], { env });
    for (const ended of await Promise.all([run(30), run(30)])) expect(ended).toMatchObject({ status: 0, stderr: "" });
    expect(written()).toBe(60);
    // Killed while it sends: what is older than a second is in the ledger.
    await runProcess(process.execPath, ["--input-type=module", "-e", script(server.baseUrl, 1e9)], {
      env,
      onStart: (child) => {
        const look = () => (written() > 60 ? child.kill("SIGKILL") : setTimeout(look, 20));
        look();
      },
    });
    expect(written()).toBeGreaterThan(60);
    expect(written()).toBeLessThanOrEqual(server.requests.length);
    const { stdout } = await command(newFolder(), ["quota"], {
      ...{ XDG_CACHE_HOME: cache, ARCHIVE_API_KEY: KEY, ARCHIVE_BASE_URL: server.baseUrl },
    });
    expect(stdout).toMatch(/^study +today +refusedToday +last7Days +refusedLast7Days\n/);
    expect(stdout).toMatch(new RegExp(`^all +${written()} `, "m"));
  });
});
