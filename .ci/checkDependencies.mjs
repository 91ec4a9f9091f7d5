// node .ci/checkDependencies.mjs <lock file>: checks that every dependency users install has a known licence, comes from the
// registry with a hash, and runs no unknown install script. Prints the licences.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

const LICENCES = ["MIT", "ISC", "Apache-2.0", "MIT AND MPL-2.0", "PSF-2.0", "BSD-3-Clause", "0BSD", "Unlicense"];
// The binary of nodejs-polars is MIT, but refers to a licence file that it does not contain.
const PART_OF_POLARS = /^nodejs-polars-[\w-]+$/;
// zeromq's script compiles a binary only if the bundled ones do not fit; core-js (through danfojs-node, which users install
// themselves) asks for donations. None is needed: `npm ci --ignore-scripts` works.
// msgpackr-extract (through bullmq, which users install themselves) compiles a faster decoder, which is optional.
const SCRIPTS = ["core-js", "msgpackr-extract", "zeromq"];

const lock = JSON.parse(readFileSync(process.argv[2], "utf8"));
const registry = new URL(execFileSync("npm", ["config", "get", "registry"], { encoding: "utf8" })).origin;
const problems = [];
const licences = new Map();

if (lock.lockfileVersion !== 3) problems.push(`is of version ${lock.lockfileVersion}, not 3`);
for (const [path, entry] of Object.entries(lock.packages)) {
  const name = path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);
  if (path === "" || isOurs(name, entry)) continue;
  if (!/^sha512-/.test(entry.integrity ?? "")) problems.push(`${path} has no hash`);
  if (entry.resolved !== undefined && new URL(entry.resolved).origin !== registry)
    problems.push(`${path} comes from ${entry.resolved}, not from the registry`);
  if (entry.hasInstallScript && !SCRIPTS.includes(name)) problems.push(`${path} has an install script`);
  if (entry.dev || entry.devOptional) continue;
  const licence = PART_OF_POLARS.test(name) ? "MIT" : (entry.license ?? "none");
  if (!LICENCES.includes(licence)) problems.push(`${path} has the licence ${licence}`);
  licences.set(licence, (licences.get(licence) ?? new Set()).add(`${name}@${entry.version}`));
}

for (const [licence, names] of licences) console.log(`${licence} (${names.size}): ${[...names].sort().join(", ")}`);
for (const problem of problems) console.error(`${process.argv[2]}: ${problem}`);
process.exitCode = problems.length > 0 ? 1 : 0;

/** The packed package itself, when installed from its file. */
function isOurs(name, { resolved, hasInstallScript }) {
  return name === "archive-frames" && resolved?.startsWith("file:") && !hasInstallScript;
}
