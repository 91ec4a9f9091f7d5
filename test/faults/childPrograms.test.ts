import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { childEnvironment } from "../../src/kernel/headless/childEnvironment.js";
import { KernelClient } from "../../src/kernel/headless/kernelClient.js";
import { temporaryFolder } from "../files/temporary.js";

const KEY = "canary-7f3a9c0e";
const environmentFile = join(temporaryFolder(), "environment.json");
/** The key, and other variables that contain it. */
const HOLDERS = { ARCHIVE_API_KEY: KEY, CSPAN_API_KEY: "canary-of-c-span", IN_A_URL: `https://x.org/?key=${KEY}` };
beforeAll(() => {
  for (const [name, value] of Object.entries(HOLDERS)) vi.stubEnv(name, value);
});
afterAll(() => void vi.unstubAllEnvs());

/** Starts a kernel that writes its environment to a file and exits. */
async function kernelEnvironment(env: Readonly<Record<string, string>>): Promise<string> {
  const program = `require("fs").writeFileSync(${JSON.stringify(environmentFile)}, JSON.stringify(process.env))`;
  const kernel = { argv: [process.execPath, "-e", program, "{connection_file}"], env };
  await expect(KernelClient.start(kernel)).rejects.toThrow("The kernel exited unexpectedly");
  return readFileSync(environmentFile, "utf8");
}

describe("a child process does not receive the key", () => {
  it("when it is the kernel of a replay, unless it is one that contacts the service", async () => {
    const replay = { ARCHIVE_SNAPSHOT: "study", ARCHIVE_SNAPSHOT_MODE: "replay" };
    const env = await kernelEnvironment(replay);
    expect(env).not.toMatch(/canary|API_KEY/);
    expect(JSON.parse(env)).toMatchObject({ ...replay, PATH: process.env.PATH });
    expect(await kernelEnvironment({ ...replay, ARCHIVE_API_KEY: "another-canary-key" })).not.toContain("canary");
    expect(JSON.parse(await kernelEnvironment({}))).toMatchObject({ ARCHIVE_API_KEY: KEY });
  });

  it("anywhere in the sources", () => {
    const sources = readdirSync("src", { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"));
    const textOf = (name: string) => readFileSync(join("src", name), "utf8");
    const starting = sources.filter((name) => textOf(name).includes("child_process"));
    expect(starting).toEqual(["kernel/headless/kernelClient.ts"]);
    for (const name of starting) expect(textOf(name)).toMatch(/(?:= |return |env: )childEnvironment\(/);
  });

  it("for any key, in any variable; all other variables are unchanged", () => {
    const text = fc.string({ maxLength: 20 });
    const property = fc.property(fc.stringMatching(/^[!-~]{8,60}$/), text, text, (secret, left, right) => {
      const env = { ARCHIVE_API_KEY: ` ${secret} `, HOLDS: `${left}${secret}${right}`, PLAIN: "/usr/bin" };
      const child = childEnvironment(env);
      expect(Object.values(child).join(" ")).not.toContain(secret);
      expect(child.PLAIN === "/usr/bin" || "/usr/bin".includes(secret)).toBe(true);
      expect(childEnvironment(env, {}, true)).toEqual(env);
    });
    fc.assert(property);
  });
});
