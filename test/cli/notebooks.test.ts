import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../files/temporary.js";
import { callCommand } from "./callCommand.js";

const root = temporaryFolder();
const packaged = new URL("../../notebooks/", import.meta.url);
const names = readdirSync(packaged).filter((name) => name.endsWith(".ipynb"));

describe("archive-frames notebooks", () => {
  it("lists every ready-made notebook with its title, and says how to copy them", async () => {
    const { status, stdout } = await callCommand(root, ["notebooks"]);
    expect(status).toBe(0);
    const lines = stdout.split("\n");
    for (const name of names) expect(lines).toContainEqual(expect.stringMatching(new RegExp(`^${name} +\\S`)));
    expect(stdout).toContain("To copy them, type: archive-frames notebooks <dir>");
  });

  it("copies them into a new directory", async () => {
    const { status, stdout } = await callCommand(root, ["notebooks", "mine/work"]);
    expect(status).toBe(0);
    expect(stdout.trim().split("\n")).toEqual(names.map((name) => join("mine/work", name)));
    for (const name of names)
      expect(readFileSync(join(root, "mine/work", name)).equals(readFileSync(new URL(name, packaged))), name).toBe(
        true,
      );
  });

  it("overwrites nothing, and says so", async () => {
    const [first = "", second = ""] = names;
    await callCommand(root, ["notebooks", "again"]);
    writeFileSync(join(root, "again", first), "mine");
    const { status, stdout } = await callCommand(root, ["notebooks", "again"]);
    expect(status).toBe(0);
    expect(stdout).toContain(`${join("again", second)} exists and was not overwritten\n`);
    expect(readFileSync(join(root, "again", first), "utf8")).toBe("mine");
  });
});
