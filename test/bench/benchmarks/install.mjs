import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { figure } from "../table.mjs";
import { withFolder } from "../withFolder.mjs";

const ROOT = resolve(import.meta.dirname, "../../..");
const FIRST_FRAME = `import { openArchive } from "archive-frames";
const archive = await openArchive();
console.log(await archive.mentions("climate"));
await archive.close();`;

/** From an empty directory to a first frame, with the packages that npm has in its cache. */
export default () => withFolder(install);

function install(root) {
  const empty = join(root, "empty");
  mkdirSync(empty);
  const run = (program, ...args) =>
    execFileSync(program, args, { cwd: empty, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  const quietly = ["--no-audit", "--no-fund", "--prefer-offline", "--ignore-scripts"];
  const packed = execFileSync("npm", ["pack", "--json", "--ignore-scripts", "--pack-destination", root], {
    cwd: ROOT,
  });
  const tarball = join(root, JSON.parse(packed)[0].filename);
  const begun = performance.now();
  const seconds = () => (performance.now() - begun) / 1000;
  run("npm", "install", tarball, ...quietly);
  const installed = seconds();
  writeFileSync(join(empty, "first.mjs"), FIRST_FRAME);
  run("node", "first.mjs");
  const frame = seconds();
  const line = (what, value, most) => figure(what, value, "s", { most });
  return [line("npm install, packages cached", installed), line("empty directory to the first frame", frame, 60)];
}
