import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import type { SnapshotMode } from "../../src/index.js";
import { ArchiveError, NotFoundError, provenanceOf, ValidationError } from "../../src/index.js";
import { clientTo } from "../client/clientTo.js";
import { temporaryFolder } from "../files/temporary.js";
import { startPagedServer } from "../scan/pagedServer.js";
import { errorOf, KEY } from "../service/helpers.js";
import type { ScriptedServer } from "../service/scriptedServer.js";
import { largeRow, newDirectory, startRecording } from "./recording.js";
import { replayOf } from "./replayOf.js";

const root = temporaryFolder();

const withMode = (server: ScriptedServer, dir: string, mode?: SnapshotMode) =>
  clientTo(server, { pageSize: 100, snapshot: { dir, mode } });

describe("a snapshot", () => {
  it("replays equal frames, provenance and files without a key or a server", async () => {
    const { dir, server, archive: recording } = await startRecording({ rows: 730 }, "record");
    const frame = await recording.mentions("climate", { maxItems: 500 });
    const lazy = await recording.scan.mentions("climate").select("id", "length").head(120).collect();
    await recording.save("mentions", join(root, "recorded.jsonl"), { query: "climate" });
    await recording.save("mentions", join(root, "recorded.parquet"), { query: "climate" });
    const rows = await recording.mentions("climate", { format: "records", limit: 3 });
    await recording.close();
    await server.close();

    await using replay = replayOf(dir, { pageSize: 100 });
    const again = await replay.mentions("climate", { maxItems: 500 });
    expect(again.frameEqual(frame)).toBe(true);
    expect(provenanceOf(again)).toEqual(provenanceOf(frame));
    expect(provenanceOf(again)).toMatchObject({ source: server.baseUrl, snapshot: dir, requests: 5, cached: 0 });
    expect(replay.baseUrl).toBe(server.baseUrl);
    expect((await replay.scan.mentions("climate").select("id", "length").head(120).collect()).frameEqual(lazy)).toBe(
      true,
    );
    expect(await replay.mentions("climate", { format: "records", limit: 3 })).toEqual(rows);
    await replay.save("mentions", join(root, "replayed.jsonl"), { query: "climate" });
    await replay.save("mentions", join(root, "replayed.parquet"), { query: "climate" });
    for (const format of ["jsonl", "parquet"]) {
      const [one, other] = ["recorded", "replayed"].map((name) => readFileSync(join(root, `${name}.${format}`)));
      expect(one?.equals(other as Buffer), format).toBe(true);
    }
  });

  it("replays a rejection as the same error", async () => {
    const instead = () => ({ status: 404, body: { message: "no such program" } });
    const { dir, server, archive: recording } = await startRecording({ rows: 3, instead }, "record");
    const then = await errorOf(recording.program(7), NotFoundError);
    await recording.close();
    await server.close();
    await using replay = replayOf(dir);
    const now = await errorOf(replay.program(7), NotFoundError);
    expect([now.message, now.code, now.statusCode]).toEqual([then.message, then.code, then.statusCode]);
  });

  it("does not store a failure that the request did not cause, and sends the request again", async () => {
    const instead = (_: number, index: number) => (index === 0 ? { status: 403 } : undefined);
    const { server, archive: client } = await startRecording({ rows: 3, instead }, "auto");
    await expect(client.mentions("climate")).rejects.toMatchObject({ code: "AUTHENTICATION" });
    expect((await client.mentions("climate")).height).toBe(3);
    expect(server.requests).toHaveLength(2);
  });

  it("reports an unknown request and the nearest recorded one", async () => {
    const { dir, server, archive: recording } = await startRecording({ rows: 30 }, "record");
    await recording.mentions("climate", { limit: 10 });
    await recording.bills("climate");
    await using replay = replayOf(dir);
    const error = await errorOf(replay.mentions("climat", { limit: 10 }), ArchiveError);
    expect(error.code).toBe("NOT_IN_SNAPSHOT");
    expect(error.path).toBe(dir);
    expect(error.message).toContain("GET /mentions?query=climat&limit=10 is not in the snapshot");
    expect(error.message).toContain('mode: "auto"');
    expect(server.requests).toHaveLength(2);
  });

  it.each([
    ["record", [1, 2, 2]],
    ["auto", [0, 0, 0]],
  ] as const)("in mode %s sends the expected number of requests for stored responses", async (mode, expected) => {
    const { dir, server, archive: before } = await startRecording({ rows: 3 });
    await before.mentions("climate");
    await before.bills("climate");
    const start = server.requests.length;
    await using client = withMode(server, dir, mode);
    const counts: number[] = [];
    for (const ask of [
      () => client.mentions("climate"),
      () => client.bills("climate"),
      () => client.mentions("climate"),
    ]) {
      await ask();
      counts.push(server.requests.length - start);
    }
    expect(counts).toEqual(expected);
  });

  it.each(["record", "auto"] as const)("replays a save that was resumed in mode %s", async (mode) => {
    const [dir, path, again] = [newDirectory(), join(root, `${mode}.csv`), join(root, `${mode}-again.csv`)];
    let fails = true;
    await using server = await startPagedServer({
      rows: 730,
      unnumbered: true,
      instead: (offset) => (fails && offset === 300 ? { status: 403 } : undefined),
    });
    for (const _run of ["stopped", "resumed"]) {
      await using recording = withMode(server, dir, mode);
      const save = recording.save("mentions", path, { query: "climate", dataPackage: false });
      if (fails) await expect(save).rejects.toMatchObject({ statusCode: 403 });
      else await save;
      fails = false;
    }
    const urls = server.requests.map(({ url }) => url);
    expect(urls.filter((url, at) => urls.indexOf(url) !== at)).toEqual(
      urls.filter((url) => url.includes("c300")).slice(1),
    );
    await using replay = replayOf(dir, { pageSize: 100 });
    await replay.save("mentions", again, { query: "climate", dataPackage: false });
    expect(readFileSync(again, "utf8")).toBe(readFileSync(path, "utf8"));
  });

  it("rejects another service", async () => {
    const { dir, server: one, archive } = await startRecording({ rows: 3 });
    await using other = await startPagedServer({ rows: 3 });
    await archive.mentions("climate");
    const error = await errorOf(() => withMode(other, dir), ArchiveError);
    expect(error.code).toBe("OTHER_SERVICE");
    expect(error.message).toContain(one.baseUrl);
    expect(error.message).toContain(`{ snapshot: { dir: ${JSON.stringify(dir)}, mode: "replay" } }`);
  });

  it("throws NO_SNAPSHOT if the directory does not exist", async () => {
    const dir = newDirectory();
    const error = await errorOf(() => replayOf(dir), ArchiveError);
    expect([error.code, error.path]).toEqual(["NO_SNAPSHOT", dir]);
    expect(existsSync(dir)).toBe(false);
  });

  it("creates no directory without requests", async () => {
    const { dir, archive } = await startRecording({ rows: 3 });
    await archive.close();
    expect(existsSync(dir)).toBe(false);
  });

  it("rejects requests after its client was closed", async () => {
    const { dir, archive: client } = await startRecording({ rows: 3 });
    await client.mentions("climate");
    const replay = replayOf(dir);
    await replay.close();
    await expect(replay.mentions("climate")).rejects.toMatchObject({ code: "CLIENT_CLOSED" });
  });

  it("never contains the API key", async () => {
    const { dir, archive: client } = await startRecording({
      rows: 3,
      row: (id) => ({ ...largeRow(id), echo: KEY }),
      instead: (_, index) => (index === 1 ? { status: 404, body: { message: `no ${KEY}` } } : undefined),
    });
    await client.mentions(`climate ${KEY}`);
    await client.program(7).catch(() => undefined);
    const texts = readdirSync(join(dir, "bodies")).map((name) => gunzipSync(readFileSync(join(dir, "bodies", name))));
    const lines = readdirSync(dir, { withFileTypes: true }).flatMap((entry) =>
      entry.isFile() ? readFileSync(join(dir, entry.name), "utf8").split("\n") : [],
    );
    for (const { gzip } of lines.filter(Boolean).map((line) => JSON.parse(line)))
      if (gzip) texts.push(gunzipSync(Buffer.from(gzip, "base64")));
    expect(texts).toHaveLength(2);
    for (const text of [...texts, ...lines]) expect(text.toString()).not.toContain(KEY);
  });
});

describe("the options snapshot and cache", () => {
  it.each([
    [{ snapshot: "study/" }, "invalid snapshot"],
    [{ snapshot: { dir: "" } }, "invalid snapshot dir"],
    [{ snapshot: { dir: "x", mode: "replya" } }, 'Did you mean "replay"?'],
    [{ snapshot: { dir: "x", mod: "replay" } }, "Did you mean mode?"],
    [{ cache: { maxAge: -1 } }, "invalid cache maxAge"],
    [{ cache: {} }, "invalid cache maxAge"],
    [{ cache: { maxAge: 1 }, snapshot: { dir: "x" } }, "mutually exclusive"],
  ])("rejects %j", async (options, message) => {
    const make = () => clientTo({ baseUrl: "http://127.0.0.1:9/2.0" }, options as object);
    expect((await errorOf(make, ValidationError)).message).toContain(message);
  });
});
