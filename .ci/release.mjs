// npm run release -- <patch | minor | major | 1.2.3> [--dry-run]
// Checks, tests, dates the changelog, commits, tags and packs. Publishes nothing: the last line says what to type.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";

const root = resolve(import.meta.dirname, "..");
const changelog = resolve(root, "CHANGELOG.md");
const dryRun = process.argv.includes("--dry-run");
const [bump, ...rest] = process.argv.slice(2).filter((argument) => argument !== "--dry-run");

if (bump === undefined || rest.length > 0 || !/^(patch|minor|major|\d+\.\d+\.\d+)$/.test(bump)) {
  fail("usage: npm run release -- <patch | minor | major | 1.2.3> [--dry-run]");
}
if (output("git", ["status", "--porcelain"]) !== "") fail("The working tree has changes. Commit or stash them first.");

run("npm", ["run", "check"]);
run("npm", ["test"]);
run("npm", ["audit", "--omit=dev", "--audit-level=high"]);
try {
  run("npm", ["version", bump, "--no-git-tag-version", "--allow-same-version"]);
  const { version } = JSON.parse(readFileSync(resolve(root, "package.json"), "utf8"));
  if (output("git", ["tag", "--list", `v${version}`]) !== "") fail(`The tag v${version} exists already.`);
  writeFileSync(changelog, released(readFileSync(changelog, "utf8"), version));
  run("npm", ["pack", "--dry-run"]);
  if (dryRun) {
    console.log(`\nDry run: ${version} is neither committed nor tagged.`);
  } else {
    run("git", ["add", "package.json", "package-lock.json", "CHANGELOG.md"]);
    run("git", ["commit", "--quiet", "--allow-empty", "-m", `Release ${version}`]);
    run("git", ["tag", "--annotate", `v${version}`, "-m", `archive-frames ${version}`]);
    console.log(`\nTagged v${version}. To publish it: git push --follow-tags && npm publish`);
  }
} finally {
  // After a failure, and after a dry run, nothing is left behind; after a release, nothing has changed since the commit.
  run("git", ["checkout", "--quiet", "HEAD", "--", "package.json", "package-lock.json", "CHANGELOG.md"]);
}

/** The changelog with what was Unreleased under the version and today's date. */
function released(text, version) {
  if (text.includes(`## [${version}]`)) return text;
  const unreleased = /^## \[Unreleased\]\n([\s\S]*?)(?=^## \[)/m.exec(text);
  if (unreleased === null || unreleased[1].trim() === "") fail("CHANGELOG.md has nothing under Unreleased.");
  const today = new Date().toISOString().slice(0, 10);
  return text
    .replace(/^## \[Unreleased\]\n/m, `## [Unreleased]\n\n## [${version}] - ${today}\n`)
    .replace(
      /^\[Unreleased\]: (.*)\/compare\/v[\d.]+\.\.\.HEAD$/m,
      `[Unreleased]: $1/compare/v${version}...HEAD\n[${version}]: $1/releases/tag/v${version}`,
    );
}

function output(command, options) {
  return execFileSync(command, options, { cwd: root, encoding: "utf8" }).trim();
}

function run(command, options) {
  execFileSync(command, options, { cwd: root, stdio: "inherit" });
}

/** Thrown, so that `finally` restores the files. */
function fail(problem) {
  process.exitCode = 1;
  throw new Error(problem);
}
