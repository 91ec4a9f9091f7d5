import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { pl, saveFrame } from "../../src/index.js";
import { temporaryFolder } from "../files/temporary.js";
import { callCommand } from "./callCommand.js";

const root = temporaryFolder();
const code = (...args: string[]) => callCommand(root, ["code", ...args]);

beforeAll(async () => {
  await saveFrame(pl.DataFrame({ id: ["1", "2"], text: ["ONE", "TWO"] }), join(root, "sample.parquet"));
  writeFileSync(join(root, "book.json"), JSON.stringify({ variables: { stance: ["support", "oppose"] } }));
});

describe("archive-frames code", () => {
  it("writes a page for each coder of a saved file", async () => {
    const flags = ["--codebook", "book.json", "--coders", "Ann", "Bo", "-o", "pages/"];
    const { status, stdout } = await code("sample.parquet", ...flags);
    expect(status).toBe(0);
    expect(stdout.trim().split("\n").slice(0, 2)).toEqual(
      ["Ann", "Bo"].map((name) => join(root, `pages/${name}.html`)),
    );
    expect(existsSync(join(root, "pages/Bo.html"))).toBe(true);
  });

  it("says what is wrong with a codebook", async () => {
    expect((await code("sample.parquet", "--codebook", "none.json")).stderr).toContain("invalid --codebook none.json.");
    writeFileSync(join(root, "wrong.json"), JSON.stringify({ variables: { stance: ["support"] } }));
    expect((await code("sample.parquet", "--codebook", "wrong.json")).stderr).toContain("Give 2 to 9 values");
  });
});
