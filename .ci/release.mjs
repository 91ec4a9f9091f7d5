// npm run release -- <patch | minor | major | 1.2.3> [--dry-run]
// Checks, tests, dates the changelog, commits, tags and packs. Does not publish: the last line prints the command for that.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";

const root = resolve(import.meta.dirname, "..");
const changelog = resolve(root, "CHANGELOG.md");
const dryRun = process.argv.includes("--dry-run");
const [bump, ...rest] = process.argv.slice(2).filter((argument) => argument !== "--dry-run");

try {
  release();
} catch (error) {
  console.error(`\n${error.message}`);
  process.exitCode = 1;
}

function release() {
  if (bump === undefined || rest.length > 0 || !/^(patch|minor|major|\d+\.\d+\.\d+)$/.test(bump)) {
    throw new Error("usage: npm run release -- <patch | minor | major | 1.2.3> [--dry-run]");
  }
  if (output("git", ["status", "--porcelain"]) !== "") {
    throw new Error("The working tree has changes. Commit or stash them first.");
  }
  run("npm", ["run", "check"]);
  // All files and samples, as in CI.
  process.env.SAMPLES = "full";
  run("npm", ["test"]);
  audit();
  try {
    bumpAndPack();
  } finally {
    // Undo everything after a failure or a dry run; after a release there is nothing to undo.
    run("git", ["checkout", "--quiet", "HEAD", "--", "package.json", "package-lock.json", "CHANGELOG.md"]);
  }
}

/** Only informs: the registry may be unreachable, and a finding may not affect this package (see SECURITY.md). */
function audit() {
  try {
    run("npm", ["audit", "--omit=dev"]);
  } catch {
    console.log("npm audit found something or failed: compare it with SECURITY.md before you publish.");
  }
}

function bumpAndPack() {
  run("npm", ["version", bump, "--no-git-tag-version", "--allow-same-version"]);
  const { version } = JSON.parse(readFileSync(resolve(root, "package.json"), "utf8"));
  if (output("git", ["tag", "--list", `v${version}`]) !== "") throw new Error(`The tag v${version} exists already.`);
  writeFileSync(changelog, released(readFileSync(changelog, "utf8"), version));
  run("npm", ["pack", "--dry-run"]);
  if (dryRun) {
    console.log(`\nDry run: ${version} is neither committed nor tagged.`);
    return;
  }
  run("git", ["add", "package.json", "package-lock.json", "CHANGELOG.md"]);
  run("git", ["commit", "--quiet", "--allow-empty", "-m", `Release ${version}`]);
  run("git", ["tag", "--annotate", `v${version}`, "-m", `archive-frames ${version}`]);
  console.log(`\nTagged v${version}. To publish it: git push --follow-tags && npm publish`);
}

/** The changelog with the Unreleased section moved to the version, with today's date. */
function released(text, version) {
  if (text.includes(`## [${version}]`)) return text;
  const unreleased = /^## \[Unreleased\]\n([\s\S]*?)(?=^## \[|^\[Unreleased\]:)/m.exec(text);
  if (unreleased === null || unreleased[1].trim() === "") throw new Error("CHANGELOG.md has nothing under Unreleased.");
  const today = new Date().toISOString().slice(0, 10);
  return text
    .replace(/^## \[Unreleased\]\n/m, `## [Unreleased]\n\n## [${version}] - ${today}\n`)
    .replace(
      /^\[Unreleased\]: (.*)\/(?:compare\/v[\d.]+\.\.\.|commits\/)HEAD$/m,
      `[Unreleased]: $1/compare/v${version}...HEAD\n[${version}]: $1/releases/tag/v${version}`,
    );
}

function output(command, options) {
  return execFileSync(command, options, { cwd: root, encoding: "utf8" }).trim();
}

function run(command, options) {
  execFileSync(command, options, { cwd: root, stdio: "inherit" });
}
