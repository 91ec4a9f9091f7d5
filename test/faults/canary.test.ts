import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { inspect } from "node:util";
import { notebookHtml, runNotebook } from "archive-frames/notebook";
import { describe, expect, it } from "vitest";
import { SAVE_FORMATS } from "../../src/files/saveFormat.js";
import { pl, provenanceOf, saveFrame, toCsv, toJsonl, toRecords } from "../../src/index.js";
import { KernelClient } from "../../src/kernel/headless/kernelClient.js";
import type { Message } from "../../src/kernel/protocol/wire.js";
import { Secret } from "../../src/service/http/secret.js";
import { operations } from "../../src/service/operations/operations.js";
import { callCommand } from "../cli/callCommand.js";
import { command } from "../cli/command.js";
import { clientTo, mention, queryOf } from "../client/clientTo.js";
import { temporaryFolder } from "../files/temporary.js";
import { beginCell, builtKernel, ROOT } from "../kernel/kernels.js";
import { LONG } from "../scale.js";
import { type ScriptedAnswer, type SeenRequest, startScriptedServer } from "../service/scriptedServer.js";

const CANARY = "canary-5e1f0c7a/9b+3d42=";
const redact = new Secret(CANARY).redact;
const root = temporaryFolder();

/** Fails if a text contains the key in any encoding; returns the number of texts. */
function countWithoutKey(what: string, texts: readonly string[]): number {
  for (const text of texts) {
    const clean = redact(text);
    const at = [...clean].findIndex((char, index) => char !== text[index]);
    if (clean !== text) expect.fail(`the key is in ${what}: …${text.slice(Math.max(0, at - 60), at + 60)}…`);
  }
  return texts.length;
}

/** Every way a program can print a value. */
function printableForms(value: unknown): string[] {
  const all = inspect(value, {
    depth: Infinity,
    showHidden: true,
    maxStringLength: Infinity,
    maxArrayLength: Infinity,
  });
  const texts = [all, String(value), typeof value === "object" ? (JSON.stringify(value) ?? "") : ""];
  for (let at = value; at instanceof Error; at = at.cause) texts.push(at.message, String(at.stack), JSON.stringify(at));
  return texts;
}

/** The contents of all files below a directory, raw and decompressed. */
function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" }).flatMap((name) => {
    const path = join(folder, name);
    if (!statSync(path).isFile()) return [name];
    const bytes = readFileSync(path);
    const texts = [name, bytes.toString("latin1"), bytes.toString("utf16le"), bytes.subarray(1).toString("utf16le")];
    // Only finished files can be decompressed.
    const isWhole = !name.includes(".partial");
    if (isWhole && name.endsWith(".parquet")) texts.push(toCsv(pl.readParquet(path)));
    if (isWhole && name.endsWith(".arrow")) texts.push(toCsv(pl.readIPC(readFileSync(path))));
    if (isWhole && name.endsWith(".xlsx")) {
      const unzip =
        "import zipfile,sys\nz=zipfile.ZipFile(sys.argv[1])\nfor n in z.namelist(): sys.stdout.buffer.write(z.read(n))";
      texts.push(execFileSync("/usr/bin/python3", ["-c", unzip, path], { maxBuffer: 2 ** 26 }).toString("latin1"));
    }
    return texts;
  });
}

/** The encodings of the key that the service echoes. */
function echoedForms(request: SeenRequest): string[] {
  const key = String(request.headers["x-api-key"]);
  const base64 = Buffer.from(`user:${key}`).toString("base64");
  return [key, key.toUpperCase(), encodeURIComponent(key), base64, encodeURIComponent(base64), JSON.stringify({ key })];
}

/** Responds like a service that echoes the key wherever it can. */
function respondWithKey(request: SeenRequest): ScriptedAnswer {
  const { pathname } = new URL(request.url, "http://x");
  const { cursor, page } = queryOf(request);
  const [key = "", ...others] = echoedForms(request);
  const headers = { "x-echo": key, "set-cookie": [`k=${key}`, `l=${encodeURIComponent(key)}`] };
  const row = (id: number) =>
    mention(id, {
      text: `seen ${key} ${others.join(" ")}`,
      link: `/?k=${others[1]}`,
      [key]: key,
      by: { [key]: [key] },
    });
  const last = cursor === "c2" || Number(page) > 2;
  const rows = last ? [] : [row(cursor === undefined ? 1 : 3), row(cursor === undefined ? 2 : 4)];
  const next = cursor === undefined ? "c1" : "c2";
  if (/\/(people|programs)\/\d+$/.test(pathname)) return { headers, body: { id: 1, title: key, name: others.join() } };
  const member = operations[pathname === "/programs/search" ? "programsSearch" : (pathname.slice(1) as "bills")]
    .rows as string;
  return { headers, body: { [member]: rows, cursor: next, debug: { key } } };
}

const client = (server: { readonly baseUrl: string }, more: object = {}) =>
  clientTo(server, { apiKey: CANARY, maxRetries: 1, progress: false, ...more });

describe("a key that the service echoes", () => {
  it("appears in no result of any operation, in any format", async () => {
    await using server = await startScriptedServer(respondWithKey);
    await using archive = client(server);
    const lookups = [() => archive.person(1), () => archive.program(1)];
    const searches = (["bills", "mentions", "people", "programsSearch"] as const).flatMap((name) =>
      (["dataframe", "json", "records", "csv"] as const).flatMap((format) => [
        () => archive[name]("x", { format }),
        () => archive[name]("x", { format, maxItems: 10 }),
        ...(format === "dataframe" ? [() => archive[name]("x", { engine: "danfo" })] : []),
      ]),
    );
    let searched = 0;
    for (const ask of [...lookups, ...searches]) {
      const result: unknown = await ask();
      const frame = archive.lastResult()?.frame;
      const texts = [result, archive.lastResult(), provenanceOf(result as object), toRecords(result)].flatMap(
        printableForms,
      );
      const csv = toCsv(result);
      searched += countWithoutKey("a result", [...texts, csv, toJsonl(result), toCsv(frame)]);
      expect(csv).toContain("[redacted]");
    }
    searched += countWithoutKey("a client", printableForms(archive));
    const scan = archive.scan.mentions("x");
    searched += countWithoutKey("a scan", [
      scan.explain(),
      ...printableForms(scan),
      ...printableForms(await scan.collect()),
    ]);
    for await (const frame of scan.batches()) searched += countWithoutKey("a batch", [toCsv(frame)]);
    for await (const row of archive.iterRecords("mentions", { query: "x" }))
      searched += countWithoutKey("a row", printableForms(row));
    const speeches = await archive.speechesOnBill({
      title: "Tax Bill",
      minConfidence: 0,
      number: "H.R. 1",
      congress: 117,
      chamber: "any",
    } as never);
    searched += countWithoutKey("speeches", [toCsv(speeches), ...printableForms(provenanceOf(speeches))]);
    expect(new Set(server.requests.map(({ headers }) => headers["x-api-key"]))).toEqual(new Set([CANARY]));
    expect(server.requests.every(({ url }) => redact(url) === url)).toBe(true);
    expect(searched).toBeGreaterThan(500);
  });

  it("appears in no file, finished or not", async () => {
    const folder = join(root, "files");
    mkdirSync(folder);
    await using server = await startScriptedServer(respondWithKey);
    await using archive = client(server);
    for (const format of SAVE_FORMATS) {
      await archive.save("mentions", join(folder, `a.${format}`), { query: "x", format });
      await archive.scan.mentions("x").sink(join(folder, `b.${format}`), { format });
      await saveFrame(await archive.mentions("x"), join(folder, `c.${format}`), { format });
      // The staging directory of a download that fails on its second page.
      await using failing = await startScriptedServer((request, index) =>
        index < 1 ? respondWithKey(request) : { status: 403, body: String(echoedForms(request)) },
      );
      await using half = client(failing);
      const error = await half
        .save("mentions", join(folder, `d.${format}`), { query: "x", format })
        .catch((caught) => caught);
      countWithoutKey("an error", printableForms(error));
    }
    const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
    expect(names.filter((name) => /responses\/log-/.test(name)).length).toBeGreaterThan(0);
    expect(countWithoutKey("a file", filesIn(folder))).toBeGreaterThan(60);
  });

  it("appears in nothing that the command prints or writes", async () => {
    await using server = await startScriptedServer(respondWithKey);
    await using refusing = await startScriptedServer((request) => ({
      status: 403,
      body: String(echoedForms(request)),
    }));
    const folder = join(root, "command");
    mkdirSync(folder);
    const run = async (baseUrl: string, ...args: string[]) => {
      const ended = await (args[0] === "doctor" ? command : callCommand)(folder, args, {
        ARCHIVE_API_KEY: CANARY,
        ARCHIVE_BASE_URL: baseUrl,
      });
      countWithoutKey(`what ${args[0]} says`, [ended.stdout, ended.stderr]);
      return ended;
    };
    expect((await run(server.baseUrl, "save", "mentions", "--query", "x", "-o", "a.csv")).status).toBe(0);
    expect((await run(refusing.baseUrl, "save", "mentions", "--query", "x", "-o", "b.csv")).stderr).toContain(
      "AUTHENTICATION",
    );
    await run(server.baseUrl, "doctor");
    await run(server.baseUrl, "save", "mentions", "--api-key", CANARY, "-o", "c.csv");
    expect(readFileSync(join(folder, "a.csv"), "latin1")).toContain("[redacted]");
    countWithoutKey("a file of the command", filesIn(folder));
  });

  it("appears in no notebook, report or kernel message", async () => {
    await using server = await startScriptedServer(respondWithKey);
    const kernel = builtKernel();
    const choice = { ...kernel, env: { ...kernel.env, ARCHIVE_API_KEY: CANARY, ARCHIVE_BASE_URL: server.baseUrl } };
    const code = [
      `import { ArchiveClient, provenanceOf } from "archive-frames";\nconst archive = new ArchiveClient();\nconst frame = await archive.mentions("x");\nframe`,
      `console.log(archive, frame.toRecords(), provenanceOf(frame)); archive`,
      `archive.scan.mentions("x")`,
      `await new ArchiveClient({ baseUrl: archive.baseUrl.replace(/\\d+$/, "1"), maxRetries: 0 }).bills("x")`,
    ];
    const cells = code.map((source) => ({
      cell_type: "code" as const,
      metadata: {},
      source,
      outputs: [],
      execution_count: null,
    }));
    const notebook = await runNotebook(
      { cells, metadata: {}, nbformat: 4, nbformat_minor: 4 },
      { env: choice.env, allowErrors: true, cwd: ROOT },
    );
    expect(JSON.stringify(notebook)).toContain("[redacted]");
    countWithoutKey("a notebook", [JSON.stringify(notebook), notebookHtml(notebook)]);

    if (!LONG) return;
    const published: Message[] = [];
    const client = await KernelClient.start(choice, ROOT);
    client.onStray = (message) => published.push(message);
    for (const source of code) published.push(...(await beginCell(client, source).done).messages);
    for (const type of ["complete_request", "inspect_request"]) {
      const content = await client.request(type, { code: "archive.", cursor_pos: 8 });
      published.push({ content } as Message);
    }
    const { connection, process: child } = client.kernel;
    countWithoutKey("the connection", [JSON.stringify(connection), child.spawnargs.join(" ")]);
    await client.close();
    expect(published.length).toBeGreaterThan(12);
    countWithoutKey(
      "a message of the kernel",
      published.map((message) => JSON.stringify({ ...message, identities: message.identities?.map(String) })),
    );
  });
});
