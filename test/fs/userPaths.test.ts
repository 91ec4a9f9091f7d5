import { execFileSync } from "node:child_process";
import {
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
import { followLinks } from "../../src/fs/followLinks.js";
import { makeDirectory } from "../../src/fs/makeDirectory.js";
import { inputFile, readInputFile } from "../../src/fs/readInputFile.js";
import { userPath } from "../../src/fs/userPath.js";
import { outputFile, writeFileAtomic } from "../../src/fs/writeFileAtomic.js";
import { give, isRoot, STRANGER, users } from "./users.js";

const [own] = users;
const folder = () => own?.folder() as string;
const fifo = (path: string) => {
  execFileSync("mkfifo", [path]);
  return path;
};
const file = (path: string, text = "text") => {
  writeFileSync(path, text);
  return path;
};
const link = (target: string, path: string, uid?: number) => {
  symlinkSync(target, path);
  if (uid !== undefined) give(uid, path);
  return path;
};

describe("userPath", () => {
  it.each([
    ["~", homedir()],
    ["~/x.csv", join(homedir(), "x.csv")],
    ["~x", "~x"],
    ["a/~/b", "a/~/b"],
    ["./x", "./x"],
  ])("%s means %s", (typed, expected) => {
    expect(userPath("path", typed)).toBe(expected);
  });

  it.each(["", "-", "a\0b", undefined, null, 3, Buffer.from("x")])("refuses %j", (typed) => {
    expect(() => userPath("path", typed)).toThrow(/^invalid path: /);
  });
});

describe.skipIf(process.platform === "win32")("a file to read", () => {
  it("may be behind links of the user, in files and directories", () => {
    const root = folder();
    mkdirSync(join(root, "data"));
    file(join(root, "data/x.csv"));
    link("data", join(root, "current"));
    link("current/x.csv", join(root, "x.csv"));
    expect(inputFile(join(root, "x.csv"))).toBe(join(root, "data/x.csv"));
    expect(inputFile(relative("", join(root, "x.csv")))).toBe(join(root, "data/x.csv"));
    expect(readInputFile(join(root, "x.csv"), 4).toString()).toBe("text");
    expect(() => readInputFile(join(root, "x.csv"), 3)).toThrow("is larger than 3 bytes");
  });

  it("is neither missing, a directory, a FIFO nor a device", () => {
    const root = folder();
    expect(() => inputFile(join(root, "none"))).toThrow("does not exist");
    expect(() => inputFile(join(file(join(root, "x")), "y"))).toThrow("does not exist");
    expect(() => inputFile(root)).toThrow("is not a file");
    expect(() => inputFile(fifo(join(root, "fifo")))).toThrow("is a FIFO, not a file");
    expect(() => inputFile("/dev/zero")).toThrow("is a device, not a file");
  });

  it("is in no circle of links", () => {
    const root = folder();
    link("b", join(root, "a"));
    link("a", join(root, "b"));
    expect(() => inputFile(join(root, "a"))).toThrow("too many links");
  });

  it.skipIf(!isRoot)("is behind no link of another user, wherever that is on the way", () => {
    const root = folder();
    file(join(root, "x.csv"));
    link("x.csv", join(root, "theirs.csv"), STRANGER);
    link("theirs.csv", join(root, "mine.csv"));
    link(".", join(root, "directory"), STRANGER);
    for (const name of ["theirs.csv", "mine.csv", "directory/x.csv"])
      expect(() => inputFile(join(root, name)), name).toThrow(/is a link of another user.*Give the path that you mean/);
    expect(followLinks(join(root, "x.csv"))).toBe(join(root, "x.csv"));
  });
});

describe.skipIf(process.platform === "win32")("a file to write", () => {
  it("replaces no FIFO", () => {
    const path = fifo(join(folder(), "fifo"));
    expect(() => writeFileAtomic(path, "text")).toThrow("is a FIFO, not a file");
    expect(lstatSync(path).isFIFO()).toBe(true);
  });

  it.skipIf(process.platform !== "linux")("is not written in place of a pipe, however it is named", () => {
    const named = "/proc/self/fd";
    const pipe = readdirSync(named).find((name) => {
      const path = join(named, name);
      return existsSync(path) && /^(?:pipe|socket):/.test(readlinkSync(path));
    });
    const path = join(folder(), "out.csv");
    link(join(named, pipe as string), path);
    for (const write of [outputFile, (to: string) => writeFileAtomic(to, "text")])
      expect(() => write(path)).toThrow(/is a (?:FIFO|socket), not a file.*Give the path of a file/);
    expect(lstatSync(path).isSymbolicLink()).toBe(true);
  });

  it.skipIf(!isRoot)("is not written through a link of another user", () => {
    const root = folder();
    mkdirSync(join(root, "secret"));
    link("secret", join(root, "theirs"), STRANGER);
    link("secret/x", join(root, "x"), STRANGER);
    expect(() => writeFileAtomic(join(root, "theirs/y"), "text")).toThrow("is a link of another user");
    expect(() => writeFileAtomic(join(root, "x"), "text")).toThrow("is a link of another user");
    expect(() => makeDirectory(join(root, "theirs/y/z"))).toThrow("is a link of another user");
    expect(existsSync(join(root, "secret/y"))).toBe(false);
    expect(existsSync(join(root, "secret/x"))).toBe(false);
  });

  it("replaces a link of the user", () => {
    const root = folder();
    const path = link(file(join(root, "old"), "old"), join(root, "x"));
    writeFileAtomic(path, "new");
    expect(readFileSync(path, "utf8")).toBe("new");
    expect(readFileSync(join(root, "old"), "utf8")).toBe("old");
  });
});
