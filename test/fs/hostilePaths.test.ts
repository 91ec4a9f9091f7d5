import { execFileSync } from "node:child_process";
import { existsSync, lstatSync, mkdirSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { Command } from "commander";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { codebook, codingPage, readCodes } from "../../src/coding/index.js";
import { openCorpus } from "../../src/corpus/index.js";
import { ArchiveError, openArchive, pl, readFrame, saveFrame, verifySnapshot } from "../../src/index.js";
import { loadLegislators } from "../../src/members/index.js";
import { chart, mentionsOverTime, runNotebook } from "../../src/notebook.js";
import { callCommand, commands } from "../cli/callCommand.js";
import { publicApi } from "../docs/publicApi.js";
import { temporaryFolder } from "../files/temporary.js";
import { FULL } from "../scale.js";
import { isRoot, type User, users } from "../users.js";

const sample = pl.DataFrame({ id: ["1"], text: ["climate"] });
const own = temporaryFolder();
const archive = await openArchive({ announce: false });
afterAll(() => archive.close());
const book = codebook({ stance: ["support", "oppose"] });
const found = await archive.mentions("climate", { limit: 20 });
const drawn = chart(found, mentionsOverTime(found));
const corpus = await openCorpus(join(own, "corpus"), {
  archive,
  searches: [{ query: "climate", mindate: "2024-01-01", maxdate: "2024-01-02" }],
});
await corpus.build();

const given = (name: string, content: string): string => {
  writeFileSync(join(own, name), content);
  return join(own, name);
};
/** Puts a file that a program makes at a path: one for all paths, because each process takes a while. */
function atPath(program: string, ...parameters: readonly string[]): (path: string) => AsyncDisposable {
  const made = join(own, program);
  execFileSync(program, [made, ...parameters]);
  return (path) => {
    renameSync(made, path);
    return { [Symbol.asyncDispose]: async () => renameSync(path, made) };
  };
}
const fifoAt = atPath("mkfifo");
const deviceAt = isRoot ? atPath("mknod", "c", "1", "5") : undefined;
const searches = given("searches.csv", "query\nclimate\n");
const notebook = given("empty.ipynb", JSON.stringify({ cells: [], metadata: {}, nbformat: 4, nbformat_minor: 5 }));

/** A command line that fails as a function does. */
async function command(...args: readonly string[]): Promise<void> {
  const { status, stderr } = await callCommand(own, args);
  if (status !== 0) throw new ArchiveError(stderr, { code: "INVALID_INPUT" });
}

/** Opens an archive with options, and searches. */
async function searching(options: Parameters<typeof openArchive>[0]): Promise<void> {
  const opened = await openArchive({ announce: false, ...options });
  try {
    await opened.bills("budget");
  } finally {
    await opened.close();
  }
}

/** What takes a path: functions, methods, options and commands. The extension that it reads or writes; "/" for directories. */
const CALLS: Readonly<
  Record<string, readonly [extension: string, call: (path: string) => unknown, isWriter?: boolean]>
> = {
  codingPage: ["/", (path) => codingPage(sample, book, path), true],
  loadLegislators: [".json", (path) => loadLegislators(path)],
  openCorpus: ["/", (path) => openCorpus(path)],
  readCodes: [".csv", (path) => readCodes(path, sample, book)],
  readFrame: [".csv", (path) => readFrame(path)],
  runNotebook: [".ipynb", (path) => runNotebook(path)],
  saveFrame: [".csv", (path) => saveFrame(sample, path), true],
  verifySnapshot: ["/", (path) => verifySnapshot(path)],
  "ArchiveClient.save": [".csv", (path) => archive.save("bills", path, { query: "budget", maxItems: 1 }), true],
  "ArchiveScan.sink": [".parquet", (path) => archive.scan.bills("budget").head(1).sink(path), true],
  "Chart.save": [".svg", async (path) => (await drawn).save(path), true],
  "Corpus.export": [".zip", (path) => corpus.export(path), true],
  "CacheOptions.dir": ["/", (dir) => searching({ cache: { dir: dir ?? "", maxAge: 60 } }), true],
  "RunOptions.output": [".ipynb", (output) => runNotebook({ cells: [], metadata: {}, nbformat: 4 }, { output }), true],
  "SnapshotOptions.dir": ["/", (path) => searching({ snapshot: { dir: path } }), true],
  "cite <file>": [".parquet", (path) => command("cite", path)],
  "corpus export <dest>": [".zip", (path) => command("corpus", "export", join(own, "corpus"), path), true],
  "corpus info <dir>": ["/", (path) => command("corpus", "info", path)],
  "corpus plan <dir>": ["/", (path) => command("corpus", "build", path, searches, "--max-requests", "1"), true],
  "corpus plan <searches>": [".csv", (path) => command("corpus", "plan", join(own, "plan"), path)],
  "kernel install --prefix": ["/", (path) => command("kernel", "install", "--prefix", path), true],
  "notebooks <dir>": ["/", (path) => command("notebooks", path), true],
  "run --html": [".html", (path) => command("run", notebook, "--output", join(own, "ran.ipynb"), "--html", path), true],
  "run --output": [".ipynb", (path) => command("run", notebook, "--output", path), true],
  "run <notebook>": [".ipynb", (path) => command("run", path)],
  "save --output": [".csv", (path) => command("save", "bills", "budget", "--max-items", "1", "--output", path), true],
  "save --snapshot": [
    "/",
    (path) => command("save", "bills", "budget", "--output", join(own, "bills.csv"), "--snapshot", path),
    true,
  ],
  "snapshot <dir>": ["/", (path) => command("snapshot", path)],
};

const TAKES_PATH = /^(?:path|paths|dir|directory|dest|notebook)$/;
const OPTION_WITH_PATH = /^(?:dir|output|record|storage)$/;
const isPath = ({ name, type }: { readonly name: string; readonly type: string }) =>
  TAKES_PATH.test(name) && /string/.test(type);

async function refused(action: () => unknown): Promise<Error> {
  try {
    await action();
  } catch (error) {
    expect(error).toBeInstanceOf(ArchiveError);
    return error as Error;
  }
  throw new Error("it was not refused");
}

describe("functions that take a path", () => {
  it("are these", () => {
    const taking = publicApi.flatMap(({ kind, name, members, parameters }) => {
      if (kind === "function") return parameters.some(isPath) ? [name] : [];
      const methods = members.filter(
        ({ isMethod, signature }) =>
          isMethod &&
          signature
            .split(/\W+/)
            .slice(1)
            .some((each) => TAKES_PATH.test(each)),
      );
      const options = members.filter(
        (each) => name.endsWith("Options") && OPTION_WITH_PATH.test(each.name) && /string/.test(each.type),
      );
      return [...methods, ...options].map((each) => `${name}.${each.name}`);
    });
    const library = Object.keys(CALLS).filter((name) => !name.includes(" "));
    expect(taking.sort()).toEqual(library.sort());
  });

  it("are these commands, each path by the first that has it", () => {
    const seen = new Map<string, string>();
    const add = (rest: string, about: string, name: string) =>
      seen.set(`${rest} ${about}`, seen.get(`${rest} ${about}`) ?? `${name} ${rest}`);
    const look = (each: Command, above: string): void => {
      const name = `${above}${each.name()}`;
      for (const argument of each.registeredArguments)
        if (/director|file|saved|where/.test(argument.description))
          add(`<${argument.name()}>`, argument.description, name);
      for (const { flags, long, description } of each.options)
        if (/<(?:path|dir|file)>/.test(flags)) add(long as string, description, name);
      for (const below of each.commands) look(below, `${name} `);
    };
    for (const each of commands()) look(each, "");
    expect([...seen.values()].sort()).toEqual(Object.keys(CALLS).filter((name) => name.includes(" ")));
  });
});

describe.skipIf(process.platform === "win32").each(Object.entries(CALLS))(
  "%s",
  (name, [extension, call, isWriter = false]) => {
    let root = "";
    const end = extension === "/" ? "" : extension;
    beforeAll(() => {
      root = users[0]?.folder() as string;
    });

    it("refuses what is no path, and does not make a directory called ~", async () => {
      for (const path of ["", `a\0b${end}`, undefined, 3]) await refused(() => call(path as string));
      if (!isWriter) await refused(() => call(`~/archive-frames-does-not-exist${end}`));
      writeFileSync(join(root, "file"), "");
      await refused(() => call(join(root, `file/x${end}`)));
      await refused(() => call(join(root, `${"x".repeat(300)}${end}`)));
      expect(existsSync("~")).toBe(false);
    });

    it("refuses a FIFO without waiting, and leaves it", async () => {
      const path = join(root, `fifo${end}`);
      await using _fifo = fifoAt(path);
      await refused(() => call(path));
      expect(lstatSync(path).isFIFO()).toBe(true);
    });

    it.skipIf(name.includes(" "))("says what is in a directory that this user may not enter", async () => {
      const user = users.at(-1) as User;
      const shut = join(user.folder(), "shut");
      mkdirSync(join(shut, `saved${end}`), { recursive: true, mode: 0 });
      await user.run(() => refused(() => call(join(shut, `saved${end}`))));
    });

    it("refuses a device", async () => {
      const path = join(root, `device${end}`);
      // Where it could be replaced, it is one of our own.
      await using _device = deviceAt?.(path);
      if (!isRoot) symlinkSync("/dev/zero", path);
      if (isWriter && !isRoot) return;
      await refused(() => call(path));
      symlinkSync(path, join(root, `to-device${end}`));
      await refused(() => call(join(root, `to-device${end}`)));
      if (isRoot) expect(lstatSync(path).isCharacterDevice()).toBe(true);
    });

    it.skipIf(isWriter)(
      "refuses what is missing, a directory for a file, and a file that was cut or is a bomb",
      async () => {
        const knowsNothing = /^cite/.test(name);
        const missing = await refused(() => call(join(root, `none${end}`)));
        expect(missing.message).toContain("none");
        mkdirSync(join(root, `directory${end}`), { recursive: true });
        await refused(() => call(join(root, `directory${end}`)));
        const cut = join(root, `cut${end || ".txt"}`);
        writeFileSync(cut, 'a,b\n1,"x, y');
        if (!knowsNothing) await refused(() => call(cut));
        const bomb = join(root, `bomb${end || ".txt"}`);
        writeFileSync(bomb, BOMB);
        const before = process.memoryUsage.rss();
        // A command reads with the function.
        if (!knowsNothing && (FULL || !name.includes(" "))) await refused(() => call(bomb));
        expect(process.memoryUsage.rss() - before).toBeLessThan(400e6);
      },
    );
  },
);

/** Lines of 260 MiB in a quarter of a megabyte: readers take 256 MiB. */
const BOMB = gzipSync(Buffer.alloc(260 * 2 ** 20, "1,2\n"));
