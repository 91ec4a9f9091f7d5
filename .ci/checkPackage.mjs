// node .ci/checkPackage.mjs <empty directory>: packs the package, installs it and uses it in a fresh project.
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import ts from "typescript";

const root = resolve(import.meta.dirname, "..");
const project = resolve(process.argv[2]);
const QUIETLY = ["--no-audit", "--no-fund", "--prefer-offline"];

const { files, filename } = pack();
const tarball = join(project, filename);
checkFiles(files);
lint();
install();
runFirstExample();
runShellBlocks();
runGlobalDemo();
requireFromCommonJs();
for (const moduleResolution of ["node16", "bundler", "node10"]) compileConsumer(moduleResolution);
compileWithOldestTypeScript();
compileEntries();
console.log(`${files.length} files, installed and used`);

function pack() {
  mkdirSync(project, { recursive: true });
  // Without building: other steps may be using dist.
  const options = ["--json", "--silent", "--ignore-scripts", "--pack-destination", project];
  const output = execFileSync("npm", ["pack", ...options], { cwd: root });
  return JSON.parse(output)[0];
}

/** Fails on files that users do not need, and on built files without a source. */
function checkFiles(files) {
  const paths = files.map(({ path }) => path);
  const top = new Set(paths.map((path) => path.split("/")[0]));
  const wanted = ["CHANGELOG.md", "LICENSE", "README.md", "SECURITY.md", "dist", "notebooks", "package.json", "src"];
  const ofSrc = paths.filter((path) => path.startsWith("src/") && !/^src\/api\/[\w-]+\.md$/.test(path)).sort();
  const shipped = "src/API.md,src/coding/page.html,src/members/data/legislators.json.gz";
  if (ofSrc.join() !== shipped) fail(`src contains ${ofSrc.join(", ")}`);
  if ([...top].sort().join() !== wanted.join()) fail(`the package contains ${[...top].sort().join(", ")}`);
  const { exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  for (const path of paths) {
    // The source of an entry has the path of its types.
    const { types = `./${path}` } = Object.values(exports).find((entry) => entry.default === `./${path}`) ?? {};
    const source = /^\.\/dist\/(.+?)(\.d\.ts|\.js)$/.exec(types)?.[1];
    // What several entries share.
    if (/^dist\/(chunks|kernel)\/\w+\.js$/.test(path)) continue;
    if (path === "dist/embedded/archive.json.br" && existsSync(join(root, "src/embedded/archive.json.br"))) continue;
    if (path === "dist/scanner.wasm" && existsSync(join(root, "src/pages/wasm/scanner.ts"))) continue;
    if (path.startsWith("dist/") && !(source && existsSync(join(root, "src", `${source}.ts`)))) {
      fail(`${path} is in the package and has no source`);
    }
  }
}

/** In its own directory, because no other step needs these 60 MB. */
function lint() {
  const tools = join(project, "tools");
  run("npm", [
    "install",
    "--prefix",
    tools,
    ...QUIETLY,
    "publint@0.3.25",
    "@arethetypeswrong/cli@0.18.5",
    "knip@6.44.2",
  ]);
  run("node", [join(tools, "node_modules/publint/src/cli.js"), tarball, "--strict"]);
  // CommonJS modules can require this ES module; see requireFromCommonJs.
  const attw = join(tools, "node_modules/@arethetypeswrong/cli/dist/index.js");
  run("node", [attw, tarball, "--ignore-rules", "cjs-resolves-to-esm"]);
  // What no other file imports is not exported. Types are: users name what is inferred.
  const knip = join(tools, "node_modules/knip/bin/knip.js");
  execFileSync("node", [knip, "-c", ".ci/knip.json", "--include", "exports"], { cwd: root, stdio: "inherit" });
}

/** Skips the install scripts of dependencies: everything must work without them. */
function install() {
  writeFileSync(join(project, "package.json"), JSON.stringify({ name: "stranger", private: true, type: "module" }));
  run("npm", ["install", tarball, ...QUIETLY, "--ignore-scripts"]);
  if (existsSync(join(project, "node_modules/danfojs-node")))
    fail("danfojs-node was installed without being asked for");
  run("node", [join(root, ".ci/checkDependencies.mjs"), "package-lock.json"]);
}

function runFirstExample() {
  const [, code] = /^```ts\n(.*?)^```$/ms.exec(readFileSync(join(root, "README.md"), "utf8")) ?? fail("no example");
  const { outputText } = ts.transpileModule(code, { compilerOptions: { target: "es2022", module: "esnext" } });
  writeFileSync(join(project, "example.js"), outputText);
  run("node", ["example.js"]);
}

/** The commands of the README, one after the other, in an empty directory of a user without settings. */
function runShellBlocks() {
  const blocks = readFileSync(join(root, "README.md"), "utf8").matchAll(/^```sh\n(.*?)^```$/gms);
  const commands = [...blocks].map(([, block]) =>
    block.replace("npm install archive-frames", `npm install ${tarball}`),
  );
  const cwd = join(project, "readme");
  const home = join(project, "home");
  for (const directory of [cwd, home]) mkdirSync(directory);
  const env = { ...process.env, HOME: home, npm_config_ignore_scripts: "true", npm_config_prefer_offline: "true" };
  for (const name of Object.keys(env)) if (/^(XDG|JUPYTER)_/.test(name)) delete env[name];
  // jq is not a part of every system.
  const script = `set -euo pipefail\ncommand -v jq >/dev/null || jq() { cat; }\n${commands.join("\n")}`;
  execFileSync("bash", ["-c", script], { cwd, env, stdio: ["ignore", "ignore", "inherit"] });
  if (!existsSync(join(cwd, "report.html"))) fail("the commands of the README wrote no report");
}

/** Runs the quickstart notebook in the kernel, including native modules, from a global installation. */
function runGlobalDemo() {
  run("npm", ["install", "--global", "--prefix", join(project, "global"), tarball, ...QUIETLY, "--ignore-scripts"]);
  const main = join(project, "global/lib/node_modules/archive-frames/dist/cli/main.js");
  const printed = execFileSync("node", [main, "demo"], {
    cwd: project,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
  // danfojs-node is not installed there.
  if (/\w*Error\b/.test(printed)) fail(`the demo shows an error:\n${printed}`);
}

/** Supported from Node 20.19 on. */
function requireFromCommonJs() {
  const code = `
    for (const entry of ["", "/notebook", "/embedded", "/members", "/corpus", "/fleet"]) require("archive-frames" + entry);
    require("archive-frames").openArchive().then((archive) => archive.close());`;
  writeFileSync(join(project, "required.cjs"), code);
  run("node", ["required.cjs"]);
}

function compileConsumer(moduleResolution) {
  writeConsumer(moduleResolution);
  run("node", [join(root, "node_modules/typescript/bin/tsc"), "-p", "tsconfig.json"]);
}

/** The kernel's TypeScript. It cannot read all types of nodejs-polars, but has no trouble with ours and the consumer's. */
function compileWithOldestTypeScript() {
  writeConsumer("node");
  const tsc = "node_modules/@tslab/typescript-for-tslab/lib/tsc.js";
  const { stdout } = spawnSync("node", [tsc, "-p", "tsconfig.json"], { cwd: project, encoding: "utf8" });
  const errors = stdout.split("\n").filter((line) => /^\S.*error TS/.test(line));
  const others = errors.filter((line) => !line.startsWith("node_modules/nodejs-polars/"));
  if (others.length > 0) fail(others.join("\n"));
}

/** Each entry alone, with its declarations: what one of them adds to a type must not hide that another one needs it. */
function compileEntries() {
  // Those of a fleet name the types of optional packages, which whoever runs one has installed.
  run("npm", ["install", ...QUIETLY, "--ignore-scripts", "bullmq@6", "ioredis@5"]);
  const { Node16: module } = ts.ModuleKind;
  const options = {
    strict: true,
    noEmit: true,
    skipLibCheck: false,
    target: ts.ScriptTarget.ES2022,
    module,
    types: ["node"],
  };
  const typed = { ...options, lib: ["lib.es2022.d.ts"], typeRoots: [join(root, "node_modules/@types")] };
  const host = ts.createCompilerHost(typed);
  const { getSourceFile } = host;
  const read = new Map();
  host.getSourceFile = (path, ...rest) => {
    if (!read.has(path)) read.set(path, getSourceFile(path, ...rest));
    return read.get(path);
  };
  const { exports } = JSON.parse(readFileSync(join(project, "node_modules/archive-frames/package.json"), "utf8"));
  for (const { types } of Object.values(exports).filter(({ types }) => types !== undefined)) {
    const program = ts.createProgram([join(project, "node_modules/archive-frames", types)], typed, host);
    const errors = ts.getPreEmitDiagnostics(program);
    if (errors.length > 0) fail(ts.formatDiagnostics(errors, { ...host, getCurrentDirectory: () => project }));
  }
}

function writeConsumer(moduleResolution) {
  const module = { node16: "node16", bundler: "esnext", node10: "commonjs", node: "commonjs" }[moduleResolution];
  const compilerOptions = {
    strict: true,
    noEmit: true,
    target: "es2022",
    module,
    moduleResolution,
    typeRoots: [join(root, "node_modules/@types")],
    types: ["node"],
  };
  writeFileSync(join(project, "consumer.ts"), readFileSync(join(root, ".ci/consumer.ts")));
  writeFileSync(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["consumer.ts"] }));
}

function run(command, options) {
  execFileSync(command, options, { cwd: project, stdio: ["ignore", "inherit", "inherit"] });
}

function fail(problem) {
  console.error(problem);
  process.exit(1);
}
