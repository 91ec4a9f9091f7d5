// node .ci/nodes.mjs <directory> [<vitest arguments>…]: runs the tests on every supported Node line, for the first one on its
// oldest version, and some tests with a newer nodejs-polars. Installs each Node into the directory. Reports go to REPORTS if set,
// otherwise to the directory. NODES=22,polars selects entries.
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";

const VERSIONS = ["20.19.0", "22.23.3", "24.21.0", "26.10.0"];

/** A newer nodejs-polars than in package.json, installed through `overrides` as users do. Its native packages need Node 22. */
const POLARS = { version: "0.26.1", node: "22.23.3" };
/** The tests that use polars most. */
const POLARS_TESTS = [
  "test/frames/",
  "test/scan/scan",
  "test/scan/rowWise",
  "test/scan/widening",
  "test/scan/names",
  "test/files/writers",
  "test/files/hive",
  "test/files/save",
  "test/files/package",
  "test/files/parquetFooter",
  "test/files/objectStore",
  "test/files/spillBuffer",
  "test/notebook/display/frames",
  "test/speeches/formats",
];

const root = resolve(import.meta.dirname, "..");
const directory = resolve(process.argv[2]);
const reports = process.env.REPORTS ?? directory;
const parameters = process.argv.slice(3);

const entries = [
  ...VERSIONS.map((version) => ({
    name: version.split(".")[0],
    title: `Node ${version}`,
    test: () => testOn(version),
  })),
  { name: "polars", title: `nodejs-polars ${POLARS.version} on Node ${POLARS.node}`, test: testWithPolars },
];
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

/** Installs the package as a user would, with the newer polars, and runs the tests of its sources there. */
function testWithPolars() {
  const bin = installNode(POLARS.node);
  if (bin === undefined) return false;
  const project = join(directory, `polars-${POLARS.version}`);
  rmSync(project, { recursive: true, force: true });
  mkdirSync(project, { recursive: true });
  // The sources read the package version from here.
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const manifest = { version, private: true, type: "module", overrides: { "nodejs-polars": POLARS.version } };
  writeFileSync(join(project, "package.json"), JSON.stringify(manifest));
  const pack = ["pack", "--silent", "--ignore-scripts", "--pack-destination", project];
  if (!run("npm", pack, { bin })) return false;
  const tarball = readdirSync(project).find((name) => name.endsWith(".tgz"));
  const install = ["install", `./${tarball}`, "--no-audit", "--no-fund", "--ignore-scripts", "--include=optional"];
  if (!run("npm", install, { bin, cwd: project })) return false;
  linkOthers(join(root, "node_modules"), join(project, "node_modules"));
  for (const name of ["src", "test", "dist", "tsconfig.json"]) {
    cpSync(join(root, name), join(project, name), { recursive: true });
  }
  const tests = parameters.length > 0 ? parameters : POLARS_TESTS;
  return vitest(bin, project, `nodes-polars-${POLARS.version}.json`, tests);
}

/** Links the packages that only tests need. */
function linkOthers(from, to) {
  const present = new Set(readdirSync(to));
  for (const name of readdirSync(from)) {
    if (!present.has(name)) symlinkSync(join(from, name), join(to, name));
    else if (name.startsWith("@")) linkOthers(join(from, name), join(to, name));
  }
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
