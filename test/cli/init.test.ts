import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "../files/temporary.js";
import { LONG } from "../scale.js";
import { callCommand, failedWith } from "./callCommand.js";
import { command } from "./command.js";

const root = temporaryFolder();
const bin = join(root, "bin");
mkdirSync(bin);
writeFileSync(join(bin, "npm"), '#!/bin/sh\necho "$@" > arguments\nenv > environment\nexit 1\n', { mode: 0o755 });
const read = (name: string) => readFileSync(join(root, name), "utf8");

/** Makes a study with an npm that fails. */
const init = (...flags: string[]) =>
  command(root, ["init", "My study!/", ...flags], {
    ...{ ARCHIVE_API_KEY: "canary-7f3a9c0e", CSPAN_API_KEY: "canary-7f3a9c0e", ARCHIVE_BASE_URL: "http://127.0.0.1:9" },
    PATH: `${bin}:${process.env.PATH}`,
  });

it("makes a study and runs it on synthetic data, runs npm without the key, and says what to type next if npm fails", async () => {
  const { status, stdout, stderr } = await init();
  expect(status).toBe(0);
  expect(stdout).toMatch(
    /report\.html is a report[\s\S]*cd "My study!\/"\n {2}npm install "archive-frames@\^[\d.]+"\n[\s\S]*npm run report/,
  );
  expect(stderr).toContain("npm could not install archive-frames@");
  expect(read("My study!/arguments")).toMatch(/^install .*archive-frames@\^/);
  expect(read("My study!/environment")).not.toMatch(/canary|CSPAN_API_KEY|ARCHIVE_API_KEY/);
  expect(JSON.parse(read("My study!/package.json"))).toMatchObject({ name: "my-study", private: true, type: "module" });
  const { cells } = JSON.parse(read("My study!/study.ipynb"));
  const outputs = cells.flatMap((cell: { outputs?: object[] }) => cell.outputs ?? []);
  expect(outputs.length).toBeGreaterThan(3);
  expect(JSON.stringify(outputs)).not.toContain('"output_type":"error"');
  expect(read("My study!/report.html")).toMatch(/<title>Who talks about climate\?<[\s\S]*synthetic data/);
});

it.runIf(LONG)("runs no npm with --no-install", async () => {
  rmSync(join(root, "My study!"), { recursive: true });
  const { status, stdout, stderr } = await init("--no-install");
  expect([status, stderr]).toEqual([0, ""]);
  expect(stdout).toMatch(/npm install "archive-frames@\^[\d.]+"\n/);
  expect(existsSync(join(root, "My study!/arguments"))).toBe(false);
});

it("refuses a directory with files", async () => {
  mkdirSync(join(root, "full"));
  writeFileSync(join(root, "full/notes.txt"), "mine");
  expect(await callCommand(root, ["init", "full"])).toEqual(failedWith(/invalid dir: "full". It is not empty/));
});
