import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Command } from "commander";
import { beforeEach, describe, expect, it } from "vitest";
import { kernelCommand } from "../../src/cli/kernel.js";
import { VERSION } from "../../src/index.js";
import type { Platform } from "../../src/kernel/kernelspec/dataDirectories.js";
import { dataDirectory, searchedDirectories } from "../../src/kernel/kernelspec/dataDirectories.js";
import { installSpec, removeSpec } from "../../src/kernel/kernelspec/kernelSpec.js";

import { specStatus } from "../../src/kernel/kernelspec/specStatus.js";

import { scratchDirectory } from "./kernels.js";

const scratch = scratchDirectory();
let home: string;
let count = 0;

beforeEach(() => {
  home = join(scratch, String(count++));
  mkdirSync(home);
});

function platformWith(env: Platform["env"] = {}, more: Partial<Platform> = {}): Platform {
  const entry = join(home, "main.js");
  writeFileSync(entry, "");
  return { env, platform: "linux", home, node: process.execPath, entry, ...more };
}

const read = (path: string) => JSON.parse(readFileSync(path, "utf8")) as Record<string, unknown>;

describe("the user directory", () => {
  it.each([
    ["linux", {}, "/h/.local/share/jupyter"],
    ["linux", { XDG_DATA_HOME: "/data" }, "/data/jupyter"],
    ["linux", { XDG_DATA_HOME: "" }, "/h/.local/share/jupyter"],
    ["linux", { JUPYTER_DATA_DIR: "/own", XDG_DATA_HOME: "/data" }, "/own"],
    ["linux", { JUPYTER_PLATFORM_DIRS: "1" }, "/h/.local/share/jupyter"],
    ["darwin", {}, "/h/Library/Jupyter"],
    ["darwin", { JUPYTER_PLATFORM_DIRS: "1" }, "/h/Library/Application Support/jupyter"],
    ["darwin", { JUPYTER_PLATFORM_DIRS: "0" }, "/h/Library/Jupyter"],
    ["win32", { APPDATA: "C:\\Users\\x\\AppData\\Roaming" }, "C:\\Users\\x\\AppData\\Roaming\\jupyter"],
    ["win32", { LOCALAPPDATA: "C:\\L", APPDATA: "C:\\R", JUPYTER_PLATFORM_DIRS: "true" }, "C:\\L\\jupyter"],
    ["win32", { JUPYTER_CONFIG_DIR: "C:\\c" }, "C:\\c\\data"],
  ] as const)("%s %j", (platform, env, folder) => {
    expect(dataDirectory({}, { env, platform, home: "/h", node: "", entry: "" })).toBe(folder);
    expect(dataDirectory({ user: true }, { env, platform, home: "/h", node: "", entry: "" })).toBe(folder);
  });
});

describe("the other directories", () => {
  it("are a prefix and the active environment", () => {
    expect(dataDirectory({ prefix: "/opt/x" }, platformWith())).toBe("/opt/x/share/jupyter");
    expect(dataDirectory({ sysPrefix: true }, platformWith({ VIRTUAL_ENV: "/v", CONDA_PREFIX: "/c" }))).toBe(
      "/v/share/jupyter",
    );
    expect(dataDirectory({ sysPrefix: true }, platformWith({ CONDA_PREFIX: "/c" }))).toBe("/c/share/jupyter");
  });

  it("are rejected if missing or ambiguous", () => {
    expect(() => dataDirectory({ sysPrefix: true }, platformWith())).toThrow(
      /activate an environment, or give --prefix/,
    );
    expect(() => dataDirectory({ sysPrefix: true, prefix: "/x" }, platformWith())).toThrow(/Give only one of/);
  });

  it("are searched in Jupyter's order", () => {
    const env = { JUPYTER_PATH: "/a:/b", VIRTUAL_ENV: "/v" };
    const system = ["/usr/local/share/jupyter", "/usr/share/jupyter"];
    const user = `${home}/.local/share/jupyter`;
    expect(searchedDirectories(platformWith(env))).toEqual(["/a", "/b", user, "/v/share/jupyter", ...system]);
    expect(searchedDirectories(platformWith({ ...env, JUPYTER_PREFER_ENV_PATH: "1" }))).toEqual([
      "/a",
      "/b",
      "/v/share/jupyter",
      user,
      ...system,
    ]);
  });
});

describe("install", () => {
  it("writes a kernelspec with absolute paths and its version", () => {
    const platform = platformWith();
    const path = installSpec({}, platform);
    expect(path).toBe(join(home, ".local/share/jupyter/kernels/archive-frames/kernel.json"));
    expect(read(path)).toEqual({
      argv: [process.execPath, platform.entry, "{connection_file}"],
      display_name: "TypeScript (archive-frames)",
      language: "typescript",
      interrupt_mode: "message",
      metadata: { debugger: true, "archive-frames": { version: VERSION, preload: false } },
    });
    expect(readdirSync(dirname(path))).toEqual(["kernel.json", "logo-64x64.png"]);
  });

  it("accepts a location, a name and --preload, and replaces its own kernelspec", () => {
    const platform = platformWith();
    installSpec({ prefix: home, name: "dev-2" }, platform);
    const path = installSpec({ prefix: home, name: "dev-2", preload: true }, platform);
    expect(path).toBe(join(home, "share/jupyter/kernels/dev-2/kernel.json"));
    expect(read(path).argv).toEqual([process.execPath, platform.entry, "{connection_file}", "--preload"]);
    expect(read(path).display_name).toBe("TypeScript (dev-2)");
  });

  it.each(["", "Archive", "a b", "../x", "-x", "x/y", "ä"])("rejects the name %j", (name) => {
    expect(() => installSpec({ name }, platformWith())).toThrow(/invalid name.*lower-case letters/);
    expect(() => removeSpec({ name }, platformWith())).toThrow(/invalid name/);
    expect(() => specStatus({ name }, platformWith())).toThrow(/invalid name/);
  });

  it("rejects the npx cache and says what to type", () => {
    const entry = "/home/x/.npm/_npx/1234/node_modules/archive-frames/dist/kernel/main.js";
    expect(() => installSpec({}, platformWith({}, { entry }))).toThrow(
      /npm install archive-frames && npx archive-frames kernel install/,
    );
  });

  it("does not touch other kernelspecs", () => {
    const platform = platformWith();
    const folder = join(home, ".local/share/jupyter/kernels/archive-frames");
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "kernel.json"), '{"argv":["python3"],"display_name":"mine"}');
    expect(() => installSpec({}, platform)).toThrow(/was not written by archive-frames\. Choose another name/);
    expect(() => removeSpec({}, platform)).toThrow(/was not written by archive-frames/);
    expect(read(join(folder, "kernel.json")).display_name).toBe("mine");
    expect(specStatus({}, platform)).toMatchObject({ ok: false, version: undefined });
    expect(specStatus({}, platform).problems[0]).toContain("--name");
  });

  it.skipIf(process.platform === "win32")("does not touch symbolic links, and does not block on a FIFO", () => {
    const platform = platformWith();
    const mine = installSpec({ prefix: join(home, "mine") }, platform);
    const before = readFileSync(mine, "utf8");
    const kernels = join(home, ".local/share/jupyter/kernels");
    mkdirSync(join(kernels, "linked"), { recursive: true });
    mkdirSync(join(kernels, "waiting"));
    symlinkSync(mine, join(kernels, "linked/kernel.json"));
    symlinkSync(dirname(mine), join(kernels, "archive-frames"));
    execFileSync("mkfifo", [join(kernels, "waiting/kernel.json")]);
    for (const name of ["archive-frames", "linked", "waiting"]) {
      expect(() => installSpec({ name }, platform)).toThrow(/was not written by archive-frames/);
      expect(() => removeSpec({ name }, platform)).toThrow(/was not written by archive-frames/);
    }
    expect(readFileSync(mine, "utf8")).toBe(before);
  });

  it("names the obstacle", () => {
    writeFileSync(join(home, "file"), "");
    expect(() => installSpec({ prefix: join(home, "file") }, platformWith())).toThrow(/a part of its path is a file/);
  });
});

describe("status", () => {
  it("is ok after install, with path and version", () => {
    const platform = platformWith();
    const path = installSpec({}, platform);
    expect(specStatus({}, platform)).toEqual({ ok: true, path, version: VERSION, problems: [], shadowed: [] });
  });

  it("says what to type if there is none", () => {
    expect(specStatus({}, platformWith()).problems).toEqual([
      "The kernel is not installed. Type: npx archive-frames kernel install",
    ]);
    expect(specStatus({ prefix: "/p", name: "x" }, platformWith()).problems[0]).toContain(
      'npx archive-frames kernel install --prefix "/p" --name x',
    );
  });

  it("detects missing paths, another version and another copy", () => {
    const platform = platformWith();
    const path = installSpec({}, platform);
    const change = (more: object) => writeFileSync(path, JSON.stringify({ ...read(path), ...more }));
    change({ argv: ["/gone/node", "/gone/main.js", "{connection_file}"] });
    expect(specStatus({}, platform).problems).toEqual([
      expect.stringContaining("Node at /gone/node"),
      expect.stringContaining("kernel at /gone/main.js"),
    ]);
    installSpec({}, platform);
    change({ metadata: { "archive-frames": { version: "0.0.1", preload: false } } });
    expect(specStatus({}, platform)).toMatchObject({
      ok: false,
      version: "0.0.1",
      problems: [`It was written by version 0.0.1, this is ${VERSION}. Type: npx archive-frames kernel install`],
    });
    installSpec({}, platform);
    writeFileSync(join(home, "other.js"), "");
    expect(specStatus({}, { ...platform, entry: join(home, "other.js") }).problems[0]).toContain("another copy");
  });

  it("lists shadowed kernelspecs", () => {
    const platform = platformWith({ VIRTUAL_ENV: join(home, "venv") });
    const first = installSpec({}, platform);
    const second = installSpec({ sysPrefix: true }, platform);
    expect(specStatus({}, platform)).toMatchObject({ ok: true, path: first, shadowed: [second] });
    expect(specStatus({ sysPrefix: true }, platform)).toMatchObject({ path: second, shadowed: [] });
  });
});

describe("remove", () => {
  it("deletes only what install wrote", () => {
    const platform = platformWith();
    const path = installSpec({}, platform);
    expect(removeSpec({}, platform)).toBe(path);
    expect(existsSync(dirname(path))).toBe(false);
    expect(existsSync(dirname(dirname(path)))).toBe(true);
    expect(removeSpec({}, platform)).toBeUndefined();
    installSpec({}, platform);
    writeFileSync(join(dirname(path), "logo-64x64.png"), "");
    removeSpec({}, platform);
    expect(readdirSync(dirname(path))).toEqual(["logo-64x64.png"]);
  });
});

describe("archive-frames kernel", () => {
  async function kernel(platform: Platform, ...parameters: string[]): Promise<{ said: string; code: unknown }> {
    const write = process.stdout.write;
    let said = "";
    process.stdout.write = (text: unknown) => {
      said += String(text);
      return true;
    };
    try {
      const root = new Command("archive-frames").addCommand(kernelCommand(platform));
      await root.parseAsync(["kernel", ...parameters], { from: "user" });
      return { said, code: process.exitCode };
    } finally {
      process.stdout.write = write;
      process.exitCode = undefined;
    }
  }

  it("install, status and remove", async () => {
    const platform = platformWith();
    const path = join(home, ".local/share/jupyter/kernels/archive-frames/kernel.json");
    expect(await kernel(platform, "status")).toEqual({ said: expect.stringContaining("Type: npx"), code: 1 });
    expect(await kernel(platform, "install", "--preload")).toEqual({
      said: `Installed ${path}\nChoose "TypeScript (archive-frames)" in Jupyter.\n`,
      code: undefined,
    });
    expect((read(path).argv as string[]).at(-1)).toBe("--preload");
    expect(await kernel(platform, "status")).toEqual({
      said: `${path} (version ${VERSION})\nThe kernel is ready.\n`,
      code: undefined,
    });
    expect(await kernel(platform, "remove")).toEqual({ said: `Removed ${path}\n`, code: undefined });
    expect(await kernel(platform, "remove")).toEqual({ said: "Nothing to remove.\n", code: undefined });
  });
});
