import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { afterAll, describe, expect, it } from "vitest";
import { settingsOf, withoutSettings } from "../archiveSettings.js";
import { mention } from "../client/clientTo.js";
import { temporaryFolder } from "../files/temporary.js";
import { runProcess } from "../runProcess.js";
import { startPagedServer } from "../scan/pagedServer.js";
import { startEmbeddedArchive } from "../tools/startGenerated.js";
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
  it("writes JSON Lines by default, or CSV: the rows of the file, and nothing else", async () => {
    const { status, stdout, stderr } = await toOutput([...SEARCH, "-o", "-"]);
    expect(status).toBe(0);
    expect(stderr).toMatch(
      /^archive-frames: using the embedded archive[^\n]*\nmentions climate: 250 rows, capped by maxItems\n$/,
    );
    await callCommand(root, [...SEARCH, "-o", "file.jsonl"]);
    expect(stdout.equals(readFileSync(join(root, "file.jsonl")))).toBe(true);
    expect(String(stdout).trimEnd().split("\n")).toHaveLength(250);
    expect(readdirSync(root).sort()).toEqual(["datapackage.json", "file.jsonl", "tmp"]);
    const csv = await toOutput([...SEARCH, "-o", "-", "-f", "csv"], EMBEDDED);
    await callCommand(root, [...SEARCH, "-o", "file.csv"]);
    expect(csv.stdout.equals(readFileSync(join(root, "file.csv")))).toBe(true);
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
    [["-f", "parquet"], /--format: invalid format: "parquet". Give one of "jsonl", "csv"/],
  ])("refuses %j", async (flags, message) => {
    expect(await callCommand(root, [...SEARCH, "-o", "-", ...flags])).toEqual(failedWith(message));
  });
});
