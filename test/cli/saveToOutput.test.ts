import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { RecordBatchReader, tableFromIPC } from "apache-arrow";
import { afterAll, describe, expect, it } from "vitest";
import { startEmbeddedArchive } from "../../src/embedded/index.js";
import { pl } from "../../src/index.js";
import { settingsOf, withoutSettings } from "../archiveSettings.js";
import { mention } from "../client/clientTo.js";
import { temporaryFolder } from "../files/temporary.js";
import { runProcess } from "../runProcess.js";
import { sampled } from "../scale.js";
import { startPagedServer } from "../scan/pagedServer.js";
import { callCommand, failedWith } from "./callCommand.js";
import { command, MAIN } from "./command.js";

const root = temporaryFolder();
const SEARCH = ["save", "mentions", "--query", "climate", "--mindate", "2024-01-01", "--max-items", "250"];

/** The archive that the command would start, which takes a second. */
const archive = await startEmbeddedArchive();
afterAll(() => archive.close());
const EMBEDDED = settingsOf(archive);

/** Runs the command with a directory of its own for temporary files, which has to be empty in the end. */
async function toOutput(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const TMPDIR = join(root, "tmp");
  mkdirSync(TMPDIR, { recursive: true });
  const ended = await command(root, args, { TMPDIR, ...env }, { encoding: "latin1" });
  expect(readdirSync(TMPDIR)).toEqual([]);
  return { ...ended, stdout: Buffer.from(ended.stdout, "latin1") };
}

describe("archive-frames save -o -", () => {
  it("writes JSON Lines by default: the rows of the file, and nothing else", async () => {
    const { status, stdout, stderr } = await toOutput([...SEARCH, "-o", "-"]);
    expect(status).toBe(0);
    expect(stderr).toMatch(
      /^archive-frames: using the embedded archive[^\n]*\nmentions climate: 250 rows, capped by maxItems\n$/,
    );
    await callCommand(root, [...SEARCH, "-o", "file.jsonl"]);
    expect(stdout.equals(readFileSync(join(root, "file.jsonl")))).toBe(true);
    expect(
      String(stdout)
        .trimEnd()
        .split("\n")
        .map((line) => typeof JSON.parse(line).text),
    ).toEqual(Array(250).fill("string"));
    expect(readdirSync(root).sort()).toEqual(["datapackage.json", "file.jsonl", "tmp"]);
  });

  it("writes Parquet, through a temporary file", async () => {
    const { status, stdout } = await toOutput([...SEARCH, "-o", "-", "-f", "parquet"], EMBEDDED);
    expect(status).toBe(0);
    await callCommand(root, [...SEARCH, "-o", "file.parquet"]);
    expect(pl.readParquet(stdout).frameEqual(pl.readParquet(join(root, "file.parquet")))).toBe(true);
  });

  it("ends quietly when its reader closes the pipe, and requests no more", async () => {
    await using server = await startPagedServer({ rows: 100_000, unnumbered: true });
    const args = ["save", "mentions", "--query", "x", "-o", "-"];
    const { status, stderr } = await command(root, args, settingsOf(server), {
      onStart: ({ stdout }) => stdout.once("data", () => stdout.destroy()),
    });
    expect(status).toBe(141);
    expect(stderr).toMatch(/^archive-frames: using http[^\n]*\n$/);
    expect(server.requests.length).toBeLessThan(100);
  });

  it.each([["notebooks"], ["--help"]])("as does %s", async (args) => {
    const onStart = ({ stdout }: { readonly stdout: Readable }) => void stdout.destroy();
    expect(await command(root, [args], {}, { onStart })).toEqual({ status: 141, stdout: "", stderr: "" });
  });

  it.skipIf(process.platform !== "linux").each([["notebooks"], [...SEARCH, "-o", "-"]])(
    "says in a line that its output is full: %s",
    async (...args) => {
      const parameters = ["-c", '"$0" "$@" > /dev/full', process.execPath, MAIN, ...args];
      const { status, stderr } = await runProcess("sh", parameters, { env: { ...withoutSettings(), ...EMBEDDED } });
      expect(status).toBe(1);
      expect(stderr.trimEnd().split("\n").at(-1)).toMatch(
        /^ArchiveError \(DISK_FULL\): standard output .* no space left/,
      );
      expect(stderr).not.toContain("    at ");
    },
  );

  it("reports a failure after the rows so far, and leaves no temporary file", async () => {
    await using server = await startPagedServer({
      rows: 730,
      most: 100,
      unnumbered: true,
      row: (id) => mention(id, { text: "A\u009bB" }),
      instead: (offset) => (offset >= 300 ? { status: 400, body: { message: "no" } } : undefined),
    });
    const args = ["save", "mentions", "--query", "x", "-o", "-"];
    const lines = await toOutput(args, settingsOf(server));
    expect(lines.status).toBe(1);
    const rows = String(lines.stdout).trimEnd().split("\n");
    expect(rows).toHaveLength(300);
    // In a pipe, nothing is escaped.
    expect(JSON.parse(rows[299] as string)).toMatchObject({ id: "300", text: "A\u009bB" });
    const csv = await toOutput([...args, "-f", "csv"], settingsOf(server));
    expect(csv).toMatchObject({ status: 1, stdout: Buffer.alloc(0) });
    for (const { stderr } of [lines, csv]) {
      expect(stderr).toMatch(/APIError \(HTTP_ERROR\)/);
      expect(stderr).not.toMatch(/--resume|\.partial/);
    }
  });

  it.each([
    [["--filename", "a.csv"], /--filename: invalid filename: it does not apply to jsonl on standard output/],
    [["--resume"], /--resume: invalid resume/],
    [["--bom"], /--bom: invalid bom: it does not apply to jsonl/],
    [["-f", "parquet", "--bom"], /--bom: invalid bom: it applies to csv/],
  ])("refuses %j", async (flags, message) => {
    expect(await callCommand(root, [...SEARCH, "-o", "-", ...flags])).toEqual(failedWith(message));
  });
});

describe("archive-frames save -o - --format arrow-stream", () => {
  const STREAM = ["-o", "-", "-f", "arrow-stream"];

  it.each(
    sampled<[string, string[]]>([
      ["250 mentions", SEARCH],
      ["no rows", ["save", "mentions", "zzzzzz"]],
      ["a lookup", ["save", "person", "6153"]],
    ]),
  )("writes %s, which polars and apache-arrow read like the file", async (_what, args) => {
    const { status, stdout } = await toOutput([...args, ...STREAM], EMBEDDED);
    expect(status).toBe(0);
    expect(await callCommand(root, [...args, "-o", "whole.parquet"])).toMatchObject({ status: 0 });
    const whole = pl.readParquet(join(root, "whole.parquet"));
    const streamed = pl.readIPCStream(stdout);
    expect(streamed.frameEqual(whole, true)).toBe(true);
    expect(streamed.dtypes.map(String)).toEqual(whole.dtypes.map(String));
    const table = tableFromIPC(stdout);
    expect(table.schema.fields.map(({ name, type }) => [name, String(type)])).toContainEqual(
      args.includes("person") ? ["name", "LargeUtf8"] : ["text", "LargeUtf8"],
    );
    expect(table.toArray().map(({ id }) => String(id))).toEqual(whole.getColumn("id").toArray().map(String));
  });

  it("writes rows before the last page, and fails if a later one has another column", async () => {
    const row = (id: number) => mention(id, id > 300 ? { surprise: 1 } : {});
    await using server = await startPagedServer({ rows: 400, most: 50, row });
    const { status, stdout, stderr } = await toOutput(["save", "mentions", "climate", ...STREAM], settingsOf(server));
    expect(status).toBe(1);
    expect(stderr).toMatch(/COLUMN_WIDENED.*format: "arrow"/);
    const messages = [...RecordBatchReader.from(stdout)];
    expect(messages.map(({ numRows }) => numRows).slice(0, 2)).toEqual([50, 100]);
  });

  it("is no format of a file", async () => {
    const args = [...SEARCH, "-o", "x", "-f", "arrow-stream"];
    expect(await callCommand(root, args)).toEqual(failedWith(/--format: invalid format: "arrow-stream"/));
  });
});
