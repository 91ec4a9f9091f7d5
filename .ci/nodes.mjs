// node .ci/nodes.mjs <directory> [<vitest arguments>…]: runs the tests on every supported line of Node, the first in its oldest
// version. Each Node is installed into the directory; the reports go to REPORTS or there, too. NODES=22,24 selects lines.
import { spawnSync } from "node:child_process";
import { delimiter, join, resolve } from "node:path";

const VERSIONS = ["20.19.0", "22.23.3", "24.21.0", "26.10.0"];

const root = resolve(import.meta.dirname, "..");
const directory = resolve(process.argv[2]);
const reports = process.env.REPORTS ?? directory;
const parameters = process.argv.slice(3);
const lines = process.env.NODES?.split(",");
const versions = VERSIONS.filter((version) => lines?.includes(version.split(".")[0]) ?? true);
if (versions.length === 0) throw new Error(`NODES=${process.env.NODES} names none of ${VERSIONS.join(", ")}`);

const failed = versions.filter((version) => {
  console.log(`\n-- Node ${version}`);
  return !testOn(version);
});
console.log(`\nNode ${versions.join(", ")}: ${failed.length === 0 ? "all passed" : `failed on ${failed.join(", ")}`}`);
process.exitCode = failed.length === 0 ? 0 : 1;

function testOn(version) {
  const home = join(directory, `node-${version}`);
  const name = `node-${process.platform}-${process.arch}`;
  if (!run("npm", ["install", "--prefix", home, "--no-audit", "--no-fund", `${name}@${version}`])) return false;
  // First on the path, for programs that the tests start as `node`; others are started by process.execPath.
  const bin = join(home, "node_modules", name, "bin");
  const reporters = [
    "--reporter=default",
    "--reporter=json",
    `--outputFile.json=${join(reports, `nodes-${version}.json`)}`,
  ];
  const vitest = ["node_modules/vitest/vitest.mjs", "run", "--config", "test/vitest.config.ts"];
  return run(join(bin, "node"), [...vitest, ...reporters, ...parameters], `${bin}${delimiter}${process.env.PATH}`);
}

function run(command, args, PATH = process.env.PATH) {
  const { status, error } = spawnSync(command, args, { cwd: root, env: { ...process.env, PATH }, stdio: "inherit" });
  if (error) console.error(error.message);
  return status === 0;
}
