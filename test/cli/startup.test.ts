import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { settingsOf } from "../archiveSettings.js";
import { temporaryFolder } from "../files/temporary.js";
import { startPagedServer } from "../scan/pagedServer.js";
import { command } from "./command.js";

const root = temporaryFolder();
const LISTING = new URL("loadedModules.mjs", import.meta.url).href;
/** They would take most of the time of a short command. */
const HEAVY = ["nodejs-polars", "undici", "zeromq", "tslab", "typescript", "marked", "yazl", "vega", "danfojs-node"];

/** The packages that a command loads. */
async function packagesOf(args: string[], env: Record<string, string> = {}): Promise<string[]> {
  const file = join(root, "loaded.txt");
  rmSync(file, { force: true });
  await command(root, args, { ...env, LOADED_MODULES: file, NODE_OPTIONS: `--import=${LISTING}` });
  const names = readFileSync(file, "utf8").matchAll(/\/node_modules\/((?:@[^/\n]+\/)?[^/\n]+)/g);
  return [...new Set([...names].map(([, name = ""]) => name))].sort();
}

test.each([
  [["--help"]],
  [["save", "--help"]],
  [["save", "mentions", "--querry", "x"]],
  [["snapshot", "nothing"]],
  [["cite", "nothing.csv"]],
  [["kernel", "install", "--prefix", "installed"]],
])("archive-frames %j loads no heavy package", async (args) => {
  const packages = await packagesOf(args);
  expect(packages).toContain("commander");
  expect(packages.filter((name) => HEAVY.includes(name))).toEqual([]);
});

test("archive-frames save loads the packages that it needs, and no more", async () => {
  await using server = await startPagedServer({ rows: 2 });
  const args = ["save", "mentions", "--query", "climate", "-o", "a.csv"];
  const packages = await packagesOf(args, settingsOf(server));
  expect(packages.filter((name) => HEAVY.includes(name))).toEqual(["nodejs-polars", "undici"]);
});
