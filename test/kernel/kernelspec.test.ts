import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { checkSpec, installSpec, NODE_OPTION } from "../../src/kernel/kernelSpec.js";
import { callCommand } from "../cli/callCommand.js";
import { temporaryFolder } from "../files/temporary.js";

const scratch = temporaryFolder();
let home: string;
let count = 0;

beforeEach(() => {
  home = join(scratch, String(count++));
  mkdirSync(home);
  vi.stubEnv("HOME", home);
  for (const name of ["XDG_DATA_HOME", "JUPYTER_DATA_DIR"]) vi.stubEnv(name, undefined);
});
afterEach(() => vi.unstubAllEnvs());

const SPEC = "kernels/archive-frames/kernel.json";
const ENTRY = fileURLToPath(new URL("../../src/kernel/main.js", import.meta.url));

it.skipIf(process.platform !== "linux").each<[string, Record<string, string>, string?]>([
  [".local/share/jupyter", {}],
  ["data/jupyter", { XDG_DATA_HOME: "{home}/data" }],
  ["own", { JUPYTER_DATA_DIR: "{home}/own", XDG_DATA_HOME: "/data" }],
  ["opt/share/jupyter", {}, "opt"],
])("install writes a kernelspec in %s with %j %j", (directory, env, prefix) => {
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value.replace("{home}", home));
  const path = join(home, directory, SPEC);
  for (let times = 0; times < 2; times++) expect(installSpec(prefix && join(home, prefix))).toBe(path);
  expect(JSON.parse(readFileSync(path, "utf8"))).toEqual({
    argv: [process.execPath, NODE_OPTION, ENTRY, "{connection_file}"],
    display_name: "TypeScript (archive-frames)",
    language: "typescript",
    interrupt_mode: "message",
  });
});

it("the command says where it is installed, and what to choose", async () => {
  const { stdout } = await callCommand(home, ["kernel", "install", "--prefix", home]);
  expect(stdout).toBe(
    `Installed ${join(home, "share/jupyter", SPEC)}\nChoose "TypeScript (archive-frames)" in Jupyter. All projects of this user use this copy.\n`,
  );
});

it("install rejects the npx cache and says what to type", () => {
  expect(() => installSpec(home, "/home/x/.npm/_npx/1234/node_modules/archive-frames/dist/kernel/main.js")).toThrow(
    /npm install archive-frames && npx archive-frames kernel install/,
  );
});

it("the check finds that of the user, and rejects what starts another program", () => {
  expect(checkSpec).toThrow(
    /This copy of the kernel is not installed for this user\. Type: npx archive-frames kernel install/,
  );
  const path = installSpec();
  expect(checkSpec()).toBe(path);
  writeFileSync(path, JSON.stringify({ argv: [process.execPath, "/gone/main.js"] }));
  expect(checkSpec).toThrow(/This copy of the kernel is not installed/);
});
