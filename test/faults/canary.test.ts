import { readdirSync } from "node:fs";
import { join } from "node:path";
import { notebookHtml, runNotebook } from "archive-frames/notebook";
import { describe, expect, it } from "vitest";
import { provenanceOf, saveFrame, toCsv, toJsonl, toRecords } from "../../src/index.js";
import { callCommand } from "../cli/callCommand.js";
import { command } from "../cli/command.js";
import { mention, queryOf, served } from "../client/clientTo.js";
import { SAVE_FORMATS } from "../files/formats.js";
import { temporaryFolder } from "../files/temporary.js";
import { kernelEnv } from "../kernel/kernels.js";
import { KEY } from "../service/helpers.js";
import type { ScriptedAnswer, SeenRequest } from "../service/scriptedServer.js";
import { expectNoKey, filesBelow, printedForms } from "./keySearch.js";
import { readRows } from "./readRows.js";

/** The key as a careless service writes it. */
function echoOf({ headers }: SeenRequest): string {
  const key = String(headers["x-api-key"]);
  const base64 = Buffer.from(`user:${key}`).toString("base64");
  return [key, encodeURIComponent(key), base64, JSON.stringify({ key })].join(" ");
}

/** Two pages of two rows, with the key wherever a service could put it. */
function respondWithKey(request: SeenRequest): ScriptedAnswer {
  const key = String(request.headers["x-api-key"]);
  const text = echoOf(request);
  const headers = { "x-echo": key, "set-cookie": [`k=${key}`, `l=${encodeURIComponent(key)}`] };
  const [, path = "", id] = /^\/(\w+)(?:\/(\d+))?/.exec(request.url) ?? [];
  if (id !== undefined) return { headers, body: { id: 1, title: key, name: text } };
  const at = Number(queryOf(request).cursor?.slice(1) ?? 0);
  const row = (n: number) =>
    mention(n, { text, link: `/?k=${encodeURIComponent(key)}`, [key]: key, by: { [key]: [key] } });
  const rows = at < 4 ? [row(at + 1), row(at + 2)] : [];
  return { headers, body: { [path]: rows, cursor: `c${at + rows.length}`, debug: { key } } };
}

const refuse = (request: SeenRequest): ScriptedAnswer => ({ status: 403, body: echoOf(request) });
const SEARCHES = ["bills", "mentions", "people", "programsSearch"] as const;

describe("a key that the service echoes", () => {
  it("appears in no result of any operation, in any format", async () => {
    const { archive, server } = await served(respondWithKey, { progress: false });
    const searches = SEARCHES.flatMap((name) => [
      ...(["dataframe", "json", "records", "csv"] as const).flatMap((format) => [
        () => archive[name]("x", { format }),
        () => archive[name]("x", { format, maxItems: 10 }),
      ]),
      () => archive[name]("x", { engine: "danfo" }),
    ]);
    const calls: ReadonlyArray<() => Promise<unknown>> = [
      () => archive.person(1),
      () => archive.program(1),
      () => archive.scan.mentions("x").collect(),
      () => archive.speechesOnBill({ title: "Tax Bill", number: "H.R. 1", congress: 117, minConfidence: 0 }),
      ...searches,
    ];
    for (const call of calls) {
      const result = await call();
      const all = [result, archive.lastResult(), provenanceOf(result as object), toRecords(result)];
      expectNoKey("a result", toCsv(result), toJsonl(result), ...all.flatMap(printedForms));
    }
    expect(toCsv(await archive.mentions("x"))).toContain("[redacted]");
    for await (const row of archive.iterRecords("mentions", { query: "x" })) expectNoKey("a row", ...printedForms(row));
    expectNoKey("a client", ...printedForms(archive), ...printedForms(archive.scan.mentions("x")));
    expectNoKey("a URL", ...server.requests.map(({ url }) => url));
    expect(new Set(server.requests.map(({ headers }) => headers["x-api-key"])).size).toBe(1);
  });

  it("appears in no file, finished or not", async () => {
    const folder = temporaryFolder();
    const { archive } = await served(respondWithKey, { progress: false });
    const failing = await served((request) => (queryOf(request).cursor ? refuse : respondWithKey)(request));
    for (const format of SAVE_FORMATS) {
      const path = (name: string) => join(folder, `${name}.${format}`);
      await archive.save("mentions", path("saved"), { query: "x", format });
      await archive.scan.mentions("x").sink(path("sunk"), { format });
      await saveFrame(await archive.mentions("x"), path("frame"), { format });
      // Formats may be compressed.
      for (const name of ["saved", "sunk", "frame"]) expectNoKey(name, JSON.stringify(readRows(path(name))));
      const error: unknown = await failing.archive
        .save("mentions", path("unfinished"), { query: "x", format })
        .catch((reason) => reason);
      expectNoKey("an error", ...printedForms(error));
    }
    expect(readdirSync(folder).filter((name) => name.endsWith(".partial"))).toHaveLength(SAVE_FORMATS.length);
    expectNoKey("a file", ...filesBelow(folder));
  });

  it("appears in nothing that the command prints or writes", async () => {
    const folder = temporaryFolder();
    const echoing = await served(respondWithKey);
    const refusing = await served(refuse);
    const save = ["save", "mentions", "--query", "x", "-o"];
    const runs = [
      [callCommand, echoing, [...save, "a.csv"], 0],
      [callCommand, refusing, [...save, "b.csv"], 1],
      [callCommand, echoing, ["save", "mentions", "--api-key", KEY, "-o", "c.csv"], 1],
      [command, echoing, ["doctor"], 0],
    ] as const;
    for (const [run, { server }, args, status] of runs) {
      const env = { ARCHIVE_API_KEY: KEY, ARCHIVE_BASE_URL: server.baseUrl };
      const ended = await run(folder, args, env);
      expectNoKey(args.join(" "), ended.stdout, ended.stderr);
      expect(ended.status, ended.stderr).toBe(status);
    }
    expectNoKey("a file of the command", ...filesBelow(folder));
  });

  it("appears in no notebook and no report", async () => {
    const { server } = await served(respondWithKey);
    const code = [
      `import { ArchiveClient, provenanceOf } from "archive-frames";\nconst archive = new ArchiveClient();\nconst frame = await archive.mentions("x");\nframe`,
      `console.log(archive, frame.toRecords(), provenanceOf(frame)); archive`,
      `archive.scan.mentions("x")`,
      `await new ArchiveClient({ baseUrl: archive.baseUrl.replace(/\\d+$/, "1"), maxRetries: 0 }).bills("x")`,
    ];
    const cells = code.map((source) => {
      return { cell_type: "code" as const, metadata: {}, source, outputs: [], execution_count: null };
    });
    const env = { ...kernelEnv(), ARCHIVE_API_KEY: KEY, ARCHIVE_BASE_URL: server.baseUrl };
    const empty = { cells, metadata: {}, nbformat: 4, nbformat_minor: 4 };
    const notebook = await runNotebook(empty, { env, allowErrors: true });
    expect(JSON.stringify(notebook)).toContain("[redacted]");
    expectNoKey("a notebook", JSON.stringify(notebook), notebookHtml(notebook));
  });
});
