import { mkdirSync, mkdtempSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { History } from "../../src/kernel/history.js";
import { temporaryFolder } from "../files/temporary.js";

const root = temporaryFolder();

/** Histories of one user: each call of `open` is another kernel. */
function newUser(secrets: string[] = []) {
  const XDG_STATE_HOME = mkdtempSync(join(root, "user-"));
  const open = () => new History((text) => secrets.some((secret) => text.includes(secret)), { XDG_STATE_HOME });
  return { open, secrets, directory: join(XDG_STATE_HOME, "archive-frames") };
}

const codes = (history: History, request: Record<string, unknown>) =>
  (history.reply(request).history as unknown[][]).map(([, , code]) => code);

describe("the history of cells", () => {
  it("has the newest cells of all kernels, oldest first", () => {
    const { open } = newUser();
    const [first, second] = [open(), open()];
    first.add(1, "a");
    second.add(1, "b");
    first.add(2, "c\nd");
    expect(second.reply({ hist_access_type: "tail", n: 2 })).toEqual({
      history: [
        [2, 1, "b"],
        [1, 2, "c\nd"],
      ],
    });
    expect(codes(open(), { hist_access_type: "tail", n: 10 })).toEqual(["a", "b", "c\nd"]);
    expect(codes(open(), { hist_access_type: "tail", n: 0 })).toEqual([]);
    expect(first.reply({ hist_access_type: "tail", n: 1, output: true })).toEqual({
      history: [[1, 2, ["c\nd", null]]],
    });
    expect(codes(first, { hist_access_type: "range", session: 0, start: 2, stop: 3 })).toEqual(["c\nd"]);
    expect(codes(second, { hist_access_type: "range", session: -1, start: 1 })).toEqual(["a", "c\nd"]);
    expect(codes(second, { hist_access_type: "range", session: 2, start: 1 })).toEqual(["b"]);
  });

  it("is searched with patterns", () => {
    const history = newUser().open();
    for (const [at, code] of ["a.b()", "aXb()", "first\nsecond", "a.b()", "[x]"].entries()) history.add(at, code);
    const search = (pattern: string, more = {}) => codes(history, { hist_access_type: "search", pattern, ...more });
    expect(search("a.b*")).toEqual(["a.b()", "a.b()"]);
    expect(search("a?b*")).toEqual(["a.b()", "aXb()", "a.b()"]);
    expect(search("*second")).toEqual(["first\nsecond"]);
    expect(search("second")).toEqual([]);
    expect(search("[x]")).toEqual(["[x]"]);
    expect(search("a*", { unique: true })).toEqual(["aXb()", "a.b()"]);
    expect(search("a*", { unique: true, n: 1 })).toEqual(["a.b()"]);
  });

  it("is in a file of the user alone, and bounded", () => {
    const { open, directory } = newUser();
    const history = open();
    const lines = Array.from({ length: 1000 }, (_, at) => `${JSON.stringify([1, at, `old ${at}`])}\n`);
    history.add(1, "first");
    const path = join(directory, "history.jsonl");
    writeFileSync(path, lines.join(""));
    history.add(2, "newest");
    history.add(3, "x".repeat(20_000));
    history.add(4, " \n");
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(directory).mode & 0o777).toBe(0o700);
    expect(readFileSync(path, "utf8").split("\n")).toHaveLength(1001);
    expect(codes(history, { hist_access_type: "tail", n: 2 })).toEqual(["old 999", "newest"]);
  });

  it("has no cell with a secret, also not one that became known later", () => {
    const { open, secrets, directory } = newUser();
    const history = open();
    history.add(1, "const early = 'typed-later'");
    history.add(2, "kept");
    for (const code of [
      'new ArchiveClient({ apiKey: "abc" })',
      "process.env.ARCHIVE_API_KEY = 'abc'",
      "env['ARCHIVE_API_KEY'] = `abc`",
      "const password = 'abc'",
    ])
      history.add(3, code);
    secrets.push("typed-later");
    history.add(4, "console.log('typed-later')");
    expect(codes(history, { hist_access_type: "tail", n: 10 })).toEqual(["kept"]);
    expect(readFileSync(join(directory, "history.jsonl"), "utf8")).not.toMatch(/abc|typed-later/);
  });

  it("follows no link, and survives a damaged file", () => {
    const { open, directory } = newUser();
    open().add(1, "a");
    const path = join(directory, "history.jsonl");
    writeFileSync(path, `${readFileSync(path, "utf8")}{not JSON\n`);
    open().add(2, "b");
    expect(codes(open(), { hist_access_type: "tail", n: 10 })).toEqual(["a", "b"]);
    const linked = newUser();
    mkdirSync(linked.directory, { mode: 0o700 });
    symlinkSync(path, join(linked.directory, "history.jsonl"));
    linked.open().add(1, "own");
    expect(codes(linked.open(), { hist_access_type: "tail", n: 10 })).toEqual(["own"]);
    expect(codes(open(), { hist_access_type: "tail", n: 10 })).toEqual(["a", "b"]);
  });
});
