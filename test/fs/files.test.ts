import { execFileSync } from "node:child_process";
import {
  chmodSync,
  closeSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import { join, relative } from "node:path";
import { describe, expect, it } from "vitest";
import { toFileError } from "../../src/fs/fileErrors.js";
import { inputFile, readInputFile } from "../../src/fs/inputFile.js";
import { makeDirectory, makePrivateDirectory } from "../../src/fs/makeDirectory.js";
import { openPrivateFile } from "../../src/fs/openPrivateFile.js";
import { readReceivedFile } from "../../src/fs/receivedFile.js";
import { userPath } from "../../src/fs/userPath.js";
import { outputFile, writeFileAtomic } from "../../src/fs/writeFileAtomic.js";
import { newFolders, temporaryFolder } from "../files/temporary.js";

const newFolder = newFolders(temporaryFolder());
const mode = (path: string) => lstatSync(path).mode & 0o777;
const withCode = (code: string, path?: string) =>
  expect.objectContaining(path === undefined ? { code } : { code, path });

/** What may stand in the place of a file, made by its path and that of a victim. */
const IMPOSTORS: ReadonlyArray<[string, (path: string, victim: string) => unknown]> = [
  ["a link", (path, victim) => symlinkSync(victim, path)],
  ["a dangling link", (path) => symlinkSync("nowhere", path)],
  ["a FIFO", (path) => execFileSync("mkfifo", [path])],
  ["a directory", (path) => mkdirSync(path)],
];

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

  it.each(["", "-", "a\0b", undefined, null, 3, Buffer.from("x")])("is not %j", (typed) => {
    expect(() => userPath("path", typed)).toThrow(/^invalid path: /);
  });
});

describe.skipIf(process.platform === "win32")("a private file", () => {
  it("has mode 0600 in a directory with mode 0700, whose rights are restored", () => {
    const directory = join(newFolder(), "a", "b");
    for (const loose of [0o700, 0o755, 0o777]) {
      makePrivateDirectory(directory);
      expect(mode(directory)).toBe(0o700);
      chmodSync(directory, loose);
    }
    expect(mode(join(directory, ".."))).toBe(0o777 & ~process.umask());
    const path = join(directory, "journal");
    for (const how of ["create", "existing", "either"] as const) closeSync(openPrivateFile(path, how));
    expect(mode(path)).toBe(0o600);
    expect(() => openPrivateFile(path, "create")).toThrow(/EEXIST/);
    expect(() => openPrivateFile(`${path}2`, "existing")).toThrow(/ENOENT/);
  });

  it.each(IMPOSTORS)("is not %s", (_name, plant) => {
    const root = newFolder();
    const path = join(root, "journal");
    writeFileSync(join(root, "victim"), "secret");
    plant(path, join(root, "victim"));
    for (const how of ["existing", "either"] as const)
      expect(() => openPrivateFile(path, how)).toThrow(withCode("UNSAFE_PATH", path));
    expect(readFileSync(join(root, "victim"), "utf8")).toBe("secret");
    if (_name !== "a directory") expect(() => makePrivateDirectory(path)).toThrow(withCode("UNSAFE_PATH", path));
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

  it("is neither missing, a directory, a FIFO, a device nor a circle of links", () => {
    const root = newFolder();
    writeFileSync(join(root, "x"), "");
    execFileSync("mkfifo", [join(root, "fifo")]);
    symlinkSync("b", join(root, "a"));
    symlinkSync("a", join(root, "b"));
    expect(() => inputFile(join(root, "none"))).toThrow("does not exist");
    expect(() => inputFile(join(root, "x/y"))).toThrow("does not exist");
    expect(() => inputFile(root)).toThrow("is not a file");
    expect(() => inputFile(join(root, "fifo"))).toThrow("is a FIFO, not a file");
    expect(() => inputFile("/dev/zero")).toThrow("is a device, not a file");
    expect(() => inputFile(join(root, "a"))).toThrow("cannot be read (ELOOP)");
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

  it("is not read-only", () => {
    const path = join(newFolder(), "a.csv");
    writeFileSync(path, "final");
    chmodSync(path, 0o444);
    for (const write of [outputFile, (to: string) => writeFileAtomic(to, "text")])
      expect(() => write(path)).toThrow(withCode("NOT_WRITABLE", path));
    expect(() => outputFile(path)).toThrow("it is read-only");
    expect(readFileSync(path, "utf8")).toBe("final");
  });

  it("is no FIFO, nor a pipe behind a link", () => {
    const root = newFolder();
    execFileSync("mkfifo", [join(root, "fifo")]);
    const descriptors = "/proc/self/fd";
    const pipe = existsSync(descriptors)
      ? readdirSync(descriptors).find((name) => {
          const path = join(descriptors, name);
          return existsSync(path) && /^(?:pipe|socket):/.test(readlinkSync(path));
        })
      : undefined;
    if (pipe !== undefined) symlinkSync(join(descriptors, pipe), join(root, "pipe"));
    for (const path of readdirSync(root).map((name) => join(root, name)))
      for (const write of [outputFile, (to: string) => writeFileAtomic(to, "text")])
        expect(() => write(path)).toThrow(/is a (?:FIFO|socket), not a file.*Give the path of a file/);
    expect(lstatSync(join(root, "fifo")).isFIFO()).toBe(true);
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
