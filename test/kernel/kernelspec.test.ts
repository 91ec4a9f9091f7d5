import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Command } from "commander";
import { beforeEach, describe, expect, it } from "vitest";
import { kernelCommand } from "../../src/cli/kernel.js";
import { VERSION } from "../../src/index.js";
import { installSpec, type Platform, removeSpec, specStatus } from "../../src/kernel/kernelspec/kernelSpec.js";

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

describe("the directory", () => {
  it.each([
    ["linux", {}, {}, "{home}/.local/share/jupyter"],
    ["linux", { XDG_DATA_HOME: "{home}/data" }, {}, "{home}/data/jupyter"],
    ["linux", { XDG_DATA_HOME: "" }, { user: true }, "{home}/.local/share/jupyter"],
    ["linux", { JUPYTER_DATA_DIR: "{home}/own", XDG_DATA_HOME: "/data" }, {}, "{home}/own"],
    ["linux", {}, { prefix: "{home}/opt" }, "{home}/opt/share/jupyter"],
    ["linux", { VIRTUAL_ENV: "{home}/v", CONDA_PREFIX: "/c" }, { sysPrefix: true }, "{home}/v/share/jupyter"],
    ["linux", { CONDA_PREFIX: "{home}/c" }, { sysPrefix: true }, "{home}/c/share/jupyter"],
    ["darwin", {}, {}, "{home}/Library/Jupyter"],
  ] as const)("%s %j %j", (platform, env, location, directory) => {
    const atHome = <T>(value: T): T => JSON.parse(JSON.stringify(value).replaceAll("{home}", home));
    const path = installSpec(atHome(location), platformWith(atHome(env), { platform }));
    expect(path).toBe(join(atHome(directory), "kernels/archive-frames/kernel.json"));
  });

  it("is rejected if missing or ambiguous", () => {
    expect(() => installSpec({ sysPrefix: true }, platformWith())).toThrow(/activate an environment, or give --prefix/);
    expect(() => installSpec({ user: true, prefix: "/x" }, platformWith())).toThrow(/Give only one of/);
  });

  it("is searched for in Jupyter's order", () => {
    const platform = platformWith({ JUPYTER_PATH: `${home}/a:${home}/b`, VIRTUAL_ENV: join(home, "venv") });
    const places = [{ sysPrefix: true }, { user: true }];
    for (const place of places) {
      const path = installSpec(place, platform);
      expect(specStatus({}, platform)).toMatchObject({ ok: true, path });
    }
    mkdirSync(join(home, "b/kernels/archive-frames"), { recursive: true });
    expect(specStatus({}, platform)).toMatchObject({
      ok: false,
      path: join(home, "b/kernels/archive-frames/kernel.json"),
    });
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
      metadata: { "archive-frames": { version: VERSION } },
    });
  });

  it("accepts a location and a name, and replaces its own kernelspec", () => {
    const platform = platformWith();
    installSpec({ prefix: home, name: "dev-2" }, platform);
    const path = installSpec({ prefix: home, name: "dev-2" }, platform);
    expect(path).toBe(join(home, "share/jupyter/kernels/dev-2/kernel.json"));
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
    expect(specStatus({}, platform)).toEqual({ ok: true, path, version: VERSION, problems: [] });
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
    change({ metadata: { "archive-frames": { version: "0.0.1" } } });
    expect(specStatus({}, platform)).toMatchObject({
      ok: false,
      version: "0.0.1",
      problems: [`It was written by version 0.0.1, this is ${VERSION}. Type: npx archive-frames kernel install`],
    });
    installSpec({}, platform);
    writeFileSync(join(home, "other.js"), "");
    expect(specStatus({}, { ...platform, entry: join(home, "other.js") }).problems[0]).toContain("another copy");
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
    writeFileSync(join(dirname(path), "mine.png"), "");
    removeSpec({}, platform);
    expect(readdirSync(dirname(path))).toEqual(["mine.png"]);
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
    expect(await kernel(platform, "install")).toEqual({
      said: `Installed ${path}\nChoose "TypeScript (archive-frames)" in Jupyter.\n`,
      code: undefined,
    });
    expect(await kernel(platform, "status")).toEqual({
      said: `${path} (version ${VERSION})\nThe kernel is ready.\n`,
      code: undefined,
    });
    expect(await kernel(platform, "remove")).toEqual({ said: `Removed ${path}\n`, code: undefined });
    expect(await kernel(platform, "remove")).toEqual({ said: "Nothing to remove.\n", code: undefined });
  });
});
