// node .ci/checkPackage.mjs <empty folder>: packs the package and uses it as a stranger would.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import ts from "typescript";

const root = resolve(import.meta.dirname, "..");
const project = resolve(process.argv[2]);

const { files, filename } = pack();
checkFiles(files);
install(join(project, filename));
runFirstExample();
run("node", ["node_modules/archive-frames/dist/cli/main.js", "--version"]);
for (const moduleResolution of ["node16", "bundler", "node10"]) compileConsumer(moduleResolution);
console.log(`${files.length} files, installed and used`);

function pack() {
  mkdirSync(project, { recursive: true });
  const output = execFileSync("npm", ["pack", "--json", "--silent", "--pack-destination", project], { cwd: root });
  return JSON.parse(output)[0];
}

/** Nothing but what users need, and no built file whose source is gone. */
function checkFiles(files) {
  const paths = files.map(({ path }) => path);
  const top = new Set(paths.map((path) => path.split("/")[0]));
  const wanted = ["CHANGELOG.md", "LICENSE", "README.md", "dist", "notebooks", "package.json"];
  if ([...top].sort().join() !== wanted.join()) fail(`the package holds ${[...top].sort().join(", ")}`);
  for (const path of paths) {
    const source = /^dist\/(.+?)(\.d\.ts|\.js|\.js\.map)$/.exec(path)?.[1];
    if (path.startsWith("dist/") && !(source && existsSync(join(root, "src", `${source}.ts`)))) {
      fail(`${path} is in the package and has no source`);
    }
  }
}

function install(tarball) {
  writeFileSync(join(project, "package.json"), JSON.stringify({ name: "stranger", private: true, type: "module" }));
  run("npm", ["install", tarball, "--no-audit", "--no-fund", "--prefer-offline"]);
  if (existsSync(join(project, "node_modules/danfojs-node")))
    fail("danfojs-node was installed without being asked for");
}

function runFirstExample() {
  const [, code] = /^```ts\n(.*?)^```$/ms.exec(readFileSync(join(root, "README.md"), "utf8")) ?? fail("no example");
  const { outputText } = ts.transpileModule(code, { compilerOptions: { target: "es2022", module: "esnext" } });
  writeFileSync(join(project, "example.js"), outputText);
  run("node", ["example.js"]);
}

function compileConsumer(moduleResolution) {
  const module = { node16: "node16", bundler: "esnext", node10: "commonjs" }[moduleResolution];
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
  run("node", [join(root, "node_modules/typescript/bin/tsc"), "-p", "tsconfig.json"]);
}

function run(command, options) {
  execFileSync(command, options, { cwd: project, stdio: ["ignore", "inherit", "inherit"] });
}

function fail(problem) {
  console.error(problem);
  process.exit(1);
}
