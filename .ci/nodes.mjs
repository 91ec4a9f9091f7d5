// node .ci/nodes.mjs <directory> [<vitest arguments>…]: runs the tests on every supported Node line, for the first one on its
// oldest version. Installs each Node into the directory. Reports go to REPORTS if set, otherwise to the directory. NODES=22,24 selects
// versions.
import { spawnSync } from "node:child_process";
import { delimiter, join, resolve } from "node:path";

const VERSIONS = ["20.19.0", "22.23.3", "24.21.0", "26.10.0"];

const root = resolve(import.meta.dirname, "..");
const directory = resolve(process.argv[2]);
const reports = process.env.REPORTS ?? directory;
const parameters = process.argv.slice(3);

const entries = VERSIONS.map((version) => ({
  name: version.split(".")[0],
  title: `Node ${version}`,
  test: () => testOn(version),
}));
const wanted = process.env.NODES?.split(",");
const selected = entries.filter(({ name }) => wanted?.includes(name) ?? true);
if (selected.length === 0)
  throw new Error(`NODES=${process.env.NODES} names none of ${entries.map(({ name }) => name)}`);

const failed = selected.filter(({ title, test }) => {
  console.log(`\n-- ${title}`);
  return !test();
});
const titles = (some) => some.map(({ title }) => title).join(", ");
console.log(`\n${titles(selected)}: ${failed.length === 0 ? "all passed" : `failed on ${titles(failed)}`}`);
process.exitCode = failed.length === 0 ? 0 : 1;

function testOn(version) {
  const bin = installNode(version);
  return bin !== undefined && vitest(bin, root, `nodes-${version}.json`, parameters);
}

/** Installs a version of Node and returns the directory of its executable; undefined on failure. */
function installNode(version) {
  const home = join(directory, `node-${version}`);
  const name = `node-${process.platform}-${process.arch}`;
  const isInstalled = run("npm", ["install", "--prefix", home, "--no-audit", "--no-fund", `${name}@${version}`]);
  return isInstalled ? join(home, "node_modules", name, "bin") : undefined;
}

function vitest(bin, cwd, report, tests) {
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${join(reports, report)}`];
  const command = [
    "node_modules/vitest/vitest.mjs",
    "run",
    "--config",
    "test/vitest.config.ts",
    ...reporters,
    ...tests,
  ];
  return run(join(bin, "node"), command, { bin, cwd });
}

/** @param bin a directory to put first on the PATH, for programs that start `node` */
function run(command, args, { bin, cwd = root } = {}) {
  const PATH = bin === undefined ? process.env.PATH : `${bin}${delimiter}${process.env.PATH}`;
  const { status, error } = spawnSync(command, args, { cwd, env: { ...process.env, PATH }, stdio: "inherit" });
  if (error) console.error(error.message);
  return status === 0;
}
