import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { ArchiveClient, type ArchiveClientOptions, provenanceOf } from "../../src/index.js";
import { POOLED_BYTES } from "../../src/service/http/bodyPool.js";
import { type ScriptedServer, startScriptedServer } from "../service/scriptedServer.js";

/** Rows with the declared members, with additional ones, and with values of other types. */
function rowOf(at: number): object {
  const row = { id: String(1000 - at), text: `text ${at} ${"x".repeat(at % 50)}`, begintime: "2024-04-27T02:35:35Z" };
  if (at % 40 === 7) return { ...row, more: { at } };
  if (at % 40 === 38) return { ...row, personid: `p${at}` };
  return { ...row, personid: at };
}

const TOTAL = 160;
const LIMIT = 10;

let server: ScriptedServer;
const folder = mkdtempSync(join(tmpdir(), "archive-frames-pooled-"));
const { smallest } = POOLED_BYTES;

beforeAll(async () => {
  server = await startScriptedServer(({ url }) => {
    const query = new URL(url, "http://x").searchParams;
    const page = Number(query.get("page") ?? 1);
    const from = query.has("cursor") ? Number(query.get("cursor")) : (page - 1) * LIMIT;
    const mentions = Array.from({ length: Math.max(0, Math.min(LIMIT, TOTAL - from)) }, (_, at) => rowOf(from + at));
    return { body: mentions.length === 0 ? {} : { cursor: String(from + mentions.length), mentions } };
  });
});

afterAll(async () => {
  POOLED_BYTES.smallest = smallest;
  rmSync(folder, { recursive: true });
  await server.close();
});

let files = 0;

/** Every kind of result of a search, as text. */
async function results(): Promise<Record<string, string>> {
  const options = { apiKey: "0123456789abcdef", baseUrl: server.baseUrl, pageSize: LIMIT, progress: false } as const;
  const dir = join(folder, `snapshot${++files}`);
  const texts: Record<string, string> = {};
  const run = async (
    name: string,
    use: (archive: ArchiveClient) => Promise<unknown>,
    more: ArchiveClientOptions = {},
  ) => {
    const archive = new ArchiveClient({ ...options, ...more } as ArchiveClientOptions<"dataframe", "polars">);
    texts[name] = JSON.stringify(await use(archive));
    await archive.close();
  };
  const collect = async (archive: ArchiveClient) => {
    const frame = await archive.scan.mentions("x").collect();
    return [frame.toRecords(), provenanceOf(frame)?.sha256];
  };
  await run("collect", collect);
  await run("collect one page after another", collect, { concurrency: 1 });
  await run("record", collect, { snapshot: { dir, mode: "record" } });
  await run("replay", collect, { snapshot: { dir, mode: "replay" } });
  await run("dataframe", async (archive) => (await archive.mentions("x", { maxItems: 130 })).toRecords());
  await run("records", (archive) => archive.mentions("x", { maxItems: 130, format: "records" }));
  await run("csv", (archive) => archive.mentions("x", { maxItems: 130, format: "csv" }));
  await run("one page", (archive) => archive.mentions("x", { format: "json" }));
  await run("count", (archive) => archive.scan.mentions("x").count());
  await run("unknown name", async (archive) => {
    const frame = await archive.scan.mentions("x").select("id", "more.at").collect();
    return [frame.toRecords(), provenanceOf(frame)?.sha256];
  });
  await run("batches", async (archive) => {
    const heights: number[] = [];
    for await (const frame of archive.scan.mentions("x").drop("personid").batches()) heights.push(frame.height);
    return heights.reduce((sum, height) => sum + height, 0);
  });
  await run("records one by one", async (archive) => {
    const rows: unknown[] = [];
    for await (const row of archive.iterRecords("mentions", { query: "x" })) rows.push(row);
    return rows;
  });
  for (const format of ["jsonl", "json", "csv"] as const) {
    await run(`save ${format}`, async (archive) => {
      const path = join(folder, `a${files}.${format}`);
      await archive.save("mentions", path, { query: "x" });
      return readFileSync(path, "utf8");
    });
  }
  return texts;
}

it("results do not depend on whether body memory is reused", async () => {
  POOLED_BYTES.smallest = Number.POSITIVE_INFINITY;
  const plain = await results();
  POOLED_BYTES.smallest = 1;
  const pooled = await results();
  expect(Object.keys(pooled)).toHaveLength(15);
  for (const [name, text] of Object.entries(plain)) expect(pooled[name] === text, name).toBe(true);
});
