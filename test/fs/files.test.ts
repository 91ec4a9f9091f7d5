import { execFileSync } from "node:child_process";
import { chmodSync, lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join, relative } from "node:path";
import { describe, expect, it } from "vitest";
import { makeDirectory } from "../../src/fs/directories.js";
import { toFileError } from "../../src/fs/fileErrors.js";
import { userPath } from "../../src/fs/paths.js";
import { inputFile, readInputFile, readReceivedFile } from "../../src/fs/receivedFile.js";
import { outputFile, writeFileAtomic } from "../../src/fs/writeFileAtomic.js";
import { newFolders, temporaryFolder } from "../files/temporary.js";

const newFolder = newFolders(temporaryFolder());
const mode = (path: string) => lstatSync(path).mode & 0o777;
const withCode = (code: string, path?: string) =>
  expect.objectContaining(path === undefined ? { code } : { code, path });

describe("a path that the user types", () => {
  it.each([
    ["~", homedir()],
    ["~/x.csv", join(homedir(), "x.csv")],
    ["~x", "~x"],
    ["a/~/b", "a/~/b"],
    ["./x", "./x"],
  ])("%s means %s", (typed, expected) => {
    expect(userPath("path", typed)).toBe(expected);
  });
});

describe.skipIf(process.platform === "win32")("a received file", () => {
  it("is a regular file inside the directory, of bounded size", () => {
    const root = newFolder();
    const received = join(root, "snapshot");
    mkdirSync(join(received, "bodies"), { recursive: true });
    mkdirSync(join(root, "outside"));
    writeFileSync(join(root, "outside/x"), "secret");
    writeFileSync(join(received, "bodies/a"), "12345");
    symlinkSync("a", join(received, "bodies/link"));
    symlinkSync("../outside", join(received, "linked"));
    symlinkSync("snapshot", join(root, "named"));
    execFileSync("mkfifo", [join(received, "fifo")]);
    expect(readReceivedFile(received, "bodies/a", 5).toString()).toBe("12345");
    expect(readReceivedFile(join(root, "named"), "bodies/a", 5).toString()).toBe("12345");
    for (const name of ["bodies/link", "linked/x", "fifo", "bodies", "../outside/x", "bodies/../bodies/a", "/a", ""])
      expect(() => readReceivedFile(received, name, 100)).toThrow(withCode("UNSAFE_PATH"));
    const path = join(received, "bodies/a");
    expect(() => readReceivedFile(received, "bodies/a", 4)).toThrow(withCode("FILE_ERROR", path));
    expect(() => readReceivedFile(received, "bodies/b", 4)).toThrow(/ENOENT/);
  });
});

describe.skipIf(process.platform === "win32")("a file to read", () => {
  it("may be behind links, and is read up to a size", () => {
    const root = newFolder();
    mkdirSync(join(root, "data"));
    writeFileSync(join(root, "data/x.csv"), "text");
    symlinkSync("data", join(root, "current"));
    symlinkSync("current/x.csv", join(root, "x.csv"));
    const path = join(root, "x.csv");
    expect([inputFile(path), inputFile(relative("", path))]).toEqual(Array(2).fill(join(root, "data/x.csv")));
    expect(readInputFile(path, 4).toString()).toBe("text");
    expect(() => readInputFile(path, 3)).toThrow("is larger than 3 bytes");
  });
});

describe.skipIf(process.platform === "win32")("a file to write", () => {
  it("is replaced as a whole and keeps its mode; a link is replaced, not followed", () => {
    const root = newFolder();
    const path = join(root, "new/a.json");
    writeFileAtomic(path, "1");
    expect(mode(path)).toBe(0o666 & ~process.umask());
    chmodSync(path, 0o640);
    writeFileAtomic(path, "2");
    expect([readFileSync(path, "utf8"), mode(path)]).toEqual(["2", 0o640]);
    writeFileAtomic(`${path}2`, "2", 0o600);
    expect(mode(`${path}2`)).toBe(0o600);
    symlinkSync(path, join(root, "link"));
    writeFileAtomic(join(root, "link"), "3");
    expect([readFileSync(path, "utf8"), lstatSync(join(root, "link")).isFile()]).toEqual(["2", true]);
    expect(readdirSync(join(root, "new")).sort()).toEqual(["a.json", "a.json2"]);
  });

  it("is the destination of a link, if there is one", () => {
    const root = newFolder();
    writeFileSync(join(root, "a.csv"), "");
    symlinkSync("a.csv", join(root, "link.csv"));
    symlinkSync("none.csv", join(root, "dangling.csv"));
    expect(outputFile(join(root, "link.csv"))).toBe(join(root, "a.csv"));
    expect(outputFile(join(root, "dangling.csv"))).toBe(join(root, "dangling.csv"));
  });

  it.each([
    ["a directory in its place", "TARGET_IS_DIRECTORY", (root: string) => root],
    ["a file above it", "NOT_WRITABLE", (root: string) => join(root, "file/x/y.csv")],
    ["a name that is too long", "NAME_TOO_LONG", (root: string) => join(root, "x".repeat(300))],
  ])("has a typed error for %s", (_what, code, pathIn) => {
    const root = newFolder();
    writeFileSync(join(root, "file"), "");
    const path = pathIn(root);
    expect(() => writeFileAtomic(path, "text")).toThrow(withCode(code));
    expect(readdirSync(root)).toEqual(["file"]);
  });

  it.each([
    ["ENOSPC", "DISK_FULL"],
    ["EDQUOT", "DISK_FULL"],
    ["EACCES", "NOT_WRITABLE"],
    ["EROFS", "NOT_WRITABLE"],
    ["EIO", "FILE_ERROR"],
  ])("%s of the system is %s", (code, expected) => {
    const error = toFileError(Object.assign(new Error(code), { code }), "a.csv");
    expect([error.code, error.path, error.hint !== undefined]).toEqual([expected, "a.csv", true]);
  });

  // Node's own `recursive` loops forever.
  it.skipIf(process.platform !== "linux")("is not below a directory that the system refuses", () => {
    expect(() => makeDirectory("/proc/none/a")).toThrow(withCode("NOT_WRITABLE"));
  });
});
