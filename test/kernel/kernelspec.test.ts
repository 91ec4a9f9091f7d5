import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { kernelCommand } from "../../src/cli/kernel.js";
import { VERSION } from "../../src/index.js";
import { NODE_OPTION, type Platform, specStatus } from "../../src/kernel/kernelSpec.js";
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
const INSTALL = "npx archive-frames kernel install";

describe("install", () => {
  it.each<[string, NodeJS.Platform, Record<string, string>, string[]]>([
    [".local/share/jupyter", "linux", {}, []],
    ["data/jupyter", "linux", { XDG_DATA_HOME: "{home}/data" }, []],
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
      argv: [process.execPath, NODE_OPTION, join(home, "main.js"), "{connection_file}"],
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
});

it.skipIf(process.platform === "win32").each([
  ["another kernel", (path: string) => writeFileSync(path, '{"argv":["python3"]}')],
  ["a link", (path: string) => symlinkSync(join(home, "mine", SPEC), path)],
])("%s is not replaced or read", async (_, create) => {
  await kernel(["install"], { env: { JUPYTER_DATA_DIR: join(home, "mine") } });
  const before = readFileSync(join(home, "mine", SPEC), "utf8");
  mkdirSync(dirname(specOfUser()), { recursive: true });
  create(specOfUser());
  await expect(kernel(["install"])).rejects.toThrow(/was not written by archive-frames/);
  expect(specStatus({ env: {}, platform: "linux", home, entry: "" }).problem).toBe(
    "It was not written by archive-frames.",
  );
  expect(readFileSync(join(home, "mine", SPEC), "utf8")).toBe(before);
});

describe("the status", () => {
  const status = (env: Platform["env"] = {}) =>
    specStatus({ env, platform: "linux", home, entry: join(home, "main.js") });

  it("looks for it in Jupyter's order", async () => {
    expect(status()).toMatchObject({ problem: "The kernel is not installed.", fix: INSTALL });
    const env = { JUPYTER_PATH: `${home}/a:${home}/b`, VIRTUAL_ENV: join(home, "venv") };
    await kernel(["install", "--prefix", env.VIRTUAL_ENV]);
    expect(status(env)).toEqual({ path: join(home, "venv/share/jupyter", SPEC), fix: INSTALL });
    await kernel(["install"]);
    expect(status(env)).toEqual({ path: specOfUser(), fix: INSTALL });
    mkdirSync(dirname(join(home, "b", SPEC)), { recursive: true });
    expect(status(env).path).toBe(join(home, "b", SPEC));
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
    expect(status()).toMatchObject({ problem: expect.stringMatching(problem), fix: INSTALL });
  });
});
