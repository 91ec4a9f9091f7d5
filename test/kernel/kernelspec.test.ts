import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { kernelCommand } from "../../src/cli/kernel.js";
import { VERSION } from "../../src/index.js";
import type { Platform } from "../../src/kernel/kernelSpec.js";
import { temporaryFolder } from "../files/temporary.js";

const scratch = temporaryFolder();
let home: string;
let count = 0;

beforeEach(() => {
  home = join(scratch, String(count++));
  mkdirSync(home);
  writeFileSync(join(home, "main.js"), "");
});

const read = (path: string) => JSON.parse(readFileSync(path, "utf8")) as Record<string, unknown>;

/** Runs `archive-frames kernel` in the home directory of the test. */
async function kernel(args: readonly string[], more: Partial<Platform> = {}): Promise<string> {
  const platform: Platform = { env: {}, platform: "linux", home, entry: join(home, "main.js"), ...more };
  let said = "";
  const write = vi.spyOn(process.stdout, "write").mockImplementation((text) => {
    said += text;
    return true;
  });
  try {
    await kernelCommand(platform).parseAsync(args, { from: "user" });
    return `${process.exitCode ?? 0} ${said}`;
  } finally {
    write.mockRestore();
    process.exitCode = undefined;
  }
}

const SPEC = "kernels/archive-frames/kernel.json";
const specOfUser = () => join(home, ".local/share/jupyter", SPEC);
const INSTALL = "Type: npx archive-frames kernel install";

describe("install", () => {
  it.each<[string, NodeJS.Platform, Record<string, string>, string[]]>([
    [".local/share/jupyter", "linux", {}, []],
    ["data/jupyter", "linux", { XDG_DATA_HOME: "{home}/data" }, []],
    [".local/share/jupyter", "linux", { XDG_DATA_HOME: "" }, []],
    ["own", "linux", { JUPYTER_DATA_DIR: "{home}/own", XDG_DATA_HOME: "/data" }, []],
    ["opt/share/jupyter", "linux", {}, ["--prefix", "{home}/opt"]],
    ["Library/Jupyter", "darwin", {}, []],
  ])("writes a kernelspec in %s on %s with %j %j", async (directory, platform, env, args) => {
    const atHome = <T>(value: T): T => JSON.parse(JSON.stringify(value).replaceAll("{home}", home));
    const path = join(home, directory, SPEC);
    for (let times = 0; times < 2; times++) {
      expect(await kernel(["install", ...atHome(args)], { platform, env: atHome(env) })).toBe(
        `0 Installed ${path}\nChoose "TypeScript (archive-frames)" in Jupyter.\n`,
      );
    }
    expect(read(path)).toEqual({
      argv: [process.execPath, join(home, "main.js"), "{connection_file}"],
      display_name: "TypeScript (archive-frames)",
      language: "typescript",
      interrupt_mode: "message",
      metadata: { "archive-frames": { version: VERSION } },
    });
  });

  it("rejects the npx cache and says what to type", async () => {
    const entry = "/home/x/.npm/_npx/1234/node_modules/archive-frames/dist/kernel/main.js";
    await expect(kernel(["install"], { entry })).rejects.toThrow(
      /npm install archive-frames && npx archive-frames kernel install/,
    );
  });

  it("names the obstacle", async () => {
    await expect(kernel(["install", "--prefix", join(home, "main.js")])).rejects.toThrow(
      /a part of its path is a file/,
    );
  });
});

it.skipIf(process.platform === "win32").each([
  ["another kernel", (path: string) => writeFileSync(path, '{"argv":["python3"]}')],
  ["a link", (path: string) => symlinkSync(join(home, "mine", SPEC), path)],
  ["a FIFO", (path: string) => void execFileSync("mkfifo", [path])],
])("%s is not replaced, removed or read", async (_, create) => {
  await kernel(["install"], { env: { JUPYTER_DATA_DIR: join(home, "mine") } });
  const before = readFileSync(join(home, "mine", SPEC), "utf8");
  mkdirSync(dirname(specOfUser()), { recursive: true });
  create(specOfUser());
  for (const name of ["install", "remove"])
    await expect(kernel([name])).rejects.toThrow(/was not written by archive-frames/);
  expect(await kernel(["status"])).toMatch(/^1 .*\nIt was not written by archive-frames\. Type: Delete /);
  expect(readFileSync(join(home, "mine", SPEC), "utf8")).toBe(before);
});

describe("status", () => {
  it("says what to type if there is none", async () => {
    expect(await kernel(["status"])).toBe(`1 The kernel is not installed. ${INSTALL}\n`);
    expect(await kernel(["status", "--prefix", "/p"])).toContain(`${INSTALL} --prefix "/p"`);
  });

  it("looks for it in Jupyter's order", async () => {
    const env = { JUPYTER_PATH: `${home}/a:${home}/b`, VIRTUAL_ENV: join(home, "venv") };
    await kernel(["install", "--prefix", env.VIRTUAL_ENV]);
    expect(await kernel(["status"], { env })).toBe(
      `0 ${join(home, "venv/share/jupyter", SPEC)}\nThe kernel is ready.\n`,
    );
    await kernel(["install"]);
    expect(await kernel(["status"], { env })).toBe(`0 ${specOfUser()}\nThe kernel is ready.\n`);
    mkdirSync(dirname(join(home, "b", SPEC)), { recursive: true });
    expect(await kernel(["status"], { env })).toContain(join(home, "b", SPEC));
  });

  it.each<[object, RegExp]>([
    [{ argv: ["/gone/node", "/gone/main.js"] }, /starts \/gone\/node, which no longer exists/],
    [{ argv: [process.execPath, "/gone/main.js"] }, /starts \/gone\/main\.js, which no longer exists/],
    [{ argv: [process.execPath, process.execPath] }, /starts another copy of archive-frames/],
    [
      { metadata: { "archive-frames": { version: "0.0.1" } } },
      /starts another copy of archive-frames: version 0\.0\.1,/,
    ],
  ])("reports %j", async (change, problem) => {
    await kernel(["install"]);
    writeFileSync(specOfUser(), JSON.stringify({ ...read(specOfUser()), ...change }));
    const said = await kernel(["status"]);
    expect(said).toMatch(problem);
    expect(said).toContain(INSTALL);
  });
});

it("remove deletes only what install wrote", async () => {
  await kernel(["install"]);
  expect(await kernel(["remove"])).toBe(`0 Removed ${specOfUser()}\n`);
  expect(existsSync(dirname(specOfUser()))).toBe(false);
  expect(await kernel(["remove"])).toBe("0 Nothing to remove.\n");
  await kernel(["install"]);
  writeFileSync(join(dirname(specOfUser()), "mine.png"), "");
  await kernel(["remove"]);
  expect(readdirSync(dirname(specOfUser()))).toEqual(["mine.png"]);
});
