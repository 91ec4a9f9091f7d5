import { cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { clientTo, mention } from "../client/clientTo.js";
import { temporaryFolder } from "../files/temporary.js";
import { startPagedServer } from "../scan/pagedServer.js";
import { callCommand, failedWith } from "./callCommand.js";

const root = temporaryFolder();
const snapshot = (...args: string[]) => callCommand(root, ["snapshot", ...args]);
const HOSTILE = "\u001b[2J\u0007\u009b31m\u202e\r\n";
/** Control characters except line breaks. */
const ACTS = /[^\P{Cc}\n]|[\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;

/** Records two pages of mentions with ids from a number on, and a search for hostile text. */
async function record(dir: string, first: number, more: object = {}): Promise<string> {
  await using server = await startPagedServer({ rows: 4, row: (id) => mention(first + id, more) });
  await using archive = clientTo(server, { snapshot: { dir: join(root, dir) } });
  await archive.mentions("climate", { maxItems: 4, limit: 2 });
  await archive.mentions(HOSTILE);
  await archive.person(6153).catch(() => undefined);
  return server.baseUrl;
}

let baseUrl = "";
beforeAll(async () => {
  baseUrl = await record("old", 0);
  await record("new", 1, { [`member${HOSTILE}`]: HOSTILE });
});

describe("archive-frames snapshot", () => {
  it("shows source, dates and searches, and verifies every file", async () => {
    const { status, stdout, stderr } = await snapshot("old");
    expect([status, stderr]).toEqual([0, ""]);
    const lines = stdout.trimEnd().split("\n");
    expect(lines[0]).toBe(`old: ${baseUrl}`);
    expect(lines[1]).toMatch(/^\d+ responses, \d{4}-\d\d-\d\d \d\d:\d\d UTC to .* UTC$/);
    expect(stdout).toMatch(/^ +\d+ pages? +\/mentions\?query=climate$/m);
    expect(stdout).toMatch(/^ +1 lookups of people and programs$/m);
    expect(stdout).not.toMatch(ACTS);
    expect(lines.at(-1)).toMatch(/^ok {5}\d+ responses in \d+ bodies$/);
  });

  it("prints JSON", async () => {
    const { stdout } = await snapshot("old", "--json");
    expect(JSON.parse(stdout)).toMatchObject({ dir: "old", source: baseUrl, ok: true, problems: [] });
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
