import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { progressLine, terminalBar } from "../../src/call/progress.js";
import { ArchiveError, openArchive, pl, saveFrame } from "../../src/index.js";
import { KernelClient } from "../../src/kernel/headless/kernelClient.js";
import { notebookHtml, runNotebook } from "../../src/notebook/index.js";
import { callCommand } from "../cli/callCommand.js";
import { command } from "../cli/command.js";
import { clientTo, mention, served } from "../client/clientTo.js";
import { temporaryFolder } from "../files/temporary.js";
import { replayOf } from "../responses/replayOf.js";
import { sampled } from "../scale.js";
import { pagedArchive, startPagedServer } from "../scan/pagedServer.js";
import { progressEvent } from "../scan/progressEvent.js";
import { errorOf } from "../service/helpers.js";
import { startScriptedServer } from "../service/scriptedServer.js";
import { HOSTILE_NAME, HOSTILE_TEXT, UNSAFE } from "./hostileCharacters.js";

const root = temporaryFolder();
const study = join(root, "study");
const EMPTY = { cells: [], metadata: {}, nbformat: 4, nbformat_minor: 5 };
/** The same as a command-line argument: without NUL, and as long as the system allows. */
const ARGUMENT = `${HOSTILE_NAME}${"A".repeat(50_000)}`;

/** Writes a received snapshot: its source, query and a row member are hostile. */
async function writeHostileSnapshot(dir: string, isDamaged = true): Promise<void> {
  await using server = await startPagedServer({ rows: 2, row: (id) => mention(id, { [HOSTILE_TEXT]: HOSTILE_TEXT }) });
  await using archive = clientTo(server, { snapshot: { dir } });
  await archive.mentions("climate", { maxItems: 2 });
  const log = readdirSync(dir).find((name) => name.startsWith("log-")) as string;
  const [, ...lines] = readFileSync(join(dir, log), "utf8").split("\n");
  const header = JSON.stringify({ format: "archive-frames 6", source: HOSTILE_TEXT, baseUrl: HOSTILE_TEXT });
  writeFileSync(join(dir, log), [header, ...lines].join("\n"));
  writeFileSync(join(dir, `log-${HOSTILE_NAME.replaceAll("/", "")}.jsonl`), "no response\nat all\n");
  writeFileSync(join(dir, "log-9.jsonl"), isDamaged ? `${HOSTILE_TEXT}\n` : "");
}

beforeAll(() => writeHostileSnapshot(study));

/** Checks for control characters other than line breaks, and for lines of a megabyte. */
function expectHarmless(text: string): void {
  for (const line of text.split("\n")) {
    expect(line).not.toMatch(UNSAFE);
    expect(line.length).toBeLessThan(12_000);
  }
}

function expectHarmlessError({ message, hint, stack }: ArchiveError): void {
  expect(message).not.toMatch(UNSAFE);
  expect(hint).not.toMatch(UNSAFE);
  expect(message.length).toBeLessThan(12_000);
  expectHarmless(stack ?? "");
}

describe("untrusted text in an error is escaped", () => {
  const failing: Readonly<Record<string, () => unknown>> = {
    "an unknown option": () => openArchive({ [HOSTILE_TEXT]: 1 }),
    "a value of an option": () => openArchive({ baseUrl: HOSTILE_TEXT }),
    "a key of a snapshot": () => openArchive({ snapshot: { dir: study, mode: HOSTILE_TEXT as never } }),
    "the folder of a snapshot": () => replayOf(join(root, HOSTILE_NAME)),
    "a snapshot with an invalid index": () => replayOf(study).mentions("climate"),
    "a parameter": async () => (await openArchive({ announce: false })).mentions("x", { [HOSTILE_TEXT]: 1 }),
    "a path to save to": () => {
      writeFileSync(join(root, HOSTILE_NAME), "a file");
      return saveFrame(pl.DataFrame({ a: [1] }), join(root, HOSTILE_NAME, "a.csv"));
    },
    "a format": () => saveFrame(pl.DataFrame({ a: [1] }), join(root, "a.csv"), { format: HOSTILE_TEXT as never }),
    "a missing notebook": () => runNotebook(join(root, HOSTILE_NAME)),
    "a notebook that is not JSON": () => {
      writeFileSync(join(root, "no.ipynb"), HOSTILE_TEXT);
      return runNotebook(join(root, "no.ipynb"));
    },
    "a notebook of another language": () =>
      runNotebook({ ...EMPTY, metadata: { kernelspec: { language: HOSTILE_TEXT } } }),
    "a notebook for a report": () => notebookHtml(HOSTILE_TEXT as never),
    "a parameter of a notebook": () => runNotebook(EMPTY, { parameters: { [HOSTILE_TEXT]: 1 } }),
    "stderr of a kernel that exits": () => {
      const says = 'process.stderr.write("\\x1b]0;x\\x07\\x9b\\u202e\\r\\n".repeat(1000), () => process.exit(1))';
      return KernelClient.start({ argv: [process.execPath, "-e", says, "{connection_file}"] });
    },
  };
  it.each(Object.entries(failing))("%s", async (_what, fail) => {
    expectHarmlessError(await errorOf(Promise.resolve().then(fail), ArchiveError));
  });

  it("a missing column among hostile ones", async () => {
    const { archive } = await pagedArchive({ rows: 2, row: (id) => mention(id, { [HOSTILE_TEXT]: 1 }) });
    for (const name of ["nope", HOSTILE_TEXT.slice(0, 5000)]) {
      const scan = archive.scan.mentions("x").filter(pl.col(`${name}!`).eq(1));
      expectHarmlessError(await errorOf(scan.collect(), ArchiveError));
      expectHarmless(scan.explain());
    }
  });

  it.each([
    ["a refusal", { status: 400, body: HOSTILE_TEXT.slice(0, 5000) }],
    ["a failure", { status: 500, statusText: "no", body: { message: HOSTILE_TEXT.slice(0, 5000) } }],
    ["a body that is not JSON", { body: HOSTILE_TEXT }],
    ["a body of another shape", { body: { mentions: { [HOSTILE_TEXT]: 1 } } }],
    ["an encoding", { headers: { "content-encoding": "\u009b31m" }, body: "x" }],
  ])("%s of the service", async (_what, answer) => {
    const { archive } = await served(
      startScriptedServer(() => answer),
      { maxRetries: 0 },
    );
    expectHarmlessError(await errorOf(archive.mentions("x"), ArchiveError));
    expectHarmlessError(await errorOf(archive.speechesOnBill({ title: "x y z" }), ArchiveError));
  });
});

/** Commands that run in a separate process, with the arguments and environment of a terminal. */
const PROCESSES = new Set(["serve", "doctor", ARGUMENT]);

describe("untrusted text printed by a command is escaped", () => {
  const notebook = (source: string) =>
    JSON.stringify({
      ...EMPTY,
      cells: [{ id: HOSTILE_NAME, cell_type: "code", metadata: {}, source, outputs: [], execution_count: null }],
    });
  const described = {
    [HOSTILE_TEXT]: HOSTILE_TEXT,
    resources: [{ path: "a.csv", hash: HOSTILE_TEXT, name: HOSTILE_TEXT }],
  };

  beforeAll(() => {
    mkdirSync(join(root, "cited"));
    writeFileSync(join(root, "cited", "a.csv"), "a\n1\n");
    writeFileSync(join(root, "cited", "datapackage.json"), JSON.stringify(described));
    const hostile = '"\\x1b]0;x\\x07\\x9b31m\\u202e\\u2066\\r\\n" + "A".repeat(1e6)';
    writeFileSync(
      join(root, "throws.ipynb"),
      notebook(`throw Object.assign(new RangeError(${hostile}), { name: ${hostile} })`),
    );
    writeFileSync(join(root, "faulty.ipynb"), notebook('const \u202e\u009b31m: number = "\u001b]0;\u0007";'));
    const kernels = join(root, "share/jupyter/kernels/archive-frames");
    mkdirSync(kernels, { recursive: true });
    const spec = {
      ...{ argv: [HOSTILE_TEXT, HOSTILE_TEXT, "{connection_file}"], display_name: "x", language: "typescript" },
      metadata: { "archive-frames": { version: HOSTILE_TEXT } },
    };
    writeFileSync(join(kernels, "kernel.json"), JSON.stringify(spec));
  });

  it.each(
    sampled(
      [
        ["snapshot", "study"],
        ["snapshot", ARGUMENT],
        [ARGUMENT],
        ["save", "mentions", `--${ARGUMENT}`, "x"],
        ["save", "mentions", "--query", "x", "-o", `no/${HOSTILE_NAME}/${HOSTILE_NAME}.csv`],
        ["cite", ARGUMENT],
        ["cite", "cited/a.csv"],
        ["run", ARGUMENT],
        ["run", "throws.ipynb"],
        ["doctor"],
        ["snapshot", "study", "--json"],
        ["cite", "cited/a.csv", "--bibtex"],
        ["kernel", "install", ARGUMENT],
        ["save", ARGUMENT, "-o", "x.csv"],
        ["serve", "--port", ARGUMENT],
        ["run", "faulty.ipynb", "--output", `${HOSTILE_NAME}.ipynb`],
      ],
      14,
    ).map((args) => ({ args, what: JSON.stringify(args).slice(0, 60) })),
  )("$what", async ({ args }) => {
    const env = {
      ARCHIVE_BASE_URL: ARGUMENT,
      HTTPS_PROXY: `http://x${HOSTILE_NAME}`,
      NO_PROXY: ARGUMENT,
      JUPYTER_PATH: join(root, "share/jupyter"),
    };
    const { status, stdout, stderr } = await (PROCESSES.has(args[0] ?? "")
      ? command(root, args, args[0] === "doctor" ? env : {})
      : callCommand(root, args));
    expect(`${stdout}${stderr}`).not.toBe("");
    expectHarmless(stdout);
    expectHarmless(stderr);
    if (args[0] === "run") expect(status).toBe(1);
  });

  it("progress is one plain line", () => {
    const event = progressEvent({ operation: HOSTILE_TEXT, rows: 1, seconds: 9 });
    const written: string[] = [];
    terminalBar({ columns: 80, write: (text) => written.push(text) }, 0)(event);
    expect(written.join("").slice(1).replace("\u001b[K", "")).not.toMatch(UNSAFE);
    expect(progressLine(event)).toContain("1 rows");
  });

  it("the announcement of a replay names its source", async () => {
    const clean = join(root, "clean");
    await writeHostileSnapshot(clean, false);
    const write = vi.spyOn(process.stderr, "write").mockReturnValue(true);
    onTestFinished(() => write.mockRestore());
    await (await openArchive({ snapshot: { dir: clean, mode: "replay" } })).close();
    const announced = write.mock.calls.join("");
    expect(announced).toContain("owned");
    expectHarmless(announced);
  });
});
