import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { progressLine, terminalLine } from "../../src/call/progress.js";
import { openArchive } from "../../src/index.js";
import { callCommand } from "../cli/callCommand.js";
import { command } from "../cli/command.js";
import { clientTo, mention } from "../client/clientTo.js";
import { temporaryFolder } from "../files/temporary.js";
import { sampled } from "../scale.js";
import { startPagedServer } from "../scan/pagedServer.js";
import { progressEvent } from "../scan/progressEvent.js";
import { HOSTILE_NAME, HOSTILE_TEXT, UNSAFE } from "./hostileCharacters.js";

const root = temporaryFolder();
/** As a command-line argument: without NUL, and as long as the system allows. */
const ARGUMENT = `${HOSTILE_NAME}${"A".repeat(50_000)}`;

const ENVIRONMENT = {
  ARCHIVE_BASE_URL: ARGUMENT,
  HTTPS_PROXY: `http://x${HOSTILE_NAME}`,
  JUPYTER_PATH: join(root, "share/jupyter"),
};

/** Writes a received snapshot: its source, its files and a row member are hostile. */
async function writeHostileSnapshot(dir: string, isDamaged: boolean): Promise<void> {
  await using server = await startPagedServer({ rows: 2, row: (id) => mention(id, { [HOSTILE_TEXT]: HOSTILE_TEXT }) });
  await using archive = clientTo(server, { snapshot: { dir } });
  await archive.mentions("climate", { maxItems: 2 });
  expectHarmless(archive.scan.mentions("climate").select(HOSTILE_TEXT.slice(0, 5000)).explain());
  const log = readdirSync(dir).find((name) => name.startsWith("log-")) as string;
  const [first = "", ...lines] = readFileSync(join(dir, log), "utf8").split("\n");
  const header = JSON.stringify({ ...JSON.parse(first), source: HOSTILE_TEXT, baseUrl: HOSTILE_TEXT });
  writeFileSync(join(dir, log), [header, ...lines].join("\n"));
  writeFileSync(join(dir, `log-${HOSTILE_NAME.replaceAll("/", "")}.jsonl`), "no response\nat all\n");
  writeFileSync(join(dir, "log-9.jsonl"), isDamaged ? `${HOSTILE_TEXT}\n` : "");
}

/** Checks for control characters other than line breaks, and for lines of a megabyte. */
function expectHarmless(text: string): void {
  for (const line of text.split("\n")) {
    expect(line).not.toMatch(UNSAFE);
    expect(line.length).toBeLessThan(12_000);
  }
}

function writeNotebook(name: string, source: string): void {
  const cells = [{ cell_type: "code", source, metadata: {}, outputs: [], execution_count: null }];
  writeFileSync(join(root, name), JSON.stringify({ cells, metadata: {}, nbformat: 4, nbformat_minor: 5 }));
}

// test/util/quoted proves it of every error.
describe("untrusted text that a command prints is escaped", () => {
  beforeAll(async () => {
    await writeHostileSnapshot(join(root, "study"), true);
    mkdirSync(join(root, "cited"));
    writeFileSync(join(root, "cited/a.csv"), "a\n1\n");
    const resources = [{ path: "a.csv", hash: HOSTILE_TEXT, name: HOSTILE_TEXT }];
    writeFileSync(join(root, "cited/datapackage.json"), JSON.stringify({ [HOSTILE_TEXT]: HOSTILE_TEXT, resources }));
    const hostile = '"\\x1b]0;x\\x07\\x9b31m\\u202e\\u2066\\r\\n" + "A".repeat(1e6)';
    writeNotebook("throws.ipynb", `throw Object.assign(new RangeError(${hostile}), { name: ${hostile} })`);
    writeNotebook("faulty.ipynb", 'const \u202e\u009b31m: number = "\u001b]0;\u0007";');
    const kernels = join(root, "share/jupyter/kernels/archive-frames");
    mkdirSync(kernels, { recursive: true });
    const spec = { argv: [HOSTILE_TEXT, "{connection_file}"], display_name: "x", language: "typescript" };
    const metadata = { "archive-frames": { version: HOSTILE_TEXT } };
    writeFileSync(join(kernels, "kernel.json"), JSON.stringify({ ...spec, metadata }));
  });

  const COMMANDS = [
    ["snapshot", "study"],
    ["snapshot", ARGUMENT],
    ["save", "mentions", `--${ARGUMENT}`, "x"],
    ["save", "mentions", "--query", "x", "-o", `no/${HOSTILE_NAME}/${HOSTILE_NAME}.csv`],
    ["cite", ARGUMENT],
    ["cite", "cited/a.csv"],
    ["run", "throws.ipynb"],
    ["doctor"],
    ["snapshot", "study", "--json"],
    ["cite", "cited/a.csv", "--bibtex"],
    ["run", "faulty.ipynb", "--output", `${HOSTILE_NAME}.ipynb`],
  ];
  it.each(sampled(COMMANDS, 10).map((args) => [JSON.stringify(args).slice(0, 60), args] as const))(
    "%s",
    async (_shown, args) => {
      const run = args[0] === "doctor" || args[0] === "run" ? command : callCommand;
      const { stdout, stderr } = await run(root, args, args[0] === "doctor" ? ENVIRONMENT : {});
      expect(`${stdout}${stderr}`).not.toBe("");
      if (args[1] === "throws.ipynb") expect(stderr).toContain("31m");
      expectHarmless(stdout);
      expectHarmless(stderr);
    },
  );

  it("progress is one plain line", () => {
    const event = progressEvent({ operation: HOSTILE_TEXT, rows: 1, seconds: 9 });
    const written: string[] = [];
    terminalLine({ columns: 80, write: (text) => written.push(text) }, 0)(event);
    expect(written.join("").slice(1).replace("\u001b[K", "")).not.toMatch(UNSAFE);
    expect(progressLine(event)).toContain("1 rows");
  });

  it("the announcement of a replay names its source", async () => {
    const dir = join(root, "whole");
    await writeHostileSnapshot(dir, false);
    const write = vi.spyOn(process.stderr, "write").mockReturnValue(true);
    onTestFinished(() => write.mockRestore());
    await (await openArchive({ snapshot: { dir, mode: "replay" } })).close();
    const announced = write.mock.calls.join("");
    expect(announced).toContain("owned");
    expectHarmless(announced);
  });
});
