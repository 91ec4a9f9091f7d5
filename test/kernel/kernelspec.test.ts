import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { kernelCommand } from "../../src/cli/kernel.js";
import { checkSpec, NODE_OPTION, type Platform } from "../../src/kernel/kernelSpec.js";
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
    });
  });

  it("rejects the npx cache and says what to type", async () => {
    const entry = "/home/x/.npm/_npx/1234/node_modules/archive-frames/dist/kernel/main.js";
    await expect(kernel(["install"], { entry })).rejects.toThrow(
      /npm install archive-frames && npx archive-frames kernel install/,
    );
  });
});

it("the check finds it in Jupyter's order, and rejects what starts another program", async () => {
  const env = { JUPYTER_PATH: `${home}/a:${home}/b`, VIRTUAL_ENV: join(home, "venv") };
  const check = () => checkSpec({ env, platform: "linux", home, entry: join(home, "main.js") });
  expect(check).toThrow(/The kernel is not installed\. Type: npx archive-frames kernel install/);
  await kernel(["install", "--prefix", env.VIRTUAL_ENV]);
  expect(check()).toBe(join(home, "venv/share/jupyter", SPEC));
  await kernel(["install"]);
  expect(check()).toBe(specOfUser());
  for (const argv of [
    ["/gone/node", join(home, "main.js")],
    [process.execPath, "/gone/main.js"],
  ]) {
    writeFileSync(specOfUser(), JSON.stringify({ argv }));
    expect(check).toThrow(/starts \S+ \S+, not this copy of archive-frames\. Type: npx archive-frames kernel install/);
  }
  mkdirSync(dirname(join(home, "b", SPEC)), { recursive: true });
  writeFileSync(join(home, "b", SPEC), JSON.stringify({ argv: [process.execPath, join(home, "main.js")] }));
  expect(check()).toBe(join(home, "b", SPEC));
});
