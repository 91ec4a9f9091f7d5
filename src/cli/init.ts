import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { Command } from "commander";
import { invalid } from "../errors/validators.js";
import { makeDirectory } from "../fs/makeDirectory.js";
import { withFileErrors } from "../fs/toFileError.js";
import { userPath } from "../fs/userPath.js";
import { writeFileAtomic } from "../fs/writeFileAtomic.js";
import { childEnvironment, KEY_VARIABLES } from "../service/http/environmentKey.js";
import { VERSION } from "../util/version.js";
import { argument } from "./flags.js";
import { printErrorLines, printLines } from "./print.js";
import { interruptible } from "./signals.js";
import { NOTEBOOK, REPORT, studyFiles } from "./studyFiles.js";

/** Variables that would make the first run use the live service or a snapshot. */
const LIVE = [...KEY_VARIABLES, "ARCHIVE_BASE_URL", "ARCHIVE_SNAPSHOT", "ARCHIVE_SNAPSHOT_MODE"];

interface Values {
  readonly package: string;
  readonly install: boolean;
}

/** `archive-frames init <dir>`: creates the directory of a study, and runs it once on the embedded archive. */
export function initCommand(): Command {
  return new Command("init")
    .description("create the directory of a study (notebook, script, package.json, README) and run it once")
    .argument("<dir>", "directory of the study; an existing one must be empty")
    .option("--package <spec>", "the package to install", `archive-frames@^${VERSION}`)
    .option("--no-install", "do not run npm install, so that there is no lock file either")
    .action(init);
}

async function init(dir: string, { package: spec, install }: Values): Promise<void> {
  const root = resolve(userPath("dir", dir, "study/"));
  if (existsSync(root) && withFileErrors(root, () => readdirSync(root)).length > 0)
    throw invalid("dir", dir, "It is not empty. Give the path of a new directory, for example study/.");
  withFileErrors(root, () => {
    makeDirectory(root);
    for (const [name, content] of Object.entries(studyFiles(basename(root))))
      writeFileAtomic(join(root, name), content);
  });
  const next = [`cd ${argument(dir)}`];
  const source = existsSync(spec) ? resolve(spec) : spec;
  if (!install || !(await npmInstall(root, source))) next.push(`npm install ${argument(source)}`);
  await run(root);
  printLines([
    `${join(dir, REPORT)} is a report on the embedded archive (synthetic data). Next, type:`,
    ...[...next, "export ARCHIVE_API_KEY='…'", "npm run report"].map((line) => `  ${line}`),
  ]);
}

/** Runs npm install, with its output on standard error. Returns whether it succeeded. */
async function npmInstall(cwd: string, spec: string): Promise<boolean> {
  const env = childEnvironment(process.env);
  const shell = process.platform === "win32";
  const child = spawn("npm", ["install", "--no-audit", "--no-fund", spec], {
    cwd,
    env,
    shell,
    stdio: ["ignore", 2, 2],
  });
  const [code] = await once(child, "close").catch(() => [undefined]);
  if (code !== 0) printErrorLines([`npm could not install ${spec}.`]);
  return code === 0;
}

async function run(root: string): Promise<void> {
  const { runNotebook } = await import("../kernel/headless/runNotebook.js");
  const { notebookHtml } = await import("../notebook/report/notebookHtml.js");
  const path = join(root, NOTEBOOK);
  const env = Object.fromEntries(LIVE.map((name) => [name, undefined]));
  const executed = await interruptible((signal) => runNotebook(path, { env, output: path, signal }));
  writeFileAtomic(join(root, REPORT), notebookHtml(executed));
}
