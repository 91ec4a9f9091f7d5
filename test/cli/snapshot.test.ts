import { cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { clientTo } from "../client/clientTo.js";
import { temporaryFolder } from "../files/temporary.js";
import { startPagedServer } from "../scan/pagedServer.js";
import { callCommand, failedWith } from "./callCommand.js";

const root = temporaryFolder();
const snapshot = (...args: string[]) => callCommand(root, ["snapshot", ...args]);

beforeAll(async () => {
  await using server = await startPagedServer({ rows: 4 });
  await using archive = clientTo(server, { snapshot: { dir: join(root, "old") } });
  await archive.mentions("climate", { maxItems: 4, limit: 2 });
});

describe("archive-frames snapshot", () => {
  it("verifies every file", async () => {
    expect(await snapshot("old")).toMatchObject({ status: 0, stdout: "ok\n", stderr: "" });
    const { stdout } = await snapshot("old", "--json");
    expect(JSON.parse(stdout)).toEqual({ dir: "old", ok: true, problems: [] });
  });

  it("fails if there is no snapshot", async () => {
    expect(await snapshot("nothing")).toEqual(failedWith(/^\w+ \(NO_SNAPSHOT\)/));
  });

  it("names the changed file and exits with 1", async () => {
    cpSync(join(root, "old"), join(root, "damaged"), { recursive: true });
    const file = readdirSync(join(root, "damaged")).find((name) => name.startsWith("log-")) as string;
    writeFileSync(join(root, "damaged", file), readFileSync(join(root, "damaged", file), "utf8").replace('"', "'"));
    const { status, stdout } = await snapshot("damaged");
    expect(status).toBe(1);
    expect(stdout).toMatch(/^PROBLEM {2}/m);
    expect(stdout).toContain(file);
    expect(stdout).toMatch(/1 problem\n$/);
    const json = await snapshot("damaged", "--json");
    expect([json.status, JSON.parse(json.stdout)]).toMatchObject([1, { ok: false, problems: [{}] }]);
  });
});
