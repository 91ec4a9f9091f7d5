import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { pl } from "../../src/index.js";
import { settingsOf } from "../archiveSettings.js";
import { temporaryFolder } from "../files/temporary.js";
import { startPagedServer } from "../scan/pagedServer.js";
import { callCommand } from "./callCommand.js";
import { command } from "./command.js";

const root = temporaryFolder();

describe("archive-frames save", () => {
  it("writes the file and prints its path", async () => {
    const args = ["save", "mentions", "--query", "climate", "--mindate", "2024-01-01", "-o", "climate.parquet"];
    const { status, stdout, stderr } = await command(root, [...args, "--max-items", "250"]);
    expect({ status, stdout }).toEqual({ status: 0, stdout: "climate.parquet\n" });
    expect(stderr).toMatch(
      /^archive-frames: using the embedded archive[^\n]*\nmentions climate: 250 rows, capped by maxItems\n$/,
    );
    expect(pl.readParquet(join(root, "climate.parquet")).height).toBe(250);
  });

  it("accepts kebab-case operations and flags", async () => {
    const search = ["save", "programs-search", "--query", "text:climate", "--first-page", "-o", "out/", "--bom"];
    expect(await callCommand(root, search)).toMatchObject({ status: 0, stdout: "out/programsSearch.csv\n" });
    expect(readFileSync(join(root, "out/programsSearch.csv"), "utf8")).toMatch(/^\ufeffid,title,/);
    const lookup = ["save", "person", "--id", "6153", "-o", "p.jsonl"];
    expect(await callCommand(root, lookup)).toMatchObject({ status: 0 });
    expect(JSON.parse(readFileSync(join(root, "p.jsonl"), "utf8"))).toMatchObject({ id: 6153 });
  });

  it("stops at Ctrl+C, reports the saved rows, and resumes when run again", async () => {
    let interrupt: (() => void) | undefined;
    await using server = await startPagedServer({
      rows: 730,
      most: 100,
      unnumbered: true,
      instead: (offset) => {
        if (offset !== 400 || interrupt === undefined) return undefined;
        interrupt();
        interrupt = undefined;
        return { hang: true };
      },
    });
    const env = settingsOf({ baseUrl: server.baseUrl, apiKey: "secret-key-of-mine" });
    const args = ["save", "mentions", "--query", "climate", "-o", "c.jsonl"];
    const stopped = await command(root, args, env, {
      onStart(child) {
        interrupt = () => child.kill("SIGINT");
      },
    });
    // It ends by the signal itself, so that a shell ends its loop, too.
    expect(stopped).toMatchObject({ status: null, signal: "SIGINT" });
    expect(stopped.stderr).toContain("archive-frames: stopped by SIGINT. 400 rows are saved in c.jsonl.partial");
    expect(stopped.stderr).not.toContain("pass one");
    expect(stopped.stderr).not.toContain("secret-key-of-mine");
    const before = server.requests.length;
    expect(await command(root, args, env)).toMatchObject({ status: 0, stdout: "c.jsonl\n" });
    expect(server.requests.length - before).toBe(5);
    expect(readFileSync(join(root, "c.jsonl"), "utf8").trimEnd().split("\n")).toHaveLength(730);
  });
});
