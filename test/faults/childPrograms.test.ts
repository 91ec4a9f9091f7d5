import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { childEnvironment } from "../../src/kernel/headless/childEnvironment.js";
import { KernelClient } from "../../src/kernel/headless/kernelClient.js";
import { temporaryFolder } from "../files/temporary.js";

const KEY = "canary-7f3a9c0e";
const root = temporaryFolder();
const environmentFile = join(root, "environment.json");
/** The key, and other variables that contain it. */
const HOLDERS = {
  ARCHIVE_API_KEY: KEY,
  CSPAN_API_KEY: "canary-of-c-span",
  MY_COPY: KEY,
  CURL_ARGUMENTS: `-H 'x-api-key: ${KEY}'`,
  IN_A_URL: `https://example.org/?key=${encodeURIComponent(KEY)}`,
  IN_BASE64: Buffer.from(`:${KEY}`).toString("base64"),
};
beforeAll(() => {
  for (const [name, value] of Object.entries(HOLDERS)) vi.stubEnv(name, value);
});
afterAll(() => void vi.unstubAllEnvs());

/** Starts a kernel that writes its environment to a file and exits. */
async function kernelEnvironment(env: Readonly<Record<string, string>>): Promise<Record<string, string>> {
  const program = `require("fs").writeFileSync(${JSON.stringify(environmentFile)}, JSON.stringify(process.env))`;
  const kernel = { argv: [process.execPath, "-e", program, "{connection_file}"], env };
  await expect(KernelClient.start(kernel)).rejects.toThrow("The kernel exited unexpectedly");
  return JSON.parse(readFileSync(environmentFile, "utf8")) as Record<string, string>;
}

describe("a child process does not receive the key", () => {
  it("when it is the kernel of a replay", async () => {
    const env = await kernelEnvironment({ ARCHIVE_SNAPSHOT: "study", ARCHIVE_SNAPSHOT_MODE: "replay" });
    for (const secret of [KEY, HOLDERS.IN_BASE64, HOLDERS.CSPAN_API_KEY])
      expect(JSON.stringify(env)).not.toContain(secret);
    expect(env).toMatchObject({ ARCHIVE_SNAPSHOT: "study", PATH: process.env.PATH });
    expect(Object.keys(env)).not.toContain("ARCHIVE_API_KEY");
    const given = await kernelEnvironment({ ARCHIVE_SNAPSHOT_MODE: "replay", ARCHIVE_API_KEY: "another-canary-key" });
    expect(JSON.stringify(given)).not.toContain("another-canary-key");
  });

  it("unless it is a kernel that contacts the service", async () => {
    expect(await kernelEnvironment({})).toMatchObject({ ARCHIVE_API_KEY: KEY });
  });

  it("anywhere in the sources", () => {
    const sources = readdirSync("src", { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"));
    const starting = sources.filter((name) => readFileSync(join("src", name), "utf8").includes("child_process"));
    expect(starting.sort()).toEqual(["kernel/headless/kernelClient.ts"]);
    for (const name of starting) {
      const source = readFileSync(join("src", name), "utf8");
      expect(source).toMatch(/(?:= |return |env: )childEnvironment\(/);
    }
  });

  it("for any key, in any variable; all other variables are unchanged", () => {
    const key = fc.stringMatching(/^[!-~]{8,60}$/);
    const text = fc.string({ maxLength: 20 });
    fc.assert(
      fc.property(key, text, text, (secret, left, right) => {
        const env = { ARCHIVE_API_KEY: ` ${secret} `, HOLDS: `${left}${secret}${right}`, PLAIN: "/usr/bin" };
        const child = childEnvironment(env);
        expect(Object.values(child).join(" ")).not.toContain(secret);
        expect(child.PLAIN === "/usr/bin" || "/usr/bin".includes(secret)).toBe(true);
        expect(childEnvironment(env, {}, true)).toEqual(env);
      }),
    );
    for (const name of ["archive_api_key", "CSPAN_API_KEY"])
      expect(childEnvironment({ [name]: "k", PATH: "/k/bin", COPY: "k" })).toEqual({ PATH: "/k/bin" });
  });
});
