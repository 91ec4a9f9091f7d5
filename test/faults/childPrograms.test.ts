import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { runNotebook } from "archive-frames/notebook";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { temporaryFolder } from "../files/temporary.js";

const KEY = "canary-7f3a9c0e";
const environmentFile = join(temporaryFolder(), "environment.json");
beforeAll(() => {
  for (const name of ["ARCHIVE_API_KEY", "CSPAN_API_KEY"]) vi.stubEnv(name, KEY);
});
afterAll(() => void vi.unstubAllEnvs());

/** The environment of the kernel of a notebook. */
async function kernelEnvironment(env: Readonly<Record<string, string>>): Promise<string> {
  const source = `require("fs").writeFileSync(${JSON.stringify(environmentFile)}, JSON.stringify(process.env))`;
  await runNotebook({ cells: [{ cell_type: "code", source }], nbformat: 4 }, { env });
  return readFileSync(environmentFile, "utf8");
}

describe("a child process does not receive the key", () => {
  it("when it is the kernel of a replay, unless it is one that contacts the service", async () => {
    const replay = { ARCHIVE_SNAPSHOT: "study", ARCHIVE_SNAPSHOT_MODE: "replay" };
    const env = await kernelEnvironment({ ...replay, ARCHIVE_API_KEY: "another-canary-key" });
    expect(env).not.toMatch(/canary|API_KEY/);
    expect(JSON.parse(env)).toMatchObject({ ...replay, PATH: process.env.PATH });
    expect(JSON.parse(await kernelEnvironment({}))).toMatchObject({ ARCHIVE_API_KEY: KEY });
  });

  it("anywhere in the sources", () => {
    const sources = readdirSync("src", { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"));
    const starting = sources.filter((name) => readFileSync(join("src", name), "utf8").includes("child_process"));
    expect(starting).toEqual(["kernel/headless/forkedKernel.ts"]);
  });
});
