import { execFile, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { withoutSettings } from "./archiveSettings.js";
import { temporaryFolder } from "./files/temporary.js";
import { type Notebook, type NotebookOutput, sourceOf } from "./notebook/notebookFiles.js";
import { FULL, LONG } from "./scale.js";

const execute = promisify(execFile);
const ROOT = fileURLToPath(new URL("..", import.meta.url));
const DIRECTORY = join(ROOT, "notebooks");
const MAIN = join(ROOT, "dist/cli/main.js");

const work = temporaryFolder();

const names = readdirSync(DIRECTORY).filter((name) => name.endsWith(".ipynb"));
const read = (path: string) => JSON.parse(readFileSync(path, "utf8")) as Notebook;

/** Run and replayed: with all samples, the one with parameters, files and a snapshot. The long form, a part of `.ci/run`, has all. */
const RUN = LONG ? names : FULL ? ["save-cite-repeat.ipynb"] : [];

/** A machine without a key, whose Jupyter knows our kernel. */
const env = {
  ...withoutSettings(),
  JUPYTER_PATH: join(work, "share/jupyter"),
  JUPYTER_CONFIG_DIR: work,
  JUPYTER_RUNTIME_DIR: work,
};

/** Runs a command with the loopback interface as its only network, if the system allows that: kernel and driver talk over it. */
const WITHOUT_NETWORK = ((cut) => (spawnSync(cut[0] as string, [...cut.slice(1), "true"]).status === 0 ? cut : []))([
  "unshare",
  "-n",
  "sh",
  "-c",
  'ip link set lo up && exec "$@"',
  "sh",
]);

/** What the cells show, except the note that says where the responses come from, and which of the recorded minutes is named. */
function shown({ cells }: Notebook, minutes: readonly string[]): unknown[] {
  const kept = cells.map(({ outputs = [] }) => outputs.filter((output) => !isNote(output)));
  const text = minutes.reduce(
    (all, minute) => all.replaceAll(minute, "RECORDED"),
    withoutOwnService(JSON.stringify(kept)),
  );
  return JSON.parse(text) as unknown[];
}

/** When the responses of a recorded notebook came. A search that it repeats is replayed from the latest recording, for all cells. */
function recordedMinutes(name: string): string[] {
  const dir = join(work, "recorded", name);
  const logs = readdirSync(dir).filter((name) => name.endsWith(".jsonl"));
  const lines = logs.map((file) => readFileSync(join(dir, file), "latin1"));
  const times = lines.flatMap((text) => [...text.matchAll(/"receivedAt":"([\d-]+)T(\d\d:\d\d)/g)]);
  return times.map(([, day, minute]) => `${day} ${minute} UTC`);
}

/** A notebook's own service is asked anew in each run, on another port. */
function withoutOwnService(text: string): string {
  return text.replace(/(?:\d{4}-\d\d-\d\d(?: \d\d:\d\d UTC)? · )?127\.0\.0\.1:\d+/g, "HOST");
}

function isNote({ data }: NotebookOutput): boolean {
  const plain = (data as Record<string, unknown> | undefined)?.["text/plain"];
  return /^archive-frames: (?:using|replaying) /.test([plain].flat().join(""));
}

describe("the ready-made notebooks", () => {
  it("before-after has at most 15 cells, of at most 6 lines of code", () => {
    const { cells } = read(join(DIRECTORY, "before-after.ipynb"));
    const lines = cells.filter((cell) => cell.cell_type === "code").map((cell) => sourceOf(cell).split("\n").length);
    expect([cells.length <= 15, Math.max(...lines) <= 6]).toEqual([true, true]);
  });

  it("are these", () => {
    expect(names.sort()).toEqual([
      "before-after.ipynb",
      "coding.ipynb",
      "corpus.ipynb",
      "lazy-frames.ipynb",
      "over-the-years.ipynb",
      "quickstart.ipynb",
      "save-cite-repeat.ipynb",
      "speeches-on-a-bill.ipynb",
    ]);
  });

  it.each(names)("%s is stored with its outputs, and none is an error", (name) => {
    const { cells } = read(join(DIRECTORY, name));
    const code = cells.filter(({ cell_type }) => cell_type === "code");
    expect(code.every(({ execution_count }) => typeof execution_count === "number")).toBe(true);
    expect(code.flatMap(({ outputs = [] }) => outputs).filter(({ output_type }) => output_type === "error")).toEqual(
      [],
    );
    expect(JSON.stringify(cells)).toContain("af-");
  });

  it.each(names)("%s has a finding and limits, keeps its client open, and prints nothing on stderr", (name) => {
    const { cells } = read(join(DIRECTORY, name));
    const text = cells.map(sourceOf);
    expect(text.some((source) => source.startsWith("## Finding"))).toBe(true);
    expect(text.some((source) => source.startsWith("## Limits"))).toBe(true);
    expect(text.filter((source) => /\barchive\.close\(/.test(source))).toEqual([]);
    expect(cells.flatMap(({ outputs = [] }) => outputs).filter((output) => output.name === "stderr")).toEqual([]);
  });

  it.each(names)("%s states no number that its cells do not compute", (name) => {
    const { cells } = read(join(DIRECTORY, name));
    const shown = cells
      .filter(({ cell_type }) => cell_type === "code")
      .flatMap((cell) => [sourceOf(cell), ...textsOf(cell.outputs)]);
    const computed = new Set(shown.flatMap(numbersOf));
    const stated = cells.filter(({ cell_type }) => cell_type === "markdown").map((cell) => proseOf(sourceOf(cell)));
    expect(stated.flatMap(numbersOf).filter((number) => !computed.has(number))).toEqual([]);
    expect(stated.flatMap((text) => text.match(RATIOS) ?? [])).toEqual([]);
  });

  // Two at once: a run waits for its kernel much of the time.
  it.concurrent.each(RUN)("%s shows the stored outputs when it is run, and again when it is replayed", async (name) => {
    const output = join(work, `recorded-${name}`);
    const snapshot = ["--snapshot", join(work, "recorded", name), "--snapshot-mode", "record"];
    await execute(process.execPath, [MAIN, "run", join(DIRECTORY, name), "-o", output, ...snapshot], { env });
    expect(outputsOf(read(output))).toEqual(outputsOf(read(join(DIRECTORY, name))));
    // The replay has neither key nor network and must show the recorded times.
    await replay(name, elsewhere);
  });

  it.each(LONG ? names : [])("%s is the same report wherever it is replayed", async (name) => {
    expect(await replay(name, { copy: "here", home: { TZ: "America/New_York" } })).toBe(await replay(name, elsewhere));
  });
});

/** Ratios in words, which no output can be compared with. */
const RATIOS = /\b(?:\w+fold|one in \w+|half of|doubles?|doubled|triples?|tripled|a (?:third|quarter) of)\b/gi;

/** The numbers of a text as they are written: `1,281`, `0.46`. Parts of words, dates and versions (`117th`, `vega@5`) are none. */
function numbersOf(text: string): string[] {
  return text.match(/(?<![\w.,@/-])\d+(?:,\d{3})*(?:\.\d+)?(?![\w@-])/g) ?? [];
}

/** What a Markdown cell says in its own words: without headings, code and the targets of links. */
function proseOf(markdown: string): string {
  return markdown.replace(/^(?:#| {4}).*$|```[\s\S]*?```|`[^`]*`|\]\([^)]*\)/gm, "");
}

/** The outputs of a cell as plain text. */
function textsOf(outputs: readonly NotebookOutput[] = []): string[] {
  return outputs.map((output) =>
    [output.text ?? (output.data as Record<string, unknown> | undefined)?.["text/plain"]].flat().join(""),
  );
}

interface Place {
  /** The project directory of the replay, in that of the notebook. */
  readonly copy: string;
  /** Variables of the environment that reports could depend on. */
  readonly home: Readonly<Record<string, string>>;
}
const elsewhere: Place = { copy: join("another", "two"), home: { TZ: "Pacific/Auckland", LC_ALL: "de_DE.UTF-8" } };
const reports = new Map<string, Promise<string>>();

/** Replays a notebook in a project of its own, once for each place; returns its HTML report. */
function replay(name: string, { copy, home }: Place): Promise<string> {
  const project = join(work, name, copy);
  const known = reports.get(project) ?? replayed();
  reports.set(project, known);
  return known;

  async function replayed(): Promise<string> {
    const output = join(project, name);
    mkdirSync(project, { recursive: true });
    symlinkSync(join(ROOT, "node_modules"), join(project, "node_modules"));
    cpSync(join(DIRECTORY, name), join(project, "notebooks", name));
    cpSync(join(work, "recorded", name), join(project, "study", name), { recursive: true });
    const snapshot = ["--snapshot", join("study", name), "--snapshot-mode", "replay"];
    const files = [join("notebooks", name), "-o", output, "--html", `${output}.html`];
    const [program = "", ...rest] = [...WITHOUT_NETWORK, process.execPath, MAIN, "run", ...files, ...snapshot];
    await execute(program, rest, { env: { ...env, ...home }, cwd: project });
    const minutes = recordedMinutes(name);
    expect(shown(read(output), minutes)).toEqual(shown(read(join(work, `recorded-${name}`)), minutes));
    return withoutOwnService(readFileSync(`${output}.html`, "utf8"));
  }
}

/** What the cells show, without times, ports and PNG, which depends on the fonts of the machine. */
function outputsOf({ cells }: Notebook): unknown[] {
  return cells.map(({ outputs = [] }) => outputs.map(timeless));
}

function timeless({ execution_count, metadata, ...output }: NotebookOutput): unknown {
  return JSON.parse(
    JSON.stringify(output, (name, value: unknown) =>
      name === "image/png"
        ? undefined
        : Array.isArray(value) && value.every((one) => typeof one === "string")
          ? value.join("")
          : value,
    ),
    (_name, value: unknown) =>
      typeof value === "string"
        ? withoutOwnService(
            value.replace(
              /\d{4}-\d\d-\d\d(?: (?:\d\d:\d\d )?UTC|(?= · (?:embedded archive|127\.))|(?=\. The search))/g,
              "TIME",
            ),
          )
        : value,
  );
}
