import { execFileSync } from "node:child_process";
import { existsSync, lstatSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { clips, codebook, codingPage, readCodes } from "../../src/coding/index.js";
import { hydrateCorpus, openCorpus } from "../../src/corpus/index.js";
import {
  ArchiveError,
  billsOf,
  openArchive,
  pl,
  readFileProvenance,
  readFrame,
  saveFrame,
  snapshotInfo,
  verifySnapshot,
} from "../../src/index.js";
import { loadLegislators } from "../../src/members/index.js";
import { runNotebook } from "../../src/notebook/index.js";
import { publicApi } from "../docs/publicApi.js";
import { give, isRoot, STRANGER, users } from "./users.js";

const sample = pl.DataFrame({ id: ["1"], text: ["climate"] });
const archive = await openArchive({ announce: false });
afterAll(() => archive.close());
const book = codebook({ stance: ["support", "oppose"] });

/** Every exported function that takes a path, and the extension that it reads or writes; "/" for directories. */
const CALLS: Readonly<
  Record<string, readonly [extension: string, call: (path: string) => unknown, isWriter?: boolean]>
> = {
  billsOf: [".csv", (path) => billsOf(path)],
  clips: [".html", (path) => clips(sample, path), true],
  codingPage: ["/", (path) => codingPage(sample, book, path), true],
  hydrateCorpus: ["/", (path) => hydrateCorpus(path, `${path}-again`, { archive })],
  loadLegislators: [".yaml", (path) => loadLegislators(path)],
  openCorpus: ["/", (path) => openCorpus(path)],
  readCodes: [".csv", (path) => readCodes(path, sample, book)],
  readFileProvenance: [".parquet", (path) => readFileProvenance(path)],
  readFrame: [".csv", (path) => readFrame(path)],
  runNotebook: [".ipynb", (path) => runNotebook(path)],
  saveFrame: [".csv", (path) => saveFrame(sample, path), true],
  snapshotInfo: ["/", (path) => snapshotInfo(path)],
  verifySnapshot: ["/", (path) => verifySnapshot(path)],
};

const TAKES_PATH = /^(?:path|paths|dir|directory|dest|notebook)$/;

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
    const taking = publicApi.filter(
      ({ kind, parameters }) =>
        kind === "function" && parameters.some(({ name, type }) => TAKES_PATH.test(name) && /string/.test(type)),
    );
    expect(taking.map(({ name }) => name).sort()).toEqual(Object.keys(CALLS).sort());
  });
});

describe.skipIf(process.platform === "win32").each(Object.entries(CALLS))(
  "%s",
  (_name, [extension, call, isWriter = false]) => {
    let root = "";
    const end = extension === "/" ? "" : extension;
    beforeAll(() => {
      root = users[0]?.folder() as string;
    });

    it("refuses what is no path, and does not make a directory called ~", async () => {
      for (const path of ["", `a\0b${end}`, undefined, 3]) await refused(() => call(path as string));
      if (!isWriter) await refused(() => call(`~/archive-frames-does-not-exist${end}`));
      expect(existsSync("~")).toBe(false);
    });

    it("refuses a FIFO without waiting, and leaves it", async () => {
      const path = join(root, `fifo${end}`);
      execFileSync("mkfifo", [path]);
      await refused(() => call(path));
      expect(lstatSync(path).isFIFO()).toBe(true);
    });

    it.skipIf(!isRoot)("goes through no link of another user", async () => {
      mkdirSync(join(root, "victim"));
      writeFileSync(join(root, `victim/x${end}`), "secret");
      symlinkSync(join(root, "victim"), join(root, "theirs"));
      symlinkSync(join(root, `victim/x${end}`), join(root, `link${end}`));
      give(STRANGER, join(root, "theirs"), join(root, `link${end}`));
      for (const path of [`theirs/x${end}`, `theirs/new${end}`, `link${end}`])
        await refused(() => call(join(root, path)));
      expect(readFileSync(join(root, `victim/x${end}`), "utf8")).toBe("secret");
      expect(existsSync(join(root, `victim/new${end}`))).toBe(false);
    });

    it.skipIf(isWriter)("refuses what is missing, a directory for a file, and a file that was cut", async () => {
      await refused(() => call(join(root, `none${end}`)));
      mkdirSync(join(root, `directory${end}`), { recursive: true });
      if (!/readFileProvenance/.test(_name)) await refused(() => call(join(root, `directory${end}`)));
      const cut = join(root, `cut${end || ".txt"}`);
      writeFileSync(cut, 'a,b\n1,"x, y');
      if (!/readFileProvenance/.test(_name)) await refused(() => call(cut));
    });
  },
);
