import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "../files/temporary.js";
import { callCommand, failedWith } from "./callCommand.js";
import { command } from "./command.js";

const root = temporaryFolder();
const read = (name: string) => readFileSync(join(root, name), "utf8");

it("makes a study, runs it on synthetic data although there is a key, and says what to type next", async () => {
  const live = { ARCHIVE_API_KEY: "canary-7f3a9c0e", ARCHIVE_BASE_URL: "http://127.0.0.1:9" };
  const { status, stdout } = await command(root, ["init", "My study!/", "--no-install"], live);
  expect(status).toBe(0);
  expect(stdout).toMatch(
    /report\.html is a report[\s\S]*cd "My study!\/"\n {2}npm install "archive-frames@\^[\d.]+"\n[\s\S]*npm run report/,
  );
  expect(JSON.parse(read("My study!/package.json"))).toMatchObject({ name: "my-study", private: true, type: "module" });
  const { cells } = JSON.parse(read("My study!/study.ipynb"));
  const outputs = cells.flatMap((cell: { outputs?: object[] }) => cell.outputs ?? []);
  expect(outputs.length).toBeGreaterThan(3);
  expect(JSON.stringify(outputs)).not.toContain('"output_type":"error"');
  expect(read("My study!/report.html")).toMatch(/<title>Who talks about climate\?<[\s\S]*synthetic data/);
});

it("runs npm in the study without the key, and goes on if that fails", async () => {
  const bin = join(root, "bin");
  mkdirSync(bin);
  writeFileSync(join(bin, "npm"), '#!/bin/sh\necho "$@" > arguments\nenv > environment\nexit 1\n', { mode: 0o755 });
  const env = { CSPAN_API_KEY: "canary-7f3a9c0e", PATH: `${bin}:${process.env.PATH}` };
  const { status, stdout, stderr } = await command(root, ["init", "second"], env);
  expect({ status, stdout, stderr }).toEqual({
    status: 0,
    stdout: expect.stringMatching(/cd second\n {2}npm install "archive-frames@\^[\d.]+"\n/),
    stderr: expect.stringContaining("npm could not install archive-frames@"),
  });
  expect(read("second/arguments")).toMatch(/^install .*archive-frames@\^/);
  expect(read("second/environment")).not.toMatch(/canary|CSPAN_API_KEY/);
  expect(existsSync(join(root, "second/report.html"))).toBe(true);
});

it("refuses a directory with files", async () => {
  mkdirSync(join(root, "full"));
  writeFileSync(join(root, "full/notes.txt"), "mine");
  expect(await callCommand(root, ["init", "full"])).toEqual(failedWith(/invalid dir: "full". It is not empty/));
});
