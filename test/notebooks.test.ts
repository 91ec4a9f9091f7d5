import { execFile, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, describe, expect, it } from "vitest";
import type { Notebook, NotebookOutput } from "../src/notebook/notebookFormat.js";
import { withoutProgress } from "../src/notebook/withoutProgress.js";

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL("..", import.meta.url));
const FOLDER = join(ROOT, "notebooks");
const MAIN = join(ROOT, "dist/cli/main.js");
const NBCONVERT = "/usr/bin/jupyter-nbconvert";

const work = mkdtempSync(join(tmpdir(), "archive-frames-notebooks-"));
afterAll(() => rmSync(work, { recursive: true, force: true }));

const names = readdirSync(FOLDER).filter((name) => name.endsWith(".ipynb"));
const read = (path: string) => JSON.parse(readFileSync(path, "utf8")) as Notebook;

/** A machine without a key, whose Jupyter knows our kernel. */
const { ARCHIVE_API_KEY, ARCHIVE_BASE_URL, ...plain } = process.env;
const env = {
  ...plain,
  JUPYTER_PATH: join(work, "share/jupyter"),
  JUPYTER_CONFIG_DIR: work,
  JUPYTER_RUNTIME_DIR: work,
};

/** A world whose only network is the loopback interface, over which kernel and driver talk; where the system lets us make one. */
const WITHOUT_NETWORK = ((cut) => (spawnSync(cut[0] as string, [...cut.slice(1), "true"]).status === 0 ? cut : []))([
  "unshare",
  "-n",
  "sh",
  "-c",
  'ip link set lo up && exec "$@"',
  "sh",
]);

/** All that the cells show, but for what stderr says of where the answers come from. */
function shown({ cells }: Notebook): unknown[] {
  return cells.map(({ outputs = [] }) => outputs.filter(({ name }) => name !== "stderr"));
}

describe("the ready-made notebooks", () => {
  it("are the six", () => {
    expect(names.sort()).toEqual([
      "lazy-frames.ipynb",
      "quickstart.ipynb",
      "reproducible-report.ipynb",
      "saving-and-datasets.ipynb",
      "speeches-on-a-bill.ipynb",
      "trends.ipynb",
    ]);
  });

  it.each(names)("%s is kept with its outputs, and none is an error", (name) => {
    const { cells } = read(join(FOLDER, name));
    const code = cells.filter(({ cell_type }) => cell_type === "code");
    expect(code.every(({ execution_count }) => typeof execution_count === "number")).toBe(true);
    expect(code.flatMap(({ outputs = [] }) => outputs).filter(({ output_type }) => output_type === "error")).toEqual(
      [],
    );
    expect(JSON.stringify(cells)).toContain("af-");
  });

  it.each(names)("%s gives the outputs that are kept, run headless", { timeout: 300_000 }, async (name) => {
    const output = join(work, `recorded-${name}`);
    const snapshot = ["--snapshot", join(work, "recorded", name), "--snapshot-mode", "record"];
    await run(process.execPath, [MAIN, "run", join(FOLDER, name), "-o", output, ...snapshot], { env });
    expect(outputsOf(read(output))).toEqual(outputsOf(read(join(FOLDER, name))));
  });

  it.each(names)(
    "%s, replayed without key and network, gives what was recorded, times and all, and wherever it is the same report",
    { timeout: 300_000 },
    async (name) => {
      const reports = await Promise.all(
        [
          { copy: "one", home: { TZ: "America/New_York" } },
          { copy: join("another", "two"), home: { TZ: "Pacific/Auckland", LC_ALL: "de_DE.UTF-8" } },
        ].map(async ({ copy, home }) => {
          const project = join(work, name, copy);
          const output = join(project, name);
          mkdirSync(project, { recursive: true });
          symlinkSync(join(ROOT, "node_modules"), join(project, "node_modules"));
          cpSync(join(FOLDER, name), join(project, "notebooks", name));
          cpSync(join(work, "recorded", name), join(project, "study", name), { recursive: true });
          const snapshot = ["--snapshot", join("study", name), "--snapshot-mode", "replay"];
          const files = [join("notebooks", name), "-o", output, "--html", `${output}.html`];
          const [program = "", ...rest] = [...WITHOUT_NETWORK, process.execPath, MAIN, "run", ...files, ...snapshot];
          await run(program, rest, { env: { ...env, ...home }, cwd: project });
          expect(shown(read(output))).toEqual(shown(read(join(work, `recorded-${name}`))));
          return readFileSync(`${output}.html`, "utf8");
        }),
      );
      expect(reports[0]).toBe(reports[1]);
    },
  );

  it.skipIf(!existsSync(NBCONVERT)).each(names)(
    "%s gives them as well in Jupyter's nbconvert",
    { timeout: 300_000 },
    async (name) => {
      await run(process.execPath, [MAIN, "kernel", "install", "--prefix", work], { env });
      const output = `nbconvert-${name}`;
      const options = ["--to", "notebook", "--execute", "--output-dir", work, "--output", output];
      await run(NBCONVERT, [...options, join(FOLDER, name)], { env });
      // Jupyter keeps the bars, which only slow harvests have.
      const executed = read(join(work, output));
      for (const cell of executed.cells) cell.outputs = withoutProgress(cell.outputs ?? []);
      expect(outputsOf(executed)).toEqual(outputsOf(read(join(FOLDER, name))));
    },
  );
});

/** What the cells show, without what is of the day: times, ports and folders. */
function outputsOf({ cells }: Notebook): unknown[] {
  return cells.map(({ outputs = [] }) => outputs.map(timeless));
}

function timeless({ execution_count, metadata, ...output }: NotebookOutput): unknown {
  return JSON.parse(
    JSON.stringify(output, (_name, value: unknown) =>
      Array.isArray(value) && value.every((one) => typeof one === "string") ? value.join("") : value,
    ),
    (_name, value: unknown) =>
      typeof value === "string"
        ? value.replace(/\d{4}-\d\d-\d\d \d\d:\d\d UTC/g, "TIME").replace(/127\.0\.0\.1:\d+/g, "HOST")
        : value,
  );
}
