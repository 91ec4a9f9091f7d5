import { chmodSync, existsSync, lstatSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ArchiveError, pl, saveFrame } from "../../src/index.js";
import { onceAt, pagedArchive } from "../scan/pagedServer.js";
import { errorOf } from "../service/helpers.js";
import { SAVE_FORMATS } from "./formats.js";
import { newFolders, temporaryFolder } from "./temporary.js";

const newFolder = newFolders(temporaryFolder());
const FRAME = pl.DataFrame({ year: pl.Series("year", [2023, 2024], pl.Int32), text: ["a", "b"] });
const QUERY = { query: "climate" };
const mode = (path: string) => lstatSync(path).mode & 0o777;

describe.skipIf(process.platform === "win32")("the directory of an unfinished file", () => {
  it.each(SAVE_FORMATS)("is for this user only, and keeps only the responses after a failure: %s", async (format) => {
    const path = join(newFolder(), `a.${format}`);
    const partial = `${path}.partial`;
    let entries: ReadonlyArray<readonly [name: string, mode: number, wanted: number]> = [];
    const { archive } = await pagedArchive({
      rows: 430,
      unnumbered: true,
      instead: (offset) => {
        if (offset === 100) {
          chmodSync(partial, 0o755);
          entries = (readdirSync(partial, { recursive: true }) as string[]).map((name) => {
            const stats = lstatSync(join(partial, name));
            return [name, stats.mode & 0o777, stats.isDirectory() ? 0o700 : 0o600];
          });
        }
        return offset >= 400 ? { status: 403 } : undefined;
      },
    });
    const umask = process.umask(0);
    try {
      await errorOf(archive.save("mentions", path, QUERY), ArchiveError);
      expect(entries.filter(([, mode, wanted]) => mode !== wanted)).toEqual([]);
      expect(entries.map(([name]) => name)).toEqual(expect.arrayContaining(["responses", "lock"]));
      expect(readdirSync(partial)).toEqual(["responses"]);
      await errorOf(archive.save("mentions", path, QUERY), ArchiveError);
      expect(mode(partial)).toBe(0o700);
    } finally {
      process.umask(umask);
    }
  });

  it("that has files of others is refused and left as it is, with harmless names in the error", async () => {
    const path = join(newFolder(), "climate.csv");
    const { archive } = await pagedArchive({ rows: 430, unnumbered: true, instead: onceAt(400, { status: 403 }) });
    await errorOf(archive.save("mentions", path, QUERY), Error);
    const foreign = "\u001b[2J\u202e";
    writeFileSync(join(`${path}.partial`, foreign), "years of work");
    const error = await errorOf(saveFrame(FRAME, path), ArchiveError);
    expect(error.code).toBe("UNSAFE_PATH");
    expect(error.message).toContain("\\u001b[2J\\u202e");
    expect(error.message).not.toMatch(/[\p{Cc}\u202e]/u);
    expect(readdirSync(`${path}.partial`).sort()).toEqual([foreign, "responses"]);
  });

  it.each([
    [0o022, 0o644],
    [0o077, 0o600],
  ])("becomes a file with the mode of any new file, or of the one it replaces: umask %o", async (umask, wanted) => {
    const previous = process.umask(umask);
    const root = newFolder();
    try {
      for (const path of SAVE_FORMATS.map((extension) => join(root, `a.${extension}`))) {
        await saveFrame(FRAME, path);
        expect([path, mode(path)]).toEqual([path, wanted]);
        chmodSync(path, 0o640);
        await saveFrame(FRAME, path);
        expect([path, mode(path)]).toEqual([path, 0o640]);
      }
      expect(mode(join(root, "datapackage.json"))).toBe(wanted);
    } finally {
      process.umask(previous);
    }
  });

  it("replaces no read-only file", async () => {
    const path = await saveFrame(FRAME, join(newFolder(), "a.csv"));
    chmodSync(path, 0o444);
    expect((await errorOf(saveFrame(FRAME.head(1), path), ArchiveError)).code).toBe("NOT_WRITABLE");
    expect([readFileSync(path, "utf8"), existsSync(`${path}.partial`)]).toEqual([
      "year,text\r\n2023,a\r\n2024,b\r\n",
      false,
    ]);
  });
});
